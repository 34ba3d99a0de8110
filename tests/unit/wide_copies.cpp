// Copies with loads of several elements: that tiles with them are right and accepted where the
// sizes allow them, and that the verifier sees when the host does not ask for what they need, or
// when loads and stores do not belong together.
#include "build.h"
#include "choices.h"
#include "frontend/affine/build_program.h"
#include "kernel/window.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/schedule.h"
#include "tiled_region.h"
#include "verify/checks/kernel_checks.h"
#include "verify/interpreter/interpreter.h"
#include <algorithm>
#include <set>

namespace nw::testing {

namespace {

ExprP plus(const ExprP &e, int64_t by) { return binary("+", e, intConst(by, e->type), e->type); }

// sum = 0; for l: sum += A[i][l + `behind`] * B[l][j]; C[i][j] = sum, as an update of C.
Region product(int64_t behind = 0) {
  Type real = typeOf(Scalar::F32);
  auto element = [&](const char *a, const ExprP &x, const ExprP &y) {
    return index(index(var(a, real), x, real), y, real);
  };
  ExprP c = element("C", v("i"), v("j")), l = behind ? plus(v("l"), behind) : v("l");
  StmtP update = assign(
      c, binary("+", c, binary("*", element("A", v("i"), l), element("B", v("l"), v("j")), real),
                real));
  Region r = regionOf({loop("i", i32(0), v("m"),
                            {loop("j", i32(0), v("n"), {loop("l", i32(0), v("k"), {update})})})},
                      {scalar("m"), scalar("n"), scalar("k"), scalar("i"), scalar("j"), scalar("l"),
                       pointer("A", real, {behind ? plus(v("k"), behind) : v("k")}),
                       pointer("B", real, {v("n")}), pointer("C", real, {v("n")})});
  for (const char *name : {"i", "j", "l"})
    r.variables[name].storage = Storage::Local;
  return r;
}

TilePlan wideTiles() {
  TilePlan t;
  t.grid = {"j", "i"};
  t.block = {4, 2};
  t.threadTile = {4, 4};
  t.contiguous = {4, 1};
  t.strip = "l";
  t.stripLength = 8;
  t.stages = 2;
  t.prefetch = 1;
  t.tail = Tail::Exact;
  t.vectorBytes = 16;
  t.staged = {{"A", 4}, {"B", 0}};
  return t;
}

struct Wide {
  explicit Wide(const TilePlan &tile = wideTiles(), const Region &region = product())
      : program(buildProgram(region)), device(*findDevice("h200")) {
    Dependences d = computeDependences(program);
    Schedule s = schedule(program, d, true);
    Plan plan = propose(program, s, device);
    plan.kernels[0].tiles = {tile};
    kernels = lower(program, d, s, plan, device);
  }

  bool isThere() const { return hasForm(kernels.host, KernelForm::ExactTiles); }
  HostAlternative &exact() { return *alternativeOf(kernels.host, KernelForm::ExactTiles); }
  Kernel &tiles() { return kernels.kernels.at(0); }

  std::vector<Finding> findings() const { return provedFindings(program, kernels); }

  bool finds(const std::string &what) const {
    std::vector<Finding> all = findings();
    return std::any_of(all.begin(), all.end(), [&](const Finding &f) { return f.check == what; });
  }

  Wide bent(const Change &change) const {
    Wide copy = *this;
    int many = 0;
    copy.tiles().body = rewritten(copy.tiles().body, [&](const StmtP &s) {
      StmtP made = change(s);
      many += made != s;
      return made;
    });
    EXPECT_GT(many, 0);
    return copy;
  }

  // Without the part of the host's question that mentions `text`.
  Wide without(const std::string &text) const {
    Wide copy = *this;
    std::function<ExprP(const ExprP &)> rest = [&](const ExprP &e) -> ExprP {
      if (e->kind != ExprKind::Binary || e->name != "&&")
        return print(e).find(text) != std::string::npos ? nullptr : e;
      ExprP a = rest(e->args[0]), b = rest(e->args[1]);
      return a && b ? binary("&&", a, b, e->type) : a ? a : b;
    };
    std::string before = print(copy.exact().legalIf);
    copy.exact().legalIf = rest(copy.exact().legalIf);
    EXPECT_NE(print(copy.exact().legalIf), before) << text << " is not in " << before;
    return copy;
  }

