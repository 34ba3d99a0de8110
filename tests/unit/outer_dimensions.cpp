// Tiles of two dimensions in steps of more: each block has one value of the others. That they are
// accepted and right, and that the verifier sees blocks that meet or are missing.
#include "choices.h"
#include "product.h"

namespace nw::testing {

namespace {

// C[p][q][i][j] += A[p][q][i][l] * B[q][l][j], of `outer` dimensions around the product.
Region products(int outer) {
  std::vector<const char *> names = outer == 1 ? std::vector{"q"} : std::vector{"p", "q"};
  auto element = [&](const char *array, std::vector<ExprP> at) {
    ExprP e = var(array, real());
    for (const ExprP &x : at)
      e = index(e, x, real());
    return e;
  };
  auto around = [&](std::vector<ExprP> at) {
    for (size_t n = names.size(); n-- > 0;)
      at.insert(at.begin(), v(names[n]));
    return at;
  };
  ExprP c = element("C", around({v("i"), v("j")})), a = element("A", around({v("i"), v("l")})),
        b = element("B", {v("q"), v("l"), v("j")});
  StmtP code = loop("i", i32(0), v("m"),
                    {loop("j", i32(0), v("n"),
                          {loop("l", i32(0), v("k"),
                                {assign(c, binary("+", c, binary("*", a, b, real()), real()))})})});
  code = loop("q", i32(1), v("s"), {code});
  if (outer == 2)
    code = loop("p", i32(0), v("r"), {code});
  std::vector<ExprP> ofA = {v("m"), v("k")}, ofC = {v("m"), v("n")};
  if (outer == 2) {
    ofA.insert(ofA.begin(), v("s"));
    ofC.insert(ofC.begin(), v("s"));
  }
  Region region = regionOf(
      {code}, {scalar("r"), scalar("s"), scalar("m"), scalar("n"), scalar("k"), scalar("p"),
               scalar("q"), scalar("i"), scalar("j"), scalar("l"), pointer("A", real(), ofA),
               pointer("B", real(), {v("k"), v("n")}), pointer("C", real(), ofC)});
  for (const char *name : {"p", "q", "i", "j", "l"})
    region.variables[name].storage = Storage::Local;
  return region;
}

TiledRegion tiled(int outer, Tail tail = Tail::Guard) {
  TilePlan t = prefetchingTiles();
  t.tail = tail;
  t.grid.push_back("q");
  if (outer == 2)
    t.grid.push_back("p");
  TiledRegion made(products(outer), t);
  made.selection = {{tail == Tail::Guard ? KernelForm::Tiles : KernelForm::ShiftedTiles}};
  return made;
}

size_t declared(int outer, const char *name, const std::function<ExprP(const ExprP &)> &change) {
  return tiled(outer).bent([&](const StmtP &s) {
    return s->kind == StmtKind::Declare && s->name == name
               ? declare(name, s->type, {}, {change(s->exprs[0])})
               : s;
  });
}

} // namespace

TEST(OuterDimensions, TilesAreAcceptedAndRight) {
  for (int outer : {1, 2})
    for (Tail tail : {Tail::Guard, Tail::ShiftInwards}) {
      TiledRegion made = tiled(outer, tail);
      ASSERT_TRUE(made.tiles().isTiled());
      EXPECT_EQ(textOf(provedFindings(made.program, made.kernels)), "");
      EXPECT_TRUE(verifyKernels(made.program, made.kernels, made.device).empty());
      for (auto [r, s, m, n, k] : {std::array{2, 3, 5, 17, 5}, {1, 4, 4, 16, 8}, {3, 2, 9, 20, 4}})
        made.expectSame({{{"r", r}, {"s", s}, {"m", m}, {"n", n}, {"k", k}}});
    }
}

TEST(OuterDimensions, BlocksThatMeetOrAreMissingAreSeen) {
  auto plusOne = [](const ExprP &e) { return binary("+", e, i32(1), kI32); };
  EXPECT_GT(declared(1, "q", plusOne), 0u);
  EXPECT_GT(declared(1, "q", [](const ExprP &) { return i32(1); }), 0u);
  for (const char *name : {"p", "q"}) {
    EXPECT_GT(declared(2, name, plusOne), 0u);
    EXPECT_GT(declared(2, name, [](const ExprP &) { return i32(1); }), 0u);
  }
  // Taken apart by another number, or in the wrong order.
  EXPECT_GT(declared(2, "p", [](const ExprP &e) { return binary("/", e->args[0], i32(2), kI32); }),
            0u);
  EXPECT_GT(declared(2, "q",
                     [](const ExprP &e) {
                       return rewrite(e, [](const ExprP &x) {
                         return x->kind == ExprKind::Binary && x->name == "%"
                                    ? binary("/", x->args[0], x->args[1], kI32)
                                    : x;
                       });
                     }),
            0u);
}

TEST(OuterDimensions, TheHostMustLaunchAllBlocks) {
  for (int outer : {1, 2}) {
    TiledRegion made = tiled(outer);
    HostAlternative *tiles = alternativeOf(made.kernels.host, KernelForm::Tiles);
    ASSERT_TRUE(tiles);
    ExprP &blocks = tiles->body.threads[2];
    blocks = binary("-", blocks, intConst(1), kI64);
    EXPECT_GT(made.findings(), 0u);
  }
}

} // namespace nw::testing
