// Hints carried out.
#include "driver/share_regions.h"
#include "estimate/region_estimate.h"
#include "ir/flat_subscript.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "plan/share_plan.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "verify/verify.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

constexpr int64_t kAssumed =
    4096; // of sizes, for the prediction; what the paper's decisions assume as well
constexpr double kSure =
    1.3; // times as fast as the proposed plan: for the one hint that was predicted to gain and
         // measured (hotspot on the H200), 1.26 was predicted and 0.96 came out

class Hinted {
public:
  Hinted(const CompiledRegion &proposed, const DeviceSpec &device, bool obeys)
      : proposed(proposed), device(device), obeys(obeys) {}

  HintedRegion run(const openacc::ShareHint &hint) {
    std::vector<share::Seed> seeds;
    for (const openacc::ShareSection &s : hint.sections)
      if (auto found = proposed.program.arrays.find(s.array);
          found != proposed.program.arrays.end() &&
          (isDelinearized(found->second) || !found->second.flatSizes.empty()))
        out.undone.push_back(fmt::format("the subscripts of {} combine row and column, so a length "
                                         "says nothing about either; declare it as {}[][n]",
                                         s.array, s.array));
      else
        seeds.push_back({s.array, s.lengths, s.coalesce});
    if (seeds.empty())
      return std::move(out);
    share::SharedPlan made = share::sharedPlan(proposed.program, proposed.dependences,
                                               proposed.schedule, proposed.plan, seeds, device);
    out.lines = made.lines;
    out.undone.insert(out.undone.end(), made.undone.begin(), made.undone.end());
    if (made.plan)
      carryOut(made);
    return std::move(out);
  }

private:
  void carryOut(const share::SharedPlan &made) {
    std::string why = "no tiling of its steps keeps these arrays in shared memory";
    share::FactorChoice choice = share::chooseFactor(
        made.block, device, {}, [&](const share::Factor &f) -> std::optional<double> {
          std::optional<CompiledRegion> r = lowered(share::withFactor(made, f), why);
          return r ? std::optional(seconds(*r) * 1e6) : std::nullopt;
        });
    std::optional<CompiledRegion> r = lowered(share::withFactor(made, choice.factor), why);
    if (!r) {
      out.undone.push_back(why);
      return;
    }
    out.lines.push_back(fmt::format("{} us, with all sizes {}", choice.why, kAssumed));
    double own = seconds(*r), other = seconds(proposed);
    for (auto &[n, arrays] : made.arrays)
      for (const std::string &array : arrays)
        if (!isStaged(*r, array))
          out.undone.push_back(fmt::format(
              "{}: {} is not in shared memory: what the threads of a block touch is not a box",
              proposed.plan.kernels[n].name, array));
    if (!obeys && own * kSure >= other) {
      out.lines.push_back(fmt::format(
          "the plan without the hint is kept: {:.4g} us predicted, {:.4g} us with the hint's "
          "tiles, which is not {} times as fast (--share=obey takes the tiles anyway)",
          other * 1e6, own * 1e6, kSure));
      return;
    }
    isl_ctx_reset_operations(r->program.isl->get().get());
    try {
      if (std::vector<Finding> findings = verifyKernels(r->program, r->kernels, device);
          !findings.empty()) {
        out.undone.push_back(fmt::format("the verifier rejects its tiles (check '{}': {}), "
                                         "which is a bug of nestwarp: please report it",
                                         findings[0].check, findings[0].what));
        return;
      }
      out.lines.push_back(
          fmt::format("the hint's tiles are taken: {:.4g} us predicted, {:.4g} us without the hint",
                      own * 1e6, other * 1e6));
      out.region = std::move(r);
    } catch (const isl::exception &) {
      out.undone.push_back("verifying its tiles takes more isl operations than one nest may use");
    }
  }

  std::optional<CompiledRegion> lowered(const Plan &plan, std::string &why) const {
    isl_ctx_reset_operations(proposed.program.isl->get().get());
    try {
      CompiledRegion r = proposed;
      r.plan = adopt(proposed.plan, proposed.facts, plan, device);
      r.kernels = lower(r.program, r.dependences, r.schedule, r.plan, device);
      bool hasTiles = std::any_of(r.kernels.kernels.begin(), r.kernels.kernels.end(),
                                  [](const Kernel &k) { return k.isTiled(); });
      return hasTiles ? std::optional(r) : std::nullopt;
    } catch (const UserError &e) {
      why = e.message;
    } catch (const Diagnostic &d) {
      why = d.message;
    } catch (const InternalError &e) {
      why = e.message;
    } catch (const isl::exception &) {
      why = "it takes more isl operations than one nest may use";
    }
    return std::nullopt;
  }

  double seconds(const CompiledRegion &r) const {
    std::map<std::string, int64_t> sizes;
    for (const Parameter &q : r.program.parameters)
      sizes[q.name] = kAssumed;
    std::vector<std::string> assumed;
    ResourcesOf resources = [&](const Kernel &k) {
      return modelledResources(r.program, k, device);
    };
    return estimateRegion(r.program, r.kernels, completeSizes(r.program, r.kernels, sizes, assumed),
                          device, resources)
        .seconds;
  }

  // Whether a tile of some kernel has a copy of it.
  // Whether a kernel has a copy of it: A_tile, or nw_A_tile where that is taken.
  static bool isStaged(const CompiledRegion &r, const std::string &array) {
    bool is = false;
    for (const Kernel &k : r.kernels.kernels)
      walkStmts(k.body, [&](const StmtP &s) {
        std::string_view name = s->name;
        while (name.starts_with("nw_") && !name.starts_with(array))
          name.remove_prefix(3);
        is |= s->kind == StmtKind::Shared && name.starts_with(array + "_tile") &&
              name.find_first_not_of("0123456789", array.size() + 5) == name.npos;
      });
    return is;
  }

  const CompiledRegion &proposed;
  const DeviceSpec &device;
  bool obeys;
  HintedRegion out;
};

} // namespace

HintedRegion withHint(const CompiledRegion &proposed, const openacc::ShareHint &hint,
                      const DeviceSpec &device, bool obeys) {
  return Hinted(proposed, device, obeys).run(hint);
}

} // namespace nw
