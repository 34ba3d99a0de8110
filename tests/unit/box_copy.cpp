// Copies of boxes that are wrong by themselves, or touch what is not theirs. A review made each of
// them pass once, but for the first two.
#include "kernel/box_copy.h"
#include "row_strips.h"
#include "verify/checks/proof_key.h"

namespace nw::testing {

namespace {

ExprP of(const char *o, const ExprP &a, const ExprP &b) { return binary(o, a, b, kI32); }
ExprP both(const ExprP &a, const ExprP &b) { return of("&&", a, b); }

// Where A[m][k] has that many rows and columns.
ExprP large(int64_t rows, int64_t columns, const char *k = "k") {
  return both(of(">=", v("m"), i32(rows)), of(">=", v(k), i32(columns)));
}

BoxCopy by(std::array<int, 2> threads, int64_t unit = 1, int64_t width = 1) {
  return {{"j0", "j1"}, threads, unit, width};
}
const std::array<int, 2> kBlock = {4, 2};

// The product with more code, in front of its own or behind it.
size_t with(const std::vector<StmtP> &more, bool isBehind, Region region = product()) {
  TiledRegion tiled(region, smallTiles());
  auto body = std::make_shared<Stmt>(*tiled.tiles().body);
  auto place = std::find_if(body->body.begin(), body->body.end(),
                            [](const StmtP &s) { return s->kind != StmtKind::Shared; });
  body->body.insert(isBehind ? body->body.end() : place, more.begin(), more.end());
  tiled.tiles().body = body;
  return tiled.findings();
}

// Into registers that nobody reads.
size_t loading(const BoxCopy &how, int64_t registers, std::vector<int64_t> extents = {64, 64}) {
  return with({declare("junk_next", real(), {registers}, {}),
               boxCopy("junk", kI32, extents, how, var("junk_next", real()),
                       at("A", v("j0"), v("j1")), large(64, 64))},
              true);
}

// Into the first row of a tile, before anyone needs it.
size_t copying(const BoxCopy &how, const ExprP &slot, const ExprP &row) {
  return with({boxCopy("junk", kI32, {1, 4}, how, at("A_tile", v("j0"), slot),
                       at("A", row, v("j1")), large(1, 4)),
               marker(StmtKind::Barrier)},
              false);
}

} // namespace

TEST(BoxCopy, MoreCopiesDoNoHarm) {
  EXPECT_EQ(loading(by(kBlock), 512), 0u);
  EXPECT_EQ(copying(by(kBlock), v("j1"), v("j0")), 0u);
}

TEST(BoxCopy, ElementsThatAreNotThereAreSeen) {
  EXPECT_GT(copying(by(kBlock), v("j1"), of("+", v("m"), i32(7))), 0u);
}

TEST(BoxCopy, OtherThreadsThanTheBlocksAreSeen) {
  EXPECT_GT(loading(by({1, 1}), 4096), 0u);
  EXPECT_GT(loading(by({-4096, -1}), 1), 0u);
  EXPECT_GT(loading(by({0, 1}), 512), 0u);
  EXPECT_GT(copying(by({2147483647, 2}), v("j1"), v("j0")), 0u);
}

TEST(BoxCopy, RegistersAreItsOwnAndAsManyAsAThreadNeeds) {
  for (int64_t many : {1, 511, 513})
    EXPECT_GT(loading(by(kBlock), many), 0u) << many;
  EXPECT_GT(with({boxCopy("junk", kI32, {64, 64}, by(kBlock), var("nowhere", real()),
                          at("A", v("j0"), v("j1")), large(64, 64))},
                 true),
            0u);
  // memory of the user's
  Region r = product();
  r.body.push_back(loop("i", i32(0), v("m"), {assign(at("D", v("i")), at("E", v("i")))}));
  r.variables["D"] = pointer("D", real(), {});
  r.variables["E"] = pointer("E", real(), {});
  TiledRegion tiled(r, smallTiles());
  std::vector<KernelParameter> found;
  for (const Kernel &k : tiled.kernels.kernels)
    for (const KernelParameter &q : k.parameters)
      if (q.name == "D")
        found.push_back(q);
  ASSERT_FALSE(found.empty());
  tiled.tiles().parameters.push_back(found[0]);
  tiled.tiles().body =
      block({tiled.tiles().body, boxCopy("junk", kI32, {64, 64}, by(kBlock), var("D", real()),
                                         at("A", v("j0"), v("j1")), large(64, 64))});
  EXPECT_GT(tiled.findings(), 0u);
}

TEST(BoxCopy, NeighboursAreTakenByWayOfRegistersAlone) {
  EXPECT_GT(copying(by(kBlock, 4), v("j1"), v("j0")), 0u);
  EXPECT_GT(loading(by(kBlock, 0), 512), 0u);
  EXPECT_GT(loading(by(kBlock, 3), 512), 0u);
  EXPECT_GT(loading(by(kBlock, 4, 2), 512), 0u);
  EXPECT_GT(with({declare("junk_next", real(), {4}, {}),
                  boxCopy("junk", kI32, {8, 4}, by(kBlock, 4, 4), var("junk_next", real()),
                          at("A_tile", of("+", v("j0"), i32(100000)), v("j1")), nullptr)},
                 true),
            0u);
}

TEST(BoxCopy, PlacesThatCannotBeReadAreSeen) {
  ExprP isThere =
      of("||",
         binary(">", at("A", of("+", v("m"), i32(1000000)), i32(0)), floatConst(0, real()), kI32),
         i32(1));
  EXPECT_GT(copying(by(kBlock), select(isThere, v("j1"), i32(0), kI32), v("j0")), 0u);
  ExprP masked = of("*", of("&", v("j1"), i32(3)), i32(1 << 30));
  EXPECT_GT(copying(by(kBlock), of("/", masked, i32(1 << 30)), v("j0")), 0u);
  ExprP wide = binary("*", var("j1", kI64), i32(1 << 30), kI64); // of an int
  EXPECT_GT(copying(by(kBlock), cast(binary("/", wide, i32(1 << 30), kI64), kI32), v("j0")), 0u);
}

// for (int k_element = …) A[0][k_element - 1], which was the parameter
TEST(BoxCopy, NamesThatItsLoopsHideAreSeen) {
  auto renamed = [](const ExprP &e) { return isVar(e, "k") ? var("k_element", e->type) : e; };
  Region r = product();
  r.variables.erase("k");
  r.variables["k_element"] = scalar("k_element");
  r.variables["A"] = pointer("A", real(), {v("k_element")});
  for (StmtP &s : r.body)
    s = rewriteExprs(s, renamed);
  auto capturing = [&](const char *name) {
    return with(
        {boxCopy(name, kI32, {1, 4}, by(kBlock), at("A_tile", v("j0"), v("j1")),
                 at("A", i32(0), of("-", v("k_element"), i32(1))), large(1, 1, "k_element")),
         marker(StmtKind::Barrier)},
        false, r);
  };
  EXPECT_GT(capturing("k"), 0u);
  EXPECT_EQ(capturing("l"), 0u);
  TiledRegion tiled(r, smallTiles());
  Kernel other = tiled.tiles();
  other.body = rewritten(other.body, [&](const StmtP &s) {
    auto copy = std::make_shared<Stmt>(*s);
    copy->name = s->name == "A_tile" ? "k" : s->name;
    for (ExprP &e : copy->exprs)
      e = rewrite(e, [](const ExprP &x) { return isVar(x, "A_tile") ? var("k", x->type) : x; });
    return StmtP(copy);
  });
  EXPECT_NE(proofKey(other), proofKey(tiled.tiles()));
}

TEST(BoxCopy, WhatIsNoneIsRefused) {
  StmtP fine = boxCopy("junk", kI32, {8, 4}, by(kBlock), at("A_tile", v("j0"), v("j1")),
                       at("A", v("j0"), v("j1")), nullptr);
  EXPECT_EQ(wrongCopy(*fine), "");
  for (const std::function<void(Stmt &)> &bend : std::vector<std::function<void(Stmt &)>>{
           [](Stmt &s) { s.copy.counters.pop_back(); },
           [](Stmt &s) { s.copy.counters[1] = "j0"; },
           [](Stmt &s) { s.extents[0] = 0; },
           [](Stmt &s) { s.extents[0] = int64_t(1) << 40; },
           [](Stmt &s) { s.exprs.pop_back(); },
           [](Stmt &s) { s.exprs[0] = s.exprs[1] = var("x", real()); },
           [](Stmt &s) { s.exprs[1] = binary("+", s.exprs[1], s.exprs[1], real()); },
           [](Stmt &s) { s.type = typeOf(Scalar::I8); },
       }) {
    auto bent = std::make_shared<Stmt>(*fine);
    bend(*bent);
    EXPECT_NE(wrongCopy(*bent), "");
    EXPECT_EQ(withoutCopies(StmtP(bent)), StmtP(bent));
    EXPECT_GT(with({bent}, true), 0u);
  }
}

} // namespace nw::testing
