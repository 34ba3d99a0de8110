// The explanation as JSON. Keys are part of the interface: docs/explain.md lists them.
#include "device/device_json.h"
#include "report/explanation.h"
#include <cmath>
#include <nlohmann/json.hpp>

namespace nw {

namespace {

using Json = nlohmann::ordered_json;

// Six digits are more than any of these numbers has.
Json rounded(double x) {
  if (x == 0 || !std::isfinite(x))
    return 0.0;
  double scale = std::pow(10.0, 5 - std::floor(std::log10(std::fabs(x))));
  return std::round(x * scale) / scale;
}

Json mixJson(const InstructionMix &m) {
  return {{"fma", rounded(m.fma)},
          {"add", rounded(m.add)},
          {"multiply", rounded(m.multiply)},
          {"fp64", rounded(m.fp64)},
          {"special", rounded(m.special)},
          {"integer", rounded(m.integer)},
          {"loadGlobal", rounded(m.loadGlobal)},
          {"storeGlobal", rounded(m.storeGlobal)},
          {"loadShared", rounded(m.loadShared)},
          {"storeShared", rounded(m.storeShared)},
          {"branch", rounded(m.branch)},
          {"barrier", rounded(m.barrier)},
          {"total", rounded(m.total())}};
}

Json referenceJson(const ExplainedReference &r) {
  Json j = {{"text", r.text},
            {"line", r.line},
            {"access", r.isWrite ? "store" : "load"},
            {"pattern", r.pattern}};
  j["stride"] = r.stride ? rounded(*r.stride) : Json();
  j["warpAccesses"] = rounded(r.accesses);
  j["transactionsPerAccess"] = rounded(r.transactions);
  j["idealPerAccess"] = rounded(r.ideal);
  j["bytesAsked"] = rounded(r.bytesAsked);
  j["bytesFromSecondLevel"] = rounded(r.bytesFromSecond);
  j["bytesFromMemory"] = rounded(r.bytesFromMemory);
  return j;
}

Json patternJson(const AccessPattern &p) {
  const AccessMatrix &access = p.reference.access;
  Json j = {{"statement", p.reference.statement},
            {"access", p.reference.isWrite ? "store" : "load"},
            {"columns", columnNames(p)}};
  j["matrix"] = Json::array();
  j["offset"] = Json::array();
  for (size_t r = 0; r < access.rows.size(); r++) {
    Json row = Json::array();
    for (const Coefficient &c : access.rows[r])
      row.push_back(c.isRandom ? Json("Z") : Json(c.value));
    j["matrix"].push_back(row);
    j["offset"].push_back(textOf(access.offset[r]));
  }
  j["interThread"] = nameOf(p.interThread);
  j["intraThread"] = nameOf(p.intraThread);
  j["coalesced"] = p.isCoalesced;
  j["sameAddress"] = p.isSameAddress;
  j["prefetchCandidate"] = p.isPrefetchCandidate;
  return j;
}

Json occupancyJson(const Occupancy &o) {
  return {{"blocks", o.blocks},
          {"warps", o.warps},
          {"threads", o.threads},
          {"share", rounded(o.share)},
          {"limiter", nameOf(o.limiter)}};
}

Json alternativesJson(const std::vector<Alternative> &all, double seconds) {
  Json list = Json::array();
  for (const Alternative &a : all)
    list.push_back({{"what", a.what},
                    {"seconds", rounded(a.seconds)},
                    {"ratio", rounded(seconds > 0 ? a.seconds / seconds : 0)}});
  return list;
}

Json limitsJson(const LaunchEstimate &e) {
  Json list = Json::array();
  for (const Limit &x : e.limits)
    if (x.seconds > 0)
      list.push_back({{"name", nameOf(x.bound)}, {"seconds", rounded(x.seconds)}});
  return list;
}

Json kernelJson(const ExplainedKernel &k, double ofRegion, const DeviceSpec &device) {
  const EstimatedLaunch &l = k.estimated.largest;
  const LaunchEstimate &e = l.estimate;
  Json j = {{"name", k.name},
            {"summary", k.summary},
            {"why", k.why},
            {"launches", rounded(k.estimated.launches)},
            {"seconds", rounded(k.estimated.seconds)}};
  j["shareOfRegion"] = rounded(ofRegion > 0 ? k.estimated.seconds / ofRegion : 0);
  j["launchSeconds"] = rounded(k.estimated.launching);
  j["largestLaunchSeconds"] = rounded(e.seconds);
  j["block"] = {l.shape.block[0], l.shape.block[1], l.shape.block[2]};
  j["grid"] = {l.shape.grid[0], l.shape.grid[1], l.shape.grid[2]};
  j["forms"] = Json::array();
  for (const ExplainedForm &f : k.forms)
    j["forms"].push_back({{"kernel", f.kernel}, {"when", f.when}, {"isTaken", f.isTaken}});
  j["loops"] = Json::array();
  for (const ExplainedLoop &x : k.loops)
    j["loops"].push_back({{"loop", x.loop},
                          {"mapping", x.mapping},
                          {"line", x.line},
                          {"iterations", rounded(x.iterations)},
                          {"bounds", x.bounds}});
  j["registers"] = k.resources.registers;
  j["registersFrom"] = k.resources.isMeasured ? "compiler" : "model";
  j["spilledBytes"] = k.resources.spilledBytes;
  j["sharedBytes"] = l.work.block.sharedBytes;
  j["occupancy"] = occupancyJson(e.occupancy);
  double threads = std::max(l.shape.blocks() * l.shape.threads(), 1.0);
  j["instructionsPerThread"] = mixJson(l.work.mix.scaled(device.warp / threads));
  if (l.innerLoop) {
    const InnerLoop &inner = *l.innerLoop;
    j["innerLoop"] = {{"loop", inner.counter},
                      {"tree", mixJson(inner.tree)},
                      {"ptx", inner.compiler ? mixJson(*inner.compiler) : Json()},
                      {"unrolled", inner.unrolled}};
  }
  j["potentialGflops"] = rounded(e.potentialGflops);
  j["bandwidthDemand"] = rounded(e.demandGigabytes);
  j["bytesInFlight"] = rounded(e.bytesInFlight);
  j["bytesNeededInFlight"] = rounded(e.bytesNeeded);
  j["secondLevelBytes"] = rounded(l.work.secondBytes);
  j["memoryBytes"] = rounded(l.work.memoryBytes);
  j["blockBarriers"] = rounded(l.work.blockBarriers);
  j["gridBarriers"] = rounded(l.work.gridBarriers);
  j["bottleneck"] = k.estimated.bottleneck();
  j["limits"] = limitsJson(e);
  j["phases"] = Json::array();
  for (const LaunchEstimate &p : l.phases)
    j["phases"].push_back(
        {{"seconds", rounded(p.seconds)}, {"bottleneck", p.bottleneck}, {"limits", limitsJson(p)}});
  j["arrays"] = Json::array();
  for (const ExplainedArray &a : k.arrays) {
    Json references = Json::array();
    for (const ExplainedReference &r : a.references)
      references.push_back(referenceJson(r));
    Json patterns = Json::array();
    for (const AccessPattern &p : a.patterns)
      patterns.push_back(patternJson(p));
    j["arrays"].push_back({{"name", a.name},
                           {"memory", a.memory},
                           {"why", a.why},
                           {"references", references},
                           {"patterns", patterns}});
  }
  j["totals"] = Json::array();
  for (auto &[key, t] : k.estimated.totals)
    j["totals"].push_back({{"array", key.first},
                           {"access", key.second ? "store" : "load"},
                           {"warpAccesses", rounded(t.accesses)},
                           {"transactions", rounded(t.transactions)},
                           {"ideal", rounded(t.ideal)}});
  j["alternatives"] = alternativesJson(k.alternatives, k.estimated.seconds);
  j["obstacles"] = k.obstacles;
  return j;
}

Json regionJson(const ExplainedRegion &r, const DeviceSpec &device) {
  Json j = {{"function", r.function},
            {"region", r.number},
            {"line", r.line},
            {"sizes", r.sizes},
            {"assumed", r.assumed}};
  if (!r.share.empty())
    j["share"] = r.share;
  if (!r.steps.empty())
    j["steps"] = r.steps;
  const EstimatedRegion &e = r.estimated;
  j["seconds"] = rounded(e.seconds);
  j["transferSeconds"] = {{"pinned", rounded(e.transferPinned)},
                          {"pageable", rounded(e.transferPageable)}};
  j["toDeviceBytes"] = rounded(e.toDevice);
  j["fromDeviceBytes"] = rounded(e.fromDevice);
  j["touchedBytes"] = rounded(e.touchedBytes);
  j["fitsSecondLevelCache"] = e.isWarm;
  j["forms"] = e.forms;
  j["notes"] = e.notes;
  j["kernels"] = Json::array();
  for (const ExplainedKernel &k : r.kernels)
    j["kernels"].push_back(kernelJson(k, e.seconds, device));
  j["alternatives"] = alternativesJson(r.alternatives, e.seconds);
  return j;
}

} // namespace

std::string toJson(const Explanation &x) {
  Json j = {{"version", 1},
            {"file", x.file},
            {"device", x.device.name},
            {"registersFrom", x.compiler.empty() ? "model" : x.compiler}};
  double total = 0;
  for (const ExplainedRegion &r : x.regions)
    total += r.estimated.seconds;
  j["seconds"] = rounded(total);
  j["regions"] = Json::array();
  for (const ExplainedRegion &r : x.regions)
    j["regions"].push_back(regionJson(r, x.device));
  j["host"] = Json::array();
  for (const Diagnostic &d : x.host)
    j["host"].push_back(
        {{"code", d.code}, {"line", d.at.line}, {"reason", d.message}, {"help", d.help}});
  return j.dump(2) + "\n";
}

} // namespace nw
