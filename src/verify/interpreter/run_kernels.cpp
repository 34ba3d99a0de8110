// Kernels and the host steps around them, run on an interpreted device. What the host does is what
// emit/host_text.cpp prints; buffers are memory of their own, whose elements are set by copies and
// by kernels only.
// Over 500 lines: one class; the host and its launches share the state of the run.
#include "kernel/expand.h"
#include "kernel/reduction_steps.h"
#include "support/diagnostics.h"
#include "verify/interpreter/execute.h"
#include "verify/interpreter/field.h"
#include "verify/interpreter/translate.h"
#include <fmt/format.h>

namespace nw {

namespace {

// A kernel in compact code, and what its launch needs.
struct KernelCode {
  const Kernel *kernel = nullptr;
  Code code;
  std::vector<int32_t> slots;  // by parameter: the slot of a value or the number of an array
  std::vector<int32_t> shared; // numbers of shared arrays
  int32_t body = -1;
  std::array<int, 3> block = {1, 1, 1}; // as it is launched
  bool isCut = false;                   // smaller than planned
  bool hasGridBarrier = false;
  std::string fault; // the kernel cannot be run at all
};

// A buffer while the region runs.
struct BufferState {
  PagedArray memory;
  std::unique_ptr<InputData> data;
  int64_t unit = 1;          // slots of one element of the buffer
  int64_t low = 0, high = 0; // elements
};

class KernelRun {
public:
  KernelRun(const Program &program, const Kernels &kernels, const SampleInput &input,
            const RunLimits &limits)
      : program(program), kernels(kernels), input(input), limits(limits),
        translator(program.region, input.arithmetic, hostCode),
        host(hostCode, input.arithmetic, result.steps, limits.steps, &log) {}

  RunResult run() {
    try {
      if (enter()) {
        translateKernels();
        step(kernels.host);
        if (!limits.countOnly)
          leave();
      }
    } catch (const InternalError &e) {
      log.all.push_back({"names", e.message});
    } catch (const Exhausted &) {
      result.kind = RunResult::Kind::TooLong;
    } catch (const Enough &) {
    }
    result.findings = log.all;
    return std::move(result);
  }

private:
  // ---- the host ----

  // Expressions that are evaluated again and again are translated once for each scope they stand
  // in.
  Word hostValue(const ExprP &e, Scalar type) {
    auto [known, isNew] = nodes.try_emplace(
        std::make_tuple(static_cast<const void *>(e.get()), scope, int(type)), -1);
    if (isNew) {
      known->second = translator.converted(e, type);
      growFrame();
    }
    return host.eval(known->second);
  }

  void growFrame() {
    size_t size = size_t(hostCode.frameSize) + 1;
    if (frame.size() < size) {
      frame.resize(2 * size);
      isSet.resize(2 * size, 0);
    }
    hostThread.frame = frame.data();
    hostThread.isSet = isSet.data();
    host.use(hostThread);
  }

  int32_t bindHost(const std::string &name, const Type &type) {
    int32_t slot = translator.bindFrame(name, type);
    growFrame();
    return slot;
  }

  // A variable of the loop skeleton: the same slot whenever the loop is run again.
  int32_t bindAgain(const StmtP &s, const std::string &name, const Type &type) {
    auto key = std::make_tuple(static_cast<const void *>(s.get()), scope, -1);
    if (auto known = nodes.find(key); known != nodes.end())
      translator.rebindFrame(name, type, known->second);
    else
      nodes[key] = bindHost(name, type);
    int32_t slot = nodes[key];
    scope = field::mixed(scope, uint64_t(reinterpret_cast<uintptr_t>(s.get())));
    return slot;
  }

  void setHost(int32_t slot, Word value) {
    frame[size_t(slot)] = value;
    isSet[size_t(slot)] = 1;
  }

  bool enter() {
    for (const Parameter &s : kernels.scalars) {
      auto v = program.region.variables.find(s.name);
      if (v != program.region.variables.end()) {
        InputData data(program.region, input, s.name, v->second.type);
        int32_t slot = bindHost(s.name, v->second.type);
        for (int64_t k = 0; k < data.width(); k++)
          setHost(slot + int32_t(k), data.at(k));
      } else {
        Word value = hostValue(s.value, s.type.scalar);
        setHost(bindHost(s.name, s.type), value);
      }
    }
    if (kernels.assumptions && hostValue(kernels.assumptions, Scalar::Bool).integer == 0) {
      result.kind = RunResult::Kind::Refused;
      result.why = "an assumption does not hold";
      return false;
    }
    buffers.resize(kernels.buffers.size());
    for (size_t k = 0; k < buffers.size(); k++)
      openBuffer(kernels.buffers[k], buffers[k]);
    return true;
  }

