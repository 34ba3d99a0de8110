// Products that sum over several loops, in tiles: strips inside another loop, and around one.
#include "../mutation/bend_tree.h"
#include "product.h"

namespace nw::testing {

namespace {

ExprP element(const char *a, const std::vector<ExprP> &subscripts) {
  ExprP e = var(a, real());
  for (const ExprP &s : subscripts)
    e = index(e, s, real());
  return e;
}

ExprP plus(const char *a, const char *b) { return binary("+", v(a), v(b), kI32); }

// for i, j: for first, second: C[i][j] += a * b
Region summed(const ExprP &a, const ExprP &b, std::vector<Variable> arrays, const ExprP &firstEnd,
              const ExprP &secondEnd) {
  ExprP c = element("C", {v("i"), v("j")});
  StmtP update = assign(c, binary("+", c, binary("*", a, b, real()), real()));
  StmtP sum = loop("q", i32(0), firstEnd, {loop("l", i32(0), secondEnd, {update})});
  for (const char *name : {"m", "n", "k", "h", "i", "j", "q", "l"})
    arrays.push_back(scalar(name));
  arrays.push_back(pointer("C", real(), {v("n")}));
  Region r = regionOf({loop("i", i32(0), v("m"), {loop("j", i32(0), v("n"), {sum})})}, arrays);
  for (const char *name : {"i", "j", "q", "l"})
    r.variables[name].storage = Storage::Local;
  return r;
}

// C[i][j] += A[i][q][l] * B[q][l][j]
Region contraction() {
  return summed(element("A", {v("i"), v("q"), v("l")}), element("B", {v("q"), v("l"), v("j")}),
                {pointer("A", real(), {v("h"), v("k")}), pointer("B", real(), {v("k"), v("n")})},
                v("h"), v("k"));
}

// C[i][j] += A[i][q][l] * B[q][j + l], with three values of l: strips of q.
Region filter() {
  return summed(element("A", {v("i"), v("q"), v("l")}), element("B", {v("q"), plus("j", "l")}),
                {pointer("A", real(), {v("h"), i32(3)}), pointer("B", real(), {plus("n", "k")})},
                v("h"), i32(3));
}

TilePlan stripsOf(const char *loop, int stages) {
  TilePlan t = smallTiles();
  t.strip = loop;
  t.stages = stages;
  return t;
}

size_t barriersIn(const StmtP &code) {
  size_t many = 0;
  walkStmts(code, [&](const StmtP &s) { many += s->kind == StmtKind::Barrier; });
  return many;
}

} // namespace

TEST(Contractions, StripsInsideALoopAreAcceptedAndRight) {
  for (int stages : {1, 2}) {
    TiledRegion tiled(contraction(), stripsOf("l", stages));
    EXPECT_EQ(textOf(provedFindings(tiled.program, tiled.kernels)), "") << stages;
    EXPECT_GT(barriersIn(tiled.tiles().body), 0u);
    tiled.expectSame({{{"m", 4}, {"n", 16}, {"k", 3}, {"h", 2}},
                      {{"m", 5}, {"n", 17}, {"k", 7}, {"h", 3}},
                      {{"m", 3}, {"n", 18}, {"k", 6}, {"h", 1}},
                      {{"m", 4}, {"n", 16}, {"k", 2}, {"h", 0}}});
  }
}

TEST(Contractions, StripsAroundALoopAreAcceptedAndRight) {
  for (int stages : {1, 2}) {
    TiledRegion tiled(filter(), stripsOf("q", stages));
    EXPECT_EQ(textOf(provedFindings(tiled.program, tiled.kernels)), "") << stages;
    EXPECT_GT(barriersIn(tiled.tiles().body), 0u);
    tiled.expectSame({{{"m", 4}, {"n", 16}, {"k", 3}, {"h", 3}},
                      {{"m", 5}, {"n", 17}, {"k", 3}, {"h", 7}},
                      {{"m", 3}, {"n", 18}, {"k", 3}, {"h", 1}}});
  }
}

// What one turn of the loop around leaves meets what the next one does.
TEST(Contractions, AMissingBarrierIsSeen) {
  for (int stages : {1, 2}) {
    TiledRegion tiled(contraction(), stripsOf("l", stages));
    size_t barriers = barriersIn(tiled.tiles().body);
    for (size_t which = 0; which < barriers; which++) {
      TiledRegion copy = tiled;
      size_t number = 0;
      copy.tiles().body = rewritten(copy.tiles().body, [&](const StmtP &s) {
        return s->kind == StmtKind::Barrier && number++ == which ? block({}) : s;
      });
      EXPECT_FALSE(checkStaging(copy.tiles()).empty()) << stages << " " << which;
    }
  }
}

// One of 16. The accepted ones are matters of other checks: guards, points, what is computed. With
// every turn of the loop around executed, the same ones of all 1350 were accepted, and of the 1460
// with two buffers.
TEST(Contractions, BentStripsAreSeen) {
  TiledRegion tiled(contraction(), stripsOf("l", 1));
  int all = 0, accepted = 0;
  mutation::bend(tiled.tiles().body, [&](const StmtP &bent, const std::string &) {
    if (all++ % 16)
      return;
    Kernel kernel = tiled.tiles();
    kernel.body = bent;
    accepted += checkStaging(kernel).empty();
  });
  EXPECT_EQ(all, 1350);
  EXPECT_EQ(accepted, 49);
}

} // namespace nw::testing
