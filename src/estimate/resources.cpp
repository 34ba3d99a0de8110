// Resources of kernels.
#include "estimate/resources.h"
#include "estimate/layout.h"
#include "estimate/loop_facts.h"
#include "kernel/emitted.h"
#include "kernel/expand.h"
#include <algorithm>
#include <sstream>

namespace nw {

// ptxas info : Compiling entry function 'f_0_step0' for 'sm_90'
// ptxas info : Function properties for f_0_step0
//     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// ptxas info : Used 32 registers, used 1 barriers, 1024 bytes smem
std::map<std::string, KernelResources> resourcesFromReport(const std::string &report) {
  std::map<std::string, KernelResources> out;
  std::istringstream lines(report);
  std::string line, kernel;
  auto before = [&](const char *words) -> long { // the number in front of these words
    size_t at = line.find(words);
    if (at == std::string::npos || at == 0)
      return 0;
    size_t begin = line.find_last_not_of("0123456789", at - 1);
    return std::strtol(line.c_str() + (begin == std::string::npos ? 0 : begin + 1), nullptr, 10);
  };
  while (std::getline(lines, line)) {
    if (size_t at = line.find("entry function '"); at != std::string::npos) {
      size_t begin = at + 16;
      kernel = line.substr(begin, line.find('\'', begin) - begin);
    } else if (!kernel.empty() && line.find("spill stores") != std::string::npos) {
      out[kernel].stackBytes = before(" bytes stack frame");
      out[kernel].spilledBytes = int(before(" bytes spill stores") + before(" bytes spill loads"));
    } else if (!kernel.empty() && line.find(" registers") != std::string::npos) {
      KernelResources &r = out[kernel];
      r.registers = int(before(" registers"));
      r.sharedBytes = before(" bytes smem");
      r.isMeasured = true;
      kernel.clear();
    }
  }
  return out;
}

namespace {

int wordsOf(const Type &t) { return t.isStruct() ? 4 : std::max(1, bytesOf(t.scalar) / 4); }

// Words that the loads of an expression bring in.
int loadedWords(const ExprP &value, const std::set<std::string> &buffers) {
  int words = 0;
  walk(value, [&](const ExprP &e) {
    const Expr *base =
        e->kind == ExprKind::Index || e->kind == ExprKind::Member || e->kind == ExprKind::Var
            ? baseOf(e)
            : nullptr;
    if (!base || !buffers.count(base->name))
      return true;
    words += wordsOf(e->type);
    return false;
  });
  return words;
}

// What a thread's code holds at a time: its variables, and what it takes from shared memory in code
// that is unrolled. Compilers load the operands of all steps of such code ahead, as far as
// registers go.
class Pressure {
public:
  explicit Pressure(const StmtP &kernel) {
    walkStmts(kernel, [&](const StmtP &s) {
      if (s->kind == StmtKind::Shared)
        shared.insert(s->name);
      if (isUnrolled(s))
        counters.insert(s->loop.counter);
    });
    walkExprs(kernel, [&](const ExprP &e) {
      const Expr *array = e->kind == ExprKind::Index ? baseOf(e) : nullptr;
      if (array && !selectsRegister(e->args[1]))
        addressed.insert(array->name);
      return true;
    });
    words = wordsIn(kernel);
  }

  int64_t words = 0;

private:
  static constexpr int64_t kMostAddressed =
      16; // words of an array that is no more than partly in registers
  static constexpr int64_t kMostPrefetched = 64; // words of operands, as ptxas does it

  static bool isUnrolled(const StmtP &s) {
    return s->kind == StmtKind::For && s->loop.isUnrolled && knownTrips(*s);
  }

  bool selectsRegister(const ExprP &subscript) const {
    bool isNumber = true;
    walk(subscript, [&](const ExprP &e) {
      return isNumber &=
             e->kind != ExprKind::Builtin && (e->kind != ExprKind::Var || counters.count(e->name)),
             true;
    });
    return isNumber;
  }

  // The most that is held at a time: what was declared and is asked for later, and what is loaded.
  int64_t wordsIn(const StmtP &s) {
    if (s->kind == StmtKind::Declare)
      noteDeclared(s);
    bool opens = isUnrolled(s), isOutermost = opens && around.empty();
    if (isOutermost)
      loaded.clear();
    if (opens)
      around.push_back({s->loop.counter, *knownTrips(*s)});
    for (const ExprP &e : s->exprs)
      noteLoads(e);
    std::vector<size_t> last = lastUses(s->body);
    int64_t most = 0, declared = 0;
    for (size_t n = 0; n < s->body.size(); n++) {
      declared += s->body[n]->kind == StmtKind::Declare ? wordsOfVariable(s->body[n]) : 0;
      most = std::max(most, declared + wordsIn(s->body[n]));
      for (size_t d = 0; d <= n; d++)
        declared -=
            s->body[d]->kind == StmtKind::Declare && last[d] == n ? wordsOfVariable(s->body[d]) : 0;
    }
    if (opens)
      around.pop_back();
    int64_t operands = 0;
    for (auto &[text, words] : loaded)
      operands += isOutermost ? words : 0;
    bool isHeld = s->kind == StmtKind::Window && s->section.loads; // results take its place
    return most + std::min(operands, kMostPrefetched) + (isHeld ? wordsOfVariable(s) : 0);
  }