  void openBuffer(const Buffer &b, BufferState &state) {
    state.data = std::make_unique<InputData>(program.region, input,
                                             b.array.empty() ? "/" + b.name : b.array, b.element);
    int64_t bytes = sizeOf(program.region, b.element);
    state.unit = state.data->width() * (bytes ? std::max<int64_t>(b.elementBytes / bytes, 1) : 1);
    bool touched = !b.touched || hostValue(b.touched, Scalar::Bool).integer != 0;
    if (!touched)
      return;
    state.low = hostValue(b.low, Scalar::I64).integer;
    state.high = hostValue(b.high, Scalar::I64).integer;
    if (!b.array.empty() && !b.isScalar && (b.copyIn || b.copyOut) && state.low < state.high &&
        !program.region.isOnDevice)
      result.touched[b.array] = {state.low, state.high - 1};
  }

  void step(const HostStep &s) {
    result.steps++;
    if (result.steps > limits.steps)
      throw Exhausted{};
    switch (s.kind) {
    case HostKind::Sequence:
      for (const HostStep &c : s.children)
        step(c);
      return;
    case HostKind::Loop:
      loop(s.loop, s.children.at(0));
      return;
    case HostKind::Choice:
      choice(s);
      return;
    case HostKind::Launch:
      launchPlain(s);
      return;
    }
  }

  // An alternative of the selection that is legal, whatever the addresses are, else the fallback.
  void choice(const HostStep &s) {
    const HostAlternative *taken = nullptr;
    int left = limits.selection.leftOut;
    for (const HostAlternative &a : s.alternatives)
      if (limits.selection.takes(a) && (!taken || left-- > 0) &&
          (!a.legalIf || hostValue(a.legalIf, Scalar::Bool).integer != 0))
        taken = &a;
    if (!taken)
      step(fallbackOf(s));
    else if (taken->runtimeDecides)
      launchResident(taken->body);
    else
      step(taken->body);
  }

  // The loop's skeleton, with the step where its body is empty. Slots of names are reused in every
  // iteration.
  void loop(const StmtP &skeleton, const HostStep &body) {
    switch (skeleton->kind) {
    case StmtKind::For: {
      const Loop &l = skeleton->loop;
      Word start = hostValue(l.start, l.type.scalar);
      uint64_t outer = scope;
      translator.openScope();
      int32_t slot = bindAgain(skeleton, l.counter, l.type);
      setHost(slot, start);
      while (hostValue(l.condition, Scalar::Bool).integer) {
        loop(skeleton->body.at(0), body);
        if (++result.steps > limits.steps)
          throw Exhausted{};
        frame[size_t(slot)].integer = narrowed(l.type.scalar, frame[size_t(slot)].integer + l.step);
      }
      translator.closeScope();
      scope = outer;
      return;
    }
    case StmtKind::If:
      if (hostValue(skeleton->exprs.at(0), Scalar::Bool).integer)
        loop(skeleton->body.at(0), body);
      else if (skeleton->body.size() > 1)
        loop(skeleton->body[1], body);
      return;
    case StmtKind::Declare: {
      Word value = hostValue(skeleton->exprs.at(0), skeleton->type.scalar);
      setHost(bindAgain(skeleton, skeleton->name, skeleton->type), value);
      return;
    }
    default:
      if (skeleton->body.empty()) {
        step(body);
        return;
      }
      uint64_t outer = scope;
      translator.openScope();
      for (const StmtP &b : skeleton->body)
        loop(b, body);
      translator.closeScope();
      scope = outer;
    }
  }

  // ---- launches ----

  void launchPlain(const HostStep &s) {
    if (s.condition && hostValue(s.condition, Scalar::Bool).integer == 0)
      return;
    KernelCode &k = codes.at(size_t(s.kernel));
    std::array<int64_t, 3> grid, planned;
    for (size_t d = 0; d < 3; d++) {
      int64_t wanted = hostValue(s.threads[d], Scalar::I64).integer;
      grid[d] = (wanted + k.block[d] - 1) / std::max(k.block[d], 1);
      if (s.limit[d])
        grid[d] = std::min<int64_t>(grid[d], k.isCut ? std::min(s.limit[d], 2) : s.limit[d]);
      // Blocks that are cut need more of them than the device will see.
      planned[d] =
          std::min(grid[d], (wanted + k.kernel->block[d] - 1) / std::max(k.kernel->block[d], 1));
    }
    launch(k, grid, planned);
  }

