// Proofs that kernels share: the same but for names is the same, anything else is not. And bounds
// of small numbers, which the proof of what copies touch rests on.
#include "verify/checks/proof_key.h"
#include "../mutation/bend_tree.h"
#include "build.h"
#include "product.h"
#include "verify/readers/small_numbers.h"
#include <set>

namespace nw::testing {

TEST(ProofKey, NamesMakeNoDifference) {
  TiledRegion tiled(product(), prefetchingTiles());
  Kernel renamed = tiled.tiles();
  auto other = [](const std::string &name) { return name == "A" ? "B" : name == "B" ? "A" : name; };
  for (KernelParameter &q : renamed.parameters)
    q.name = other(q.name);
  renamed.body = rewriteExprs(renamed.body, [&](const ExprP &e) {
    return e->kind == ExprKind::Var ? var(other(e->name), e->type) : e;
  });
  EXPECT_EQ(proofKey(renamed), proofKey(tiled.tiles()));
}

TEST(ProofKey, AnythingElseDoes) {
  TiledRegion tiled(product(), prefetchingTiles());
  std::string key = proofKey(tiled.tiles());
  int many = 0, alike = 0;
  mutation::bend(tiled.tiles().body, [&](const StmtP &bent, const std::string &what) {
    Kernel other = tiled.tiles();
    other.body = bent;
    many++;
    bool isAlike = proofKey(other) == key;
    alike += isAlike;
    EXPECT_FALSE(isAlike) << what;
  });
  EXPECT_GT(many, 500);
  EXPECT_EQ(alike, 0);
  for (const auto &change : std::vector<std::function<void(Kernel &)>>{
           [](Kernel &k) { k.block[0] *= 2; },
           [](Kernel &k) { k.parameters[0].type = typeOf(Scalar::F64); },
           [](Kernel &k) { k.parameters[0].isConst = !k.parameters[0].isConst; },
           [](Kernel &k) { k.parameters[0].extents.clear(); }}) {
    Kernel other = tiled.tiles();
    change(other);
    EXPECT_NE(proofKey(other), key);
  }
}

TEST(SmallNumbers, BoundsHoldForAllThreads) {
  // element = (y * 8 + x + turn * 16) * 4, its row and its column, enumerated
  SmallNumbers small({8, 2, 1});
  auto local = [](const char *name) { return node(ExprKind::Builtin, {}, kI32, name); };
  ExprP number = binary("+", binary("*", local("local.y"), i32(8), kI32), local("local.x"), kI32);
  small.set("turn", {0, 2, 1});
  ExprP element =
      binary("*", binary("+", number, binary("*", v("turn"), i32(16), kI32), kI32), i32(4), kI32);
  for (const auto &[op, by] : {std::pair("%", 16), {"/", 16}, {"%", 6}, {"/", 6}, {"/", 2}}) {
    std::optional<Bounds> bounds = small.of(binary(op, element, i32(by), kI32));
    ASSERT_TRUE(bounds);
    int64_t low = INT64_MAX, high = 0;
    for (int64_t n = 0; n < 48; n++) {
      int64_t value = *op == '%' ? n * 4 % by : n * 4 / by;
      low = std::min(low, value);
      high = std::max(high, value);
      EXPECT_TRUE(value >= bounds->low && value <= bounds->high &&
                  (value - bounds->low) % bounds->step == 0)
          << op << by << ": " << value;
    }
    EXPECT_EQ(low, bounds->low);
    EXPECT_LE(high, bounds->high);
  }
  EXPECT_FALSE(small.of(v("n")));
  EXPECT_FALSE(small.of(binary("-", number, i32(1), kI32)));
  EXPECT_FALSE(small.of(binary("*", element, i32(1 << 30), kI32)));
}

} // namespace nw::testing
