// Following the host.
#include "estimate/region_estimate.h"
#include "estimate/resident_rule.h"
#include "ir/evaluate.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

static constexpr int64_t kAssumedSize = 1024;

std::map<std::string, int64_t> completeSizes(const Program &program, const Kernels &kernels,
                                             const std::map<std::string, int64_t> &given,
                                             std::vector<std::string> &assumed) {
  std::map<std::string, int64_t> values = given;
  auto need = [&](const std::string &name) {
    if (values.count(name))
      return;
    values[name] = kAssumedSize;
    assumed.push_back(fmt::format("{} = {}", name, kAssumedSize));
  };
  for (const Parameter &s : kernels.scalars)
    if (auto v = program.region.variables.find(s.name);
        v != program.region.variables.end() && v->second.type.isInteger())
      need(s.name);
  for (const Parameter &s : kernels.scalars)
    if (!values.count(s.name) && s.type.isInteger()) {
      std::optional<int64_t> v = evaluate(s.value, values);
      if (v)
        values[s.name] = *v;
      else
        need(s.name);
    }
  for (const Parameter &q : program.parameters)
    if (!values.count(q.name))
      values[q.name] = evaluate(q.value, values).value_or(kAssumedSize);
  return values;
}

LaunchShape shapeOf(const HostStep &launch, const Kernel &kernel,
                    const std::map<std::string, int64_t> &values) {
  LaunchShape shape;
  shape.block = kernel.block;
  for (size_t d = 0; d < 3; d++) {
    int64_t wanted = launch.threads[d] ? evaluate(launch.threads[d], values).value_or(1) : 1;
    shape.grid[d] = std::max<int64_t>(1, (wanted + kernel.block[d] - 1) / kernel.block[d]);
    if (launch.limit[d])
      shape.grid[d] = std::min<int64_t>(shape.grid[d], launch.limit[d]);
  }
  return shape;
}

std::optional<LaunchShape> residentShape(const HostStep &launch, const Kernel &kernel,
                                         const KernelResources &resources, const DeviceSpec &device,
                                         const std::map<std::string, int64_t> &values,
                                         bool anyway) {
  LaunchShape shape;
  shape.block = kernel.block;
  int64_t inBlock = shape.threads(), wanted = 1, threads[2];
  for (size_t d = 0; d < 2; d++) {
    threads[d] = std::max<int64_t>(1, evaluate(launch.threads[d], values).value_or(1));
    wanted *= threads[d];
  }
  if (wanted <= inBlock * roundsInABlock(inBlock))
    return shape;
  if (device.gridBarrierMicroseconds <= 0)
    return anyway ? std::optional(shape) : std::nullopt;
  int64_t resident =
      int64_t(
          occupancyOf({int(inBlock), resources.registers, resources.sharedBytes}, device).blocks) *
      device.multiprocessors;
  if (resident < 2 || (!anyway && wanted > resident * inBlock * kRoundsInAGrid))
    return std::nullopt;
  shape.grid[0] =
      std::min(std::max<int64_t>((threads[0] + shape.block[0] - 1) / shape.block[0], 1), resident);
  shape.grid[1] = std::min(std::max<int64_t>((threads[1] + shape.block[1] - 1) / shape.block[1], 1),
                           std::max<int64_t>(resident / shape.grid[0], 1));
  return shape;
}

namespace {

class Follower {
public:
  Follower(const Program &p, const Kernels &k, const std::map<std::string, int64_t> &sizes,
           const DeviceSpec &device, const ResourcesOf &resources, const RegionOptions &options)
      : program(p), kernels(k), device(device), resourcesOf(resources), options(options),
        values(sizes) {}

  EstimatedRegion run() {
    if (kernels.assumptions && evaluate(kernels.assumptions, values).value_or(1) == 0)
      out.notes.push_back("the region's assumptions do not hold at these sizes: the original loops "
                          "would run instead");
    buffers();
    step(kernels.host, 1);
    for (const EstimatedKernel &k : out.kernels)
      out.seconds += k.seconds;
    if (!out.kernels.empty()) // until the host knows that they have ended, as it does of a copy
      out.seconds += device.transferMicroseconds * 1e-6;
    return std::move(out);
  }

private:
  void buffers() {
    int copies = 0;
    for (const Buffer &b : kernels.buffers) {
      if (b.touched && evaluate(b.touched, values).value_or(1) == 0)
        continue;
      double bytes = double(std::max<int64_t>(0, evaluate(b.high, values).value_or(0) -
                                                     evaluate(b.low, values).value_or(0))) *
                     double(b.elementBytes);
      out.touchedBytes += bytes;
      out.toDevice += b.copyIn ? bytes : 0;
      out.fromDevice += b.copyOut ? bytes : 0;
      copies += b.copyIn + b.copyOut;
    }
    out.isWarm = device.l2Bytes > 0 && out.touchedBytes <= double(device.l2Bytes);
    out.transferPinned = transferSeconds(out.toDevice, out.fromDevice, copies, device, true);
    out.transferPageable = transferSeconds(out.toDevice, out.fromDevice, copies, device, false);
  }

  bool holds(const ExprP &condition) const {
    return !condition || evaluate(condition, values).value_or(0) != 0;
  }

