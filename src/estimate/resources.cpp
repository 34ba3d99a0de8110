// Resources of kernels.
#include "estimate/resources.h"
#include "estimate/layout.h"
#include "estimate/loop_facts.h"
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
    const Expr *base = e->kind == ExprKind::Index || e->kind == ExprKind::Member || e->kind == ExprKind::Var ? baseOf(e) : nullptr;
    if (!base || !buffers.count(base->name))
      return true;
    words += wordsOf(e->type);
    return false;
  });
  return words;
}

} // namespace

KernelResources modelledResources(const Program &program, const Kernel &kernel) {
  std::set<std::string> buffers;
  for (const KernelParameter &p : kernel.parameters)
    if (p.buffer >= 0)
      buffers.insert(p.name);
  KernelFacts facts = factsOf(kernel);
  int variables = 0, inFlight = 0, depth = int(facts.loops.size());
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
    if (s->kind == StmtKind::Declare)
      variables += std::min<int64_t>(16, wordsOf(s->type) * (s->extents.empty() ? 1 : s->extents[0]));
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
    if (f.canOverlap)
      look(f.loop->body[0], f.loop->loop.unroll ? f.loop->loop.unroll : int(kUnrolled));
  bool divides = false;
  walkExprs(kernel.body, [&](const ExprP &e) { return divides |= e->type.isFloat() && ((e->kind == ExprKind::Binary && e->name == "/") || e->kind == ExprKind::Call), true; });
  // Fitted to what ptxas reports for the kernels of tests/programs.
  double estimate = 10 + 1.5 * double(buffers.size()) + 0.75 * variables + 0.75 * std::min(inFlight, 32) + 2.0 * std::min(depth, 6) + 10 * divides;
  int rounded = int((estimate + 1) / 2) * 2;
  r.registers = std::clamp(rounded, 8, 128);
  return r;
}

} // namespace nw