  // One block, or a few blocks in each dimension that the kernel uses. A real device decides by
  // what is worthwhile (nw_resident_shape); the result must not depend on it.
  void launchResident(const HostStep &s) {
    KernelCode &k = codes.at(size_t(s.kernel));
    std::array<int64_t, 3> grid = {1, 1, 1};
    if (limits.residentShape == ResidentShape::Grid)
      grid = {k.block[1] > 1 ? 2 : 3, std::min<int64_t>(k.block[1] > 1 ? 2 : 1, limits.grid[1]), 1};
    result.usedResident = true;
    launch(k, grid, grid);
  }

  void launch(KernelCode &k, const std::array<int64_t, 3> &grid,
              const std::array<int64_t, 3> &planned) {
    if (grid[0] <= 0 || grid[1] <= 0 || grid[2] <= 0)
      return;
    log.where = k.kernel->name;
    if (!k.fault.empty())
      throw InternalError{fmt::format("{}: {}", k.kernel->name, k.fault)};
    checkResources(k, planned);
    int64_t inBlock = threadsIn(k.block);
    if (inBlock <= 0 || grid[0] * grid[1] * grid[2] * inBlock > limits.steps)
      throw Exhausted{};
    if (limits.countOnly) {
      result.steps += grid[0] * grid[1] * grid[2] * inBlock * int64_t(k.code.stmts.size() + 1) / 2;
      return;
    }
    Executor device(k.code, input.arithmetic, result.steps, limits.steps, &log);
    device.gridEpoch = ++epoch;
    std::vector<Word> values(size_t(k.code.frameSize) + 1);
    std::vector<uint8_t> set(size_t(k.code.frameSize) + 1, 0);
    Thread first;
    first.frame = values.data();
    first.isSet = set.data();
    arguments(k, first);
    bindArrays(k, device, first);
    if (k.hasGridBarrier)
      runTogether(k, device, grid, 0, grid[0] * grid[1] * grid[2], values, set);
    else if (k.code.stmts[size_t(k.body)].hasBarrier)
      for (int64_t b = 0; b < grid[0] * grid[1] * grid[2]; b++)
        runTogether(k, device, grid, b, b + 1, values, set);
    else
      for (int64_t n = 0; n < grid[0] * grid[1] * grid[2] * inBlock; n++) {
        lvalue(k.block, grid, n, first);
        device.execAlone(k.body, first, int(inBlock));
      }
    epoch = device.gridEpoch;
    log.where.clear();
    if (program.region.isOnDevice)
      noteTouched(k, device);
  }

  // Nothing is copied: what has to exist is what the kernels touch.
  void noteTouched(const KernelCode &k, const Executor &device) {
    for (size_t n = 0; n < k.kernel->parameters.size(); n++) {
      const KernelParameter &p = k.kernel->parameters[n];
      if (p.buffer < 0 || kernels.buffers[size_t(p.buffer)].array.empty() ||
          kernels.buffers[size_t(p.buffer)].isScalar)
        continue;
      const BoundArray &a = device.arrays[size_t(k.slots[n])];
      if (a.first > a.last)
        continue;
      int64_t width = buffers[size_t(p.buffer)].data->width(), first = a.first / width,
              last = a.last / width;
      auto [at, isNew] =
          result.touched.insert({kernels.buffers[size_t(p.buffer)].array, {first, last}});
      if (!isNew)
        at->second = {std::min(at->second.first, first), std::max(at->second.second, last)};
    }
  }

  // Beyond the device's limits a launch fails; the findings say so.
  void checkResources(const KernelCode &k, const std::array<int64_t, 3> &grid) {
    int64_t inBlock = threadsIn(k.kernel->block), bytes = 0;
    for (size_t d = 0; d < 3; d++)
      if (grid[d] > limits.grid[d])
        log.add("resources", "grid", fmt::format("{} blocks in dimension {}", grid[d], d));
    if (inBlock > limits.blockThreads || inBlock <= 0)
      log.add("resources", "threads", fmt::format("{} threads in a block", inBlock));
    for (int32_t a : k.shared) {
      int64_t size = sizeOf(program.region, k.code.arrays[size_t(a)].type);
      for (int64_t x : k.code.arrays[size_t(a)].constant)
        size *= x;
      bytes += size;
    }
    bytes += reductionBytes(k.kernel->body, k.kernel->block);
    if (bytes > limits.sharedBytes)
      log.add("resources", "shared", fmt::format("{} bytes of shared memory", bytes));
  }