  void step(const HostStep &s, double weight) {
    switch (s.kind) {
    case HostKind::Sequence:
      for (const HostStep &c : s.children)
        step(c, weight);
      return;
    case HostKind::Loop:
      loop(s.loop, s.children[0], weight);
      return;
    case HostKind::Launch:
      if (!s.condition || evaluate(s.condition, values).value_or(1) != 0)
        launch(s.kernel, shapeOf(s, kernels.kernels[size_t(s.kernel)], values), weight);
      return;
    case HostKind::Choice:
      for (const HostAlternative &a : s.alternatives)
        if (isTaken(a, weight))
          return;
      step(fallbackOf(s), weight);
      return;
    }
  }

  // Follows the alternative if the host takes it. Arrays begin where they are allocated, so that
  // they are aligned.
  bool isTaken(const HostAlternative &a, double weight) {
    if (!holds(a.legalIf) || !holds(a.profitableIf))
      return false;
    if (a.runtimeDecides)
      return isResident(a.body, weight);
    step(a.body, weight);
    return true;
  }

  bool isResident(const HostStep &s, double weight) {
    const Kernel &k = kernels.kernels[size_t(s.kernel)];
    std::optional<LaunchShape> shape =
        residentShape(s, k, resourcesOf(k), device, values, options.form == FormWanted::Resident);
    if (options.form == FormWanted::Plain || !shape) {
      out.forms.push_back("plain");
      return false;
    }
    out.forms.push_back(
        fmt::format("resident, {:.0f} block{}", shape->blocks(), shape->blocks() == 1 ? "" : "s"));
    launch(s.kernel, *shape, weight);
    return true;
  }

  // The skeleton of a loop, with the step where its body is empty.
  void loop(const StmtP &skeleton, const HostStep &body, double weight) {
    switch (skeleton->kind) {
    case StmtKind::For: {
      const Loop &l = skeleton->loop;
      int64_t start = evaluate(l.start, values).value_or(0);
      auto outer = values;
      auto holds = [&](int64_t k) {
        values[l.counter] = start + k * l.step;
        return evaluate(l.condition, values).value_or(0) != 0;
      };
      int64_t trips = 0;
      if (holds(0)) {
        int64_t low = 0, high = 1;
        while (high < (int64_t(1) << 40) && holds(high))
          low = high, high *= 2;
        while (high - low > 1) {
          int64_t middle = low + (high - low) / 2;
          (holds(middle) ? low : high) = middle;
        }
        trips = low + 1;
      }
      for (auto [k, share] : sampled(trips, options.hostSamples)) {
        values[l.counter] = start + k * l.step;
        loop(skeleton->body[0], body, weight * share);
      }
      values = outer;
      return;
    }
    case StmtKind::If:
      if (evaluate(skeleton->exprs[0], values).value_or(1) != 0)
        loop(skeleton->body[0], body, weight);
      else if (skeleton->body.size() > 1)
        loop(skeleton->body[1], body, weight);
      return;
    case StmtKind::Declare:
      if (!skeleton->exprs.empty())
        values[skeleton->name] = evaluate(skeleton->exprs[0], values).value_or(0);
      return;
    default:
      if (skeleton->body.empty())
        step(body, weight);
      for (const StmtP &b : skeleton->body)
        loop(b, body, weight);
    }
  }

  void launch(int number, const LaunchShape &shape, double weight) {
    const Kernel &k = kernels.kernels[size_t(number)];
    auto known = std::find_if(out.kernels.begin(), out.kernels.end(),
                              [&](const EstimatedKernel &e) { return e.kernel == number; });
    if (known == out.kernels.end()) {
      EstimatedKernel fresh;
      fresh.kernel = number;
      fresh.resources = resourcesOf(k);
      known = out.kernels.insert(out.kernels.end(), fresh);
    }
    LaunchOptions how{options.walk, out.isWarm};
    EstimatedLaunch one =
        options.memory
            ? options.memory->estimate(program, kernels, k, values, shape, known->resources, device,
                                       how)
            : estimateLaunch(program, kernels, k, values, shape, known->resources, device, how);
    double seconds = inARow(one.estimate.seconds, device);
    if (out.kernels.size() == 1 &&
        known->launches == 0) // nothing runs yet that the host's part could hide behind
      seconds += device.launchMicroseconds * 1e-6;
    known->launches += weight;
    known->seconds += weight * seconds;
    known->launching += weight * (seconds - one.estimate.seconds);
    for (const Reference &r : one.walk.references) {
      AccessTotal &t = known->totals[{r.array, r.isWrite}];
      t.accesses += weight * r.accesses;
      t.transactions += weight * (r.buffer < 0 ? r.turns : r.transactions);
      t.ideal += weight * (r.buffer < 0 ? r.idealTurns : r.ideal);
    }
    for (const std::string &note : one.walk.assumed)
      if (std::find(out.notes.begin(), out.notes.end(), note) == out.notes.end())
        out.notes.push_back(note);
    if (known->largest.estimate.seconds <= one.estimate.seconds)
      known->largest = std::move(one);
  }

  const Program &program;
  const Kernels &kernels;
  const DeviceSpec &device;
  const ResourcesOf &resourcesOf;
  const RegionOptions &options;
  std::map<std::string, int64_t> values;
  EstimatedRegion out;
};

} // namespace

EstimatedRegion estimateRegion(const Program &program, const Kernels &kernels,
                               const std::map<std::string, int64_t> &sizes,
                               const DeviceSpec &device, const ResourcesOf &resources,
                               const RegionOptions &options) {
  return Follower(program, kernels, sizes, device, resources, options).run();
}

} // namespace nw