  Program program;
  DeviceSpec device;
  Kernels kernels;
};

} // namespace

TEST(WideCopies, TilesThatDivideTheSizesAreAcceptedAndRight) {
  Wide wide;
  ASSERT_TRUE(wide.isThere());
  EXPECT_EQ(textOf(wide.findings()), "");
  SampleInput input;
  RunLimits limits;
  limits.selection = {{KernelForm::ExactTiles}};
  limits.steps = 20000000;
  for (auto [m, n, k] : {std::tuple(8, 16, 8),
                         {16, 32, 24},
                         {8, 16, 0},
                         {8, 16, 12},
                         {8, 16, 4},
                         {7, 16, 8},
                         {8, 15, 8},
                         {8, 48, 16}}) {
    input.scalars = {{"m", m}, {"n", n}, {"k", k}};
    RunResult original = runOriginal(wide.program.region, input, limits),
              kernels = runKernels(wide.program, wide.kernels, input, limits);
    EXPECT_TRUE(kernels.findings.empty()) << m << " " << n << " " << k;
    EXPECT_TRUE(compareRuns(wide.program.region, original, kernels).empty())
        << m << " " << n << " " << k;
    Wide empty = wide; // what it computes is missing where it was launched
    empty.tiles().body = block({});
    bool isWide = !compareRuns(wide.program.region, original,
                               runKernels(empty.program, empty.kernels, input, limits))
                       .empty();
    EXPECT_EQ(isWide, m % 8 == 0 && n % 16 == 0 && k % 8 == 0 && k > 0)
        << m << " " << n << " " << k;
  }
}

TEST(WideCopies, TheHostMustAskForWhatTheyNeed) {
  Wide wide;
  ASSERT_TRUE(wide.isThere());
  EXPECT_TRUE(wide.without("% 16)").finds("cover") ||
              wide.without("% 16)").finds("bounds")); // columns in tiles
  EXPECT_TRUE(wide.without("k % 8").finds("cover"));  // strips
  EXPECT_FALSE(wide.without("k % 8").finds("bounds"));
  EXPECT_TRUE(wide.without("k % 8").without("k >= 8").finds(
      "bounds")); // a first strip, which is loaded without asking
  Wide shifted = wide;
  shifted.exact().aligned.clear();
  shifted.exact().aligned.push_back({0, 8});
  EXPECT_TRUE(shifted.finds("windows"));
}

TEST(WideCopies, LoadsThatBeginElsewhereAreSeen) {
  Wide bent = Wide().bent([](const StmtP &s) {
    if (!writes(s, "A_tile_next"))
      return s;
    return moving(s, s->exprs[0], rewrite(s->exprs[1], [](const ExprP &e) {
                    return e->kind == ExprKind::Var && e->name == "A_tile_1" ? plus(e, 1) : e;
                  }));
  });
  EXPECT_FALSE(bent.findings().empty());
}

TEST(WideCopies, LoadsAndStoresThatDoNotBelongTogetherAreSeen) {
  Wide wide;
  auto bent = [&](const std::string &target, const std::function<void(Stmt &)> &change) {
    return wide
        .bent([&](const StmtP &s) {
          if (!writes(s, target))
            return s;
          auto copy = std::make_shared<Stmt>(*s);
          change(*copy);
          return StmtP(copy);
        })
        .findings()
        .size();
  };
  // threads have other elements, neighbours are left out, rows are taken for one another
  EXPECT_GT(bent("B_tile", [](Stmt &s) { s.copy.unit = 2; }), 0u);
  EXPECT_GT(bent("B_tile", [](Stmt &s) { s.copy.unit = 1; }), 0u);
  EXPECT_GT(bent("B_tile", [](Stmt &s) { std::swap(s.copy.threads[0], s.copy.threads[1]); }), 0u);
  EXPECT_GT(bent("B_tile", [](Stmt &s) { s.extents[0]--; }), 0u);
  EXPECT_GT(bent("B_tile", [](Stmt &s) { s.extents[1] -= 4; }), 0u);
  EXPECT_GT(bent("B_tile", [](Stmt &s) { std::swap(s.copy.counters[0], s.copy.counters[1]); }), 0u);
  EXPECT_GT(bent("B_tile_next", [](Stmt &s) { s.extents[1] -= 4; }), 0u);
  EXPECT_GT(bent("B_tile_next", [](Stmt &s) { s.extents[1] += 2; }), 0u);
  EXPECT_GT(bent("B_tile_next", [](Stmt &s) { s.copy.width = 2; }), 0u);
  EXPECT_EQ(bent("B_tile_next", [](Stmt &s) { s.copy.width = 1; }), 0u); // only slower
}

TEST(WideCopies, ElementsThatDoNotLieAtMultiplesAreLoadedOneByOne) {
  Wide wide(wideTiles(), product(1)); // A[i][l + 1]
  ASSERT_TRUE(wide.isThere());        // B still is
  std::set<std::string> arrays;
  walkStmts(wide.tiles().body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Copy && s->copy.width > 1 && bool(baseOf(s->exprs[1])))
      arrays.insert(baseOf(s->exprs[1])->name);
  });
  EXPECT_EQ(arrays, std::set<std::string>{"B"});
  EXPECT_EQ(textOf(wide.findings()), "");
}

} // namespace nw::testing