  void arguments(const KernelCode &k, Thread &thread) {
    for (size_t n = 0; n < k.kernel->parameters.size(); n++) {
      const KernelParameter &p = k.kernel->parameters[n];
      if (p.buffer >= 0)
        continue;
      if (p.type.isStruct()) {
        int32_t from = translator.lvalueOf(p.value);
        growFrame();
        host.readLValue(from, thread.frame + k.slots[n], thread.isSet + k.slots[n],
                        int(slotsOf(program.region, p.type).size()));
        continue;
      }
      thread.frame[k.slots[n]] = hostValue(p.value, p.type.scalar);
      thread.isSet[k.slots[n]] = 1;
    }
  }

  void bindArrays(const KernelCode &k, Executor &device, Thread &thread) {
    device.use(thread);
    device.arrays.resize(k.code.arrays.size());
    for (size_t n = 0; n < k.kernel->parameters.size(); n++) {
      const KernelParameter &p = k.kernel->parameters[n];
      if (p.buffer < 0)
        continue;
      BufferState &state = buffers.at(size_t(p.buffer));
      const ArrayNode &node = k.code.arrays[size_t(k.slots[n])];
      BoundArray &a = device.arrays[size_t(k.slots[n])];
      a.name = p.name;
      a.memory = &state.memory;
      a.data = state.data.get();
      a.isFilled = kernels.buffers[size_t(p.buffer)].copyIn;
      a.isReadOnly = p.isConst;
      a.low = state.low * state.unit;
      a.high = state.high * state.unit;
      if (state.low < 0 && state.low < state.high && !p.shifted)
        log.add("transfers", p.name,
                fmt::format(
                    "{} begins before its first element, but the kernel does not know the offset",
                    p.name));
      a.extents.assign(node.extents.size(), -1);
      a.strides.assign(node.extents.size(), node.width);
      for (size_t d = node.extents.size(); d-- > 1;)
        a.strides[d - 1] =
            a.strides[d] * (node.extents[d] >= 0 ? device.eval(node.extents[d]).integer : 0);
    }
  }

  static int64_t threadsIn(const std::array<int, 3> &shape) {
    return int64_t(shape[0]) * shape[1] * shape[2];
  }

  // Coordinates of thread number n of the launch.
  static void lvalue(const std::array<int, 3> &shape, const std::array<int64_t, 3> &grid, int64_t n,
                     Thread &t) {
    int64_t inBlock = threadsIn(shape), lane = n % inBlock, block = n / inBlock;
    t.number = int32_t(n);
    t.block = int32_t(block);
    for (size_t d = 0; d < 3; d++) {
      int64_t here = lane % shape[d], at = block % grid[d];
      lane /= shape[d];
      block /= grid[d];
      t.coordinates[d] = at * shape[d] + here;
      t.coordinates[3 + d] = grid[d] * shape[d];
      t.coordinates[6 + d] = here;
      t.coordinates[9 + d] = at;
      t.coordinates[12 + d] = grid[d];
    }
  }

  // Blocks from..to as one group, each thread with a frame of its own that begins with the
  // arguments.
  void runTogether(KernelCode &k, Executor &device, const std::array<int64_t, 3> &grid,
                   int64_t from, int64_t to, const std::vector<Word> &values,
                   const std::vector<uint8_t> &set) {
    int64_t inBlock = threadsIn(k.block);
    size_t count = size_t((to - from) * inBlock), width = values.size();
    groupFrames.resize(count * width);
    groupSet.resize(count * width);
    std::vector<Thread> threads(count);
    for (size_t n = 0; n < count; n++) {
      std::copy(values.begin(), values.end(), groupFrames.begin() + long(n * width));
      std::copy(set.begin(), set.end(), groupSet.begin() + long(n * width));
      threads[n].frame = &groupFrames[n * width];
      threads[n].isSet = &groupSet[n * width];
      lvalue(k.block, grid, from * inBlock + int64_t(n), threads[n]);
    }
    for (int32_t a : k.shared) {
      BoundArray &array = device.arrays[size_t(a)];
      array.name = k.code.arrays[size_t(a)].name;
      array.low = 0;
      array.high = k.code.arrays[size_t(a)].width;
      for (int64_t x : k.code.arrays[size_t(a)].constant)
        array.high *= x;
      array.ofBlocks.clear();
      array.ofBlocks.resize(size_t(to - from));
    }
    device.execGroup(k.body, threads, int(inBlock));
  }