  // For each declaration, the last of the statements that names the variable.
  static std::vector<size_t> lastUses(const std::vector<StmtP> &body) {
    std::map<std::string, size_t> named;
    for (size_t n = 0; n < body.size(); n++) {
      walkExprs(body[n], [&](const ExprP &e) { return named[e->name] = n, true; });
      walkStmts(body[n], [&](const StmtP &s) { named[s->name] = n; });
    }
    std::vector<size_t> out;
    for (const StmtP &b : body)
      out.push_back(named[b->name]);
    return out;
  }

  int64_t wordsOfVariable(const StmtP &s) const {
    int64_t words = wordsOf(s->type);
    for (int64_t x : s->extents)
      words *= x;
    return addressed.count(s->name) ? std::min(words, kMostAddressed) : words;
  }

  void noteDeclared(const StmtP &s) {
    std::set<std::string> &own = follows[s->name];
    own.clear();
    for (const ExprP &e : s->exprs)
      own.merge(countersIn(e));
  }

  std::set<std::string> countersIn(const ExprP &e) const {
    std::set<std::string> out;
    walk(e, [&](const ExprP &x) {
      if (x->kind == ExprKind::Var && counters.count(x->name))
        out.insert(x->name);
      if (auto known = x->kind == ExprKind::Var ? follows.find(x->name) : follows.end();
          known != follows.end())
        out.insert(known->second.begin(), known->second.end());
      return true;
    });
    return out;
  }

  // Of elements in shared memory: as many as the unrolled loops around it tell apart.
  void noteLoads(const ExprP &value) {
    if (around.empty())
      return;
    walk(value, [&](const ExprP &e) {
      const Expr *array = e->kind == ExprKind::Index ? baseOf(e) : nullptr;
      if (!array || !shared.count(array->name))
        return true;
      int64_t words = wordsOf(e->type);
      std::set<std::string> moving = countersIn(e);
      for (auto &[counter, trips] : around)
        words *= moving.count(counter) ? trips : 1;
      loaded[print(e)] = words;
      return false;
    });
  }

  std::set<std::string> shared, counters; // counters: of unrolled loops
  std::set<std::string> addressed;        // arrays that not only numbers select from
  std::map<std::string, std::set<std::string>>
      follows; // of a variable: the counters that its value moves with
  std::vector<std::pair<std::string, int64_t>> around;
  std::map<std::string, int64_t> loaded; // words, by the text of what is loaded
};

// What the launch's bounds leave to a thread.
int mostRegisters(const Kernel &k, const DeviceSpec &device) {
  constexpr int kStep = 8;
  int threads = k.block[0] * k.block[1] * k.block[2] * std::max(k.minBlocksPerSm, 1);
  return std::clamp(device.registers / std::max(threads, 1) / kStep * kStep, kStep,
                    device.registersPerThread);
}

} // namespace

KernelResources modelledResources(const Program &program, const Kernel &given,
                                  const DeviceSpec &device) {
  const Kernel kernel = spelledOut(given);
  std::set<std::string> buffers;
  for (const KernelParameter &p : kernel.parameters)
    if (p.buffer >= 0)
      buffers.insert(p.name);
  KernelFacts facts = factsOf(kernel);
  Pressure pressure(kernel.body);
  int inFlight = 0, depth = int(facts.loops.size());
  KernelResources r;
  auto look = [&](const StmtP &body, int unrolled) {
    int words = 0;
    walkStmts(body, [&](const StmtP &s) {
      for (const ExprP &e : s->exprs)
        words += loadedWords(e, buffers) * unrolled;
    });
    inFlight = std::max(inFlight, words);
  };
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Shared) {
      int64_t bytes = bytesIn(program.region, s->type);
      for (int64_t x : s->extents)
        bytes *= x;
      r.sharedBytes += bytes;
    }
    if (s->kind == StmtKind::Assign)
      for (const ExprP &e : s->exprs)
        inFlight = std::max(inFlight, loadedWords(e, buffers));
  });
  for (const LoopFacts &f : facts.loops)
    if (f.canOverlap && !f.loop->loop.isUnrolled) // what those load is in variables
      look(f.loop->body[0], f.loop->loop.unroll ? f.loop->loop.unroll : int(kUnrolled));
  bool hasWindows = false; // they hold what is under way; points that have none come one by one
  walkStmts(kernel.body, [&](const StmtP &s) { hasWindows |= s->kind == StmtKind::Window; });
  if (hasWindows)
    inFlight = 0;
  bool divides = false;
  walkExprs(kernel.body, [&](const ExprP &e) {
    return divides |= e->type.isFloat() && ((e->kind == ExprKind::Binary && e->name == "/") ||
                                            e->kind == ExprKind::Call),
           true;
  });
  // Fitted to what ptxas reports for the kernels of tests/programs.
  constexpr int kBelowMost =
      8; // where not all operands can be loaded ahead, it stays below what it might take
  double estimate = 10 + 1.5 * double(buffers.size()) + 0.75 * double(pressure.words) +
                    0.75 * std::min(inFlight, 32) + 2.0 * std::min(depth, 6) + 10 * divides;
  int rounded = int((estimate + 1) / 2) * 2, most = mostRegisters(kernel, device);
  r.registers = rounded <= most ? std::max(rounded, 8) : std::max(most - kBelowMost, 8);
  return r;
}

} // namespace nw
