// The engine that interprets: original against kernels, region by region, and original against
// compiled C.
#include "driver/pipeline.h"
#include "engine.h"
#include "support/text.h"
#include "vary.h"
#include "verify/interpreter/interpreter.h"
#include <algorithm>
#include <cstring>
#include <ctime>
#include <fmt/format.h>

namespace nw::fuzz {

namespace {

constexpr long long kMostInstances = 2500;

std::string sizesText(const Sizes &sizes) {
  std::string out;
  for (auto &[name, value] : sizes)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, value);
  return out;
}

void countSteps(const Step &s, Counts &counts) {
  static const char *names[] = {"sequence", "loop around kernels", "parallel", "reduction",
                                "serial"};
  if (s.kind != StepKind::Sequence)
    counts[std::string("step: ") + names[int(s.kind)]]++;
  for (const Step &c : s.children)
    countSteps(c, counts);
}

void countCompilation(const Program &program, const Compilation &c, Counts &counts) {
  long long nests = std::count_if(program.body.begin(), program.body.end(),
                                  [](const Stmt &s) { return s.kind == StmtKind::For; });
  counts["nests"] += nests;
  for (const Diagnostic &d : c.diagnostics) {
    counts["nests on the host: " + d.code]++;
    nests--;
  }
  counts["nests offloaded"] += nests;
  for (const CompiledRegion &r : c.regions) {
    counts["regions"]++;
    countSteps(r.schedule.root, counts);
    counts["regions with isl's schedule"] += r.schedule.how != "source order";
    counts["regions with expanded variables"] += !r.schedule.expanded.empty();
    counts["regions with resident kernels"] += hasForm(r.kernels.host, KernelForm::Resident);
    counts["regions with fused steps"] += hasForm(r.kernels.host, KernelForm::Fused);
    for (const Kernel &k : r.kernels.kernels) {
      bool stages = false, speculates = false, strips = false;
      walkStmts(k.body, [&](const nw::StmtP &x) {
        stages |= x->kind == nw::StmtKind::Shared;
        speculates |= x->isSpeculated;
        strips |= x->kind == nw::StmtKind::For && x->loop.counter.ends_with("_strip");
      });
      counts["kernels of tiles"] += k.isTiled();
      counts["kernels of tiles with copies in shared memory"] += k.isTiled() && stages;
      counts["kernels of tiles with strips"] += k.isTiled() && strips;
      counts["kernels of tiles that speculate"] += k.isTiled() && speculates;
    }
    for (auto &[name, array] : r.program.arrays)
      counts[array.leading ? "arrays that were expanded" : "snapshots of arrays"] += array.isOwn();
    counts["regions that were split"] +=
        std::any_of(r.program.statements.begin(), r.program.statements.end(),
                    [](const Statement &s) { return s.name.find('_') != std::string::npos; });
  }
}

// Adds the milliseconds of its life to a counter.
class Timer {
public:
  Timer(Counts &counts, const std::string &name) : counter(counts["milliseconds: " + name]) {}
  ~Timer() { counter += (std::clock() - begin + CLOCKS_PER_SEC / 2000) * 1000 / CLOCKS_PER_SEC; }

private:
  long long &counter;
  std::clock_t begin = std::clock();
};

std::string textOf(const Finding &f) { return f.check + ": " + f.what; }

// The original of a region against all forms of its kernels, on one input.
Verdict compareForms(const CompiledRegion &r, const SampleInput &input, const DeviceSpec &device,
                     const std::string &where, Counts &counts) {
  Timer timer(counts, "interpreting");
  RunLimits limits;
  limits.blockThreads = device.blockThreads;
  RunResult original = runOriginal(r.program.region, input, limits);
  if (original.kind == RunResult::Kind::TooLong) {
    counts["runs too long"]++;
    return {};
  }
  if (original.kind != RunResult::Kind::Finished)
    return {"original",
            fmt::format("{}: the original is said to be undefined: {}", where, original.why), ""};
  struct Form {
    FormSelection selection;
    std::string name;
    ResidentShape shape = ResidentShape::OneBlock;
  };
  std::vector<Form> forms;
  for (const FormSelection &s : selectionsOf(r.kernels.host)) {
    bool isResident = s.forms.count(KernelForm::Resident);
    std::string name = isResident ? "one block" : s.forms.empty() ? "plain" : "";
    for (KernelForm f : s.forms)
      name += isResident ? "" : fmt::format("{}{}", name.empty() ? "" : ", ", nameOf(f));
    forms.push_back({s, name});
    if (isResident)
      forms.push_back({s, "grid", ResidentShape::Grid});
  }
  for (const Form &form : forms) {
    limits.selection = form.selection;
    limits.residentShape = form.shape;
    RunResult run = runKernels(r.program, r.kernels, input, limits);
    std::string position = fmt::format("{}, {}", where, form.name);
    if (run.kind == RunResult::Kind::TooLong) {
      counts["runs too long"]++;
      continue;
    }
    if (run.kind == RunResult::Kind::Refused) {
      counts["runs refused: " + run.why]++;
      continue;
    }
    counts["runs: " + form.name]++;
    if (!run.findings.empty())
      return {"finding " + run.findings[0].check, position + ": " + textOf(run.findings[0]), ""};
    std::vector<Finding> differences = compareRuns(r.program.region, original, run);
    if (!differences.empty())
      return {"difference " + differences[0].check, position + ": " + textOf(differences[0]), ""};
  }
  return {};
}

// The whole body of the function as a region, if the front end took all of it (but for the results
// at its end, which are no loops).
std::optional<Region> wholeFunction(const Program &program, const ParsedFile &parsed) {
  if (parsed.sequences.size() != 1)
    return std::nullopt;
  const Sequence &s = parsed.sequences[0];
  Region r;
  r.function = s.function;
  r.variables = s.variables;
  r.structs = s.structs;
  r.functions = s.functions;
  r.wraps = program.wraps;
  for (const Item &item : s.items)
    r.body.push_back(item.tree);
  if (r.body.size() != program.body.size())
    return std::nullopt;
  return r;
}

Type typeOf(ElementType t) {
  static const Scalar scalars[] = {Scalar::I8,  Scalar::I16, Scalar::I32, Scalar::U32, Scalar::I64,
                                   Scalar::F32, Scalar::F64, Scalar::I8,  Scalar::U8};
  return nw::typeOf(scalars[int(t)]);
}

Value valueAt(const char *position, ElementType t) {
  Value v;
  v.type = typeOf(t);
  auto get = [&](auto &x) {
    std::memcpy(&x, position, sizeof x);
    return x;
  };
  signed char c;
  unsigned char b;
  short h;
  int i;
  unsigned u;
  long long l;
  float f;
  double d;
  switch (t) {
  case ElementType::SignedChar:
  case ElementType::CharWithSign:
    v.integer = get(c);
    break;
  case ElementType::CharWithoutSign:
    v.integer = get(b);
    break;
  case ElementType::Short:
    v.integer = get(h);
    break;
  case ElementType::Int:
    v.integer = get(i);
    break;
  case ElementType::Unsigned:
    v.integer = get(u);
    break;
  case ElementType::LongLong:
    v.integer = get(l);
    break;
  case ElementType::Float:
    v.number = get(f);
    break;
  case ElementType::Double:
    v.number = get(d);
    break;
  }
  return v;
}

void put(char *position, ElementType t, int value) {
  auto set = [&](auto x) { std::memcpy(position, &x, sizeof x); };
  switch (t) {
  case ElementType::SignedChar:
  case ElementType::CharWithSign:
  case ElementType::CharWithoutSign:
    set((signed char)(value));
    break;
  case ElementType::Short:
    set(short(value));
    break;
  case ElementType::Int:
    set(value);
    break;
  case ElementType::Unsigned:
    set(unsigned(value));
    break;
  case ElementType::LongLong:
    set((long long)(value));
    break;
  case ElementType::Float:
    set(float(value));
    break;
  case ElementType::Double:
    set(double(value));
    break;
  }
}

// Memory of one storage as C lays it out, and the scalar slots in it.
struct Memory {
  std::string name;
  struct Slot {
    size_t offset;
    ElementType type;
  };
  std::vector<Slot> slots;
  std::vector<char> bytes;
};

Memory layOut(const std::string &name, const std::vector<ElementType> &fields, long long elements) {
  Memory m;
  m.name = name;
  size_t at = 0, alignment = 1;
  for (ElementType t : fields)
    alignment = std::max<size_t>(alignment, bytesOf(t));
  for (long long e = 0; e < elements; e++) {
    for (ElementType t : fields) {
      size_t size = bytesOf(t);
      at = (at + size - 1) / size * size;
      m.slots.push_back({at, t});
      at += size;
    }
    at = (at + alignment - 1) / alignment * alignment;
  }
  m.bytes.resize(at);
  return m;
}

Verdict compareWithNative(const Program &program, const Analysis &analysis, const Region &region,
                          const Sizes &sizes, const NativeLibrary &native) {
  std::vector<Memory> memories;
  unsigned number = 0;
  for (const Storage *s : provided(program)) {
    std::vector<ElementType> fields;
    for (const Field &f : s->fields)
      fields.push_back(f.type);
    if (fields.empty())
      fields.push_back(s->type);
    memories.push_back(layOut(spelled(program, *s), fields, elementsOf(analysis, *s, sizes)));
    Memory &m = memories.back();
    for (size_t k = 0; k < m.slots.size(); k++)
      put(&m.bytes[m.slots[k].offset], m.slots[k].type, int(madeUp(7, number, unsigned(k))));
    number++;
  }
  SampleInput input;
  input.arithmetic = Arithmetic::Exact;
  for (auto &[name, value] : sizes)
    input.scalars[name] = value;
  for (const Memory &m : memories)
    for (size_t k = 0; k < m.slots.size(); k++)
      input.elements[{m.name, int64_t(k)}] = valueAt(&m.bytes[m.slots[k].offset], m.slots[k].type);
  for (const Storage *s : results(program)) {
    char bytes[8] = {};
    put(bytes, s->type, s->name.back() % 4);
    input.elements[{s->name, 0}] = valueAt(bytes, s->type);
  }
  RunResult run = runOriginal(region, input);
  if (run.kind != RunResult::Kind::Finished)
    return {"original",
            fmt::format("{}: the whole function is said to be undefined or endless: {}",
                        sizesText(sizes), run.why),
            ""};
  std::vector<void *> data;
  for (Memory &m : memories)
    data.push_back(m.bytes.data());
  std::vector<double> scalars(results(program).size());
  data.push_back(scalars.data());
  native.call(program, sizes, data);
  for (size_t k = 0; k < scalars.size(); k++) {
    const Storage &s = *results(program)[k];
    auto changed = run.memory.find({s.name, 0});
    const Value &v = changed == run.memory.end() ? input.elements[{s.name, 0}] : changed->second;
    if (double got = isFloat(s.type) ? v.number : double(v.integer); got != scalars[k])
      return {"front end",
              fmt::format("{}: {} is {} by the C compiler, and {} by the interpreted source",
                          sizesText(sizes), s.name, scalars[k], got),
              ""};
  }
  for (const Memory &m : memories)
    for (size_t k = 0; k < m.slots.size(); k++) {
      auto changed = run.memory.find({m.name, int64_t(k)});
      const Value &got =
          changed == run.memory.end() ? input.elements[{m.name, int64_t(k)}] : changed->second;
      Value want = valueAt(&m.bytes[m.slots[k].offset], m.slots[k].type);
      if (want.integer != got.integer || want.number != got.number)
        return {"front end",
                fmt::format(
                    "{}: slot {} of {} is {} by the C compiler, and {} by the interpreted source",
                    sizesText(sizes), k, m.name,
                    isFloat(m.slots[k].type) ? fmt::format("{}", want.number)
                                             : fmt::format("{}", want.integer),
                    isFloat(m.slots[k].type) ? fmt::format("{}", got.number)
                                             : fmt::format("{}", got.integer)),
                ""};
    }
  return {};
}

// What isl refused, other than by its budget. (Functions that return nothing when it is used up are
// "NULL input" to the next one.)
Verdict trouble(const Compilation &c) {
  for (const Diagnostic &d : c.diagnostics)
    if (d.code == "NW0299" && d.message.find("maximal number") == std::string::npos &&
        d.message.find("NULL input") == std::string::npos)
      return {"isl", d.message, ""};
  for (const Diagnostic &d : c.diagnostics)
    if (d.code == "NW0297") // wrong kernels, or an alarm without a fire: both are bugs
      return {"verifier", d.message, ""};
  return {};
}

Verdict examine(const Program &program, const Analysis &analysis, const Compilation &c,
                const DeviceSpec &device, Random &random, const NativeLibrary *native,
                Counts &counts) {
  std::vector<Sizes> all = randomSizes(program, random, 3, kMostInstances);
  for (const CompiledRegion &r : c.regions)
    for (size_t k = 0; k < all.size(); k++)
      for (Arithmetic arithmetic : {Arithmetic::Exact, Arithmetic::Field}) {
        SampleInput input;
        for (auto &[name, value] : all[k])
          input.scalars[name] = value;
        input.seed = random.next();
        input.arithmetic = arithmetic;
        std::string where =
            fmt::format("region at line {}, {}, {}", r.program.region.at.line, sizesText(all[k]),
                        arithmetic == Arithmetic::Exact ? "exact" : "field");
        if (Verdict v = compareForms(r, input, device, where, counts); !v.kind.empty())
          return v;
      }
  std::optional<Region> whole =
      native && native->isThere() ? wholeFunction(program, c.parsed) : std::nullopt;
  counts[whole ? "functions compared with the C compiler's"
               : "functions not compared with the C compiler's"]++;
  if (whole)
    for (const Sizes &sizes : all)
      if (Verdict v = compareWithNative(program, analysis, *whole, sizes, *native); !v.kind.empty())
        return v;
  return {};
}

} // namespace