  void translateKernels() {
    codes.resize(kernels.kernels.size());
    for (size_t n = 0; n < codes.size(); n++) {
      KernelCode &k = codes[n];
      k.kernel = &kernels.kernels[n];
      Translator made(program.region, input.arithmetic, k.code);
      try {
        // Values first: extents of buffers refer to them.
        k.slots.assign(k.kernel->parameters.size(), -1);
        for (size_t p = 0; p < k.slots.size(); p++)
          if (const KernelParameter &q = k.kernel->parameters[p]; q.buffer < 0)
            k.slots[p] = made.bindFrame(q.name, q.type);
        for (size_t p = 0; p < k.slots.size(); p++)
          if (const KernelParameter &q = k.kernel->parameters[p]; q.buffer >= 0) {
            std::vector<ExprP> extents = q.extents;
            if (!extents.empty())
              extents[0] = nullptr;
            k.slots[p] = made.bindArray(q.name, q.type, extents);
          }
        made.openScope();
        k.body = made.stmt(spelledOut(*k.kernel).body);
      } catch (const InternalError &e) {
        k.fault = e.message;
        continue;
      }
      for (const StmtNode &s : k.code.stmts)
        k.hasGridBarrier |= s.what == StmtNode::GridBarrier;
      for (size_t a = 0; a < k.code.arrays.size(); a++)
        if (k.code.arrays[a].isShared)
          k.shared.push_back(int32_t(a));
      k.block = k.kernel->block;
      k.isCut = limits.smallBlock && k.shared.empty() && !hasReductions(k.kernel->body) &&
                !k.kernel->isTiled(); // these are made for one shape
      for (size_t d = 0; d < 2 && k.isCut; d++)
        k.block[d] = std::min(k.block[d], limits.smallBlock);
    }
  }

  // Everything in the range goes back, also what no kernel has set.
  void leave() {
    for (size_t n = 0; n < buffers.size(); n++) {
      const Buffer &b = kernels.buffers[n];
      BufferState &state = buffers[n];
      if (!b.copyOut || b.array.empty() || state.low >= state.high)
        continue;
      if (auto v = program.region.variables.find(b.array);
          v != program.region.variables.end() && v->second.isConst)
        log.add("constant", b.array,
                fmt::format("{} is copied out, but no kernel may write it", b.array));
      int64_t low = state.low * state.unit, high = state.high * state.unit, set = 0;
      state.memory.forEach([&](int64_t slot, const Cell &c) {
        if (slot < low || slot >= high || c.state != Cell::Set)
          return;
        set++;
        if (!sameWord(state.data->typeAt(slot), input.arithmetic, c.value, state.data->at(slot)))
          result.memory[{b.array, slot}] = state.data->shown(slot, c.value);
      });
      bool isWhole = set == high - low;
      if (b.copyIn) { // what was copied in and not touched since is set as well
        isWhole = true;
        state.memory.forEach([&](int64_t slot, const Cell &c) {
          isWhole &= slot < low || slot >= high || c.state == Cell::Set;
        });
      }
      if (!isWhole)
        log.add("uninitialised", b.array,
                fmt::format("elements of {} are copied out that were never set", b.array));
    }
  }

  const Program &program;
  const Kernels &kernels;
  const SampleInput &input;
  const RunLimits &limits;
  RunResult result;
  FindingLog log;
  Code hostCode;
  Translator translator;
  Executor host;
  Thread hostThread;
  std::vector<Word> frame, groupFrames;
  std::vector<uint8_t> isSet, groupSet;
  std::vector<BufferState> buffers;
  std::vector<KernelCode> codes;
  uint32_t epoch = 0;
  uint64_t scope = 0; // of host names: which loops are open
  std::map<std::tuple<const void *, uint64_t, int>, int32_t>
      nodes; // translated expressions, and slots of variables (-1)
};

} // namespace

RunResult runKernels(const Program &program, const Kernels &kernels, const SampleInput &input,
                     const RunLimits &limits) {
  return KernelRun(program, kernels, input, limits).run();
}

} // namespace nw
