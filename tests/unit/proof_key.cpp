// Proofs that kernels share: the same but for names is the same, anything else is not. And bounds
// of small numbers, which the proof of what copies touch rests on.
#include "verify/checks/proof_key.h"
#include "../mutation/bend_tree.h"
#include "build.h"
#include "product.h"
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

} // namespace nw::testing