Verdict tryByInterpreter(const Program &program, const std::string &folder,
                         const NativeLibrary *native, Counts &counts) {
  Random random(Random::mixed(program.seed ^ 0x706c616e));
  Analysis analysis = analyse(program);
  CompileOptions options;
  options.file = folder + "/" + program.name + ".c";
  writeFile(options.file,
            preludeText() + structText(program, analysis) + functionText(program, analysis));
  options.function = program.name;
  options.device = randomDevice(random);
  options.floatingPoint = random.chance(15) ? FloatingPoint::Strict : FloatingPoint::Reduce;
  takeMeaning(meaningOf(program.flags()), options);
  options.operations =
      random.chance(30) ? 4000000 : 400000; // many quick programs find more than a few slow ones;
                                            // but tiles take more to verify
  uint64_t planSeed = random.next();
  std::map<int, Plan> plans; // by region: also of those that were refused
  options.varyPlan = [&](Plan &plan, const RegionFacts &facts, const DeviceSpec &device) {
    Random choice(Random::mixed(planSeed + plan.kernels.size() * 31 + plan.region));
    if (choice.chance(80))
      varyPlan(plan, facts, device, choice);
    plans[plan.region] = plan;
  };
  auto planText = [&] {
    std::vector<Plan> all;
    for (auto &[number, plan] : plans)
      all.push_back(plan);
    return toJson(all);
  };
  counts["programs"]++;
  counts["programs with -funsigned-char"] += program.charIsUnsigned;
  counts["programs with -fwrapv"] += program.wraps;
  try {
    Compilation c = [&] {
      Timer timer(counts, "compiling");
      return compile(options);
    }();
    if (c.parsed.failed)
      return {"syntax", "Clang refused the program", ""};
    countCompilation(program, c, counts);
    Verdict v = examine(program, analysis, c, *options.device, random, native, counts);
    if (v.kind.empty() && !trouble(c).kind.empty()) {
      options.operations = CompileOptions().operations; // the small one may end in any error
      v = trouble(compile(options));
    }
    if (!v.kind.empty())
      v.plan = fmt::format("device: warp {}, {} threads, preferred {}, {} rows of blocks; {}\n{}",
                           options.device->warp, options.device->blockThreads,
                           options.device->preferredBlock, options.device->gridLimit[1],
                           options.floatingPoint == FloatingPoint::Strict ? "--fp=strict"
                                                                          : "--fp=reduce",
                           planText());
    return v;
  } catch (const InternalError &e) {
    return {"internal error", e.message, ""};
  } catch (const UserError &e) {
    return {"user error", e.message, ""};
  } catch (const std::exception &e) {
    return {"exception", e.what(), ""};
  }
}

} // namespace nw::fuzz
