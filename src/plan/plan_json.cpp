// Plans as JSON.
#include "plan/plan.h"
#include "support/diagnostics.h"
#include <nlohmann/json.hpp>

namespace nw {

using nlohmann::ordered_json;

static const char *nameOf(LaunchForm f) { return f == LaunchForm::Plain ? "plain" : "resident"; }

std::string toJson(const std::vector<Plan> &plans) {
  ordered_json all = ordered_json::array();
  for (const Plan &p : plans) {
    ordered_json one;
    one["function"] = p.function;
    one["region"] = p.region;
    one["schedule"] = p.schedule;
    one["kernels"] = ordered_json::array();
    for (const KernelPlan &k : p.kernels)
      one["kernels"].push_back({{"name", k.name}, {"kind", k.kind}, {"statements", k.statements}, {"grid", k.grid}, {"block", k.block}, {"why", k.why}});
    one["loops"] = ordered_json::array();
    for (const LoopPlan &l : p.loops)
      one["loops"].push_back({{"loop", l.loop}, {"form", nameOf(l.form)}, {"why", l.why}});
    one["expanded"] = p.expanded;
    one["reductionBlocks"] = p.reductionBlocks;
    all.push_back(one);
  }
  return all.dump(2) + "\n";
}

std::vector<Plan> fromJson(const std::string &text) {
  try {
    std::vector<Plan> plans;
    for (const ordered_json &one : ordered_json::parse(text)) {
      Plan p;
      p.function = one.at("function");
      p.region = one.at("region");
      p.schedule = one.at("schedule");
      for (const ordered_json &k : one.at("kernels"))
        p.kernels.push_back({k.at("name"), k.at("statements"), k.at("grid"), k.at("block"), k.value("why", ""), k.value("kind", "parallel")});
      for (const ordered_json &l : one.at("loops")) {
        std::string form = l.at("form");
        if (form != "plain" && form != "resident")
          throw UserError{"in the plan: unknown launch form '" + form + "'; expected plain or resident"};
        p.loops.push_back({l.at("loop"), form == "plain" ? LaunchForm::Plain : LaunchForm::Resident, l.value("why", "")});
      }
      p.expanded = one.value("expanded", std::vector<std::string>{});
      p.reductionBlocks = one.value("reductionBlocks", 256);
      plans.push_back(p);
    }
    return plans;
  } catch (const nlohmann::json::exception &e) {
    throw UserError{std::string("the plan is not valid: ") + e.what()};
  }
}

} // namespace nw
