// Device text.
#include "emit/kernel_text.h"
#include "emit/preludes.h"
#include "kernel/expand.h"
#include "kernel/reduction_steps.h"
#include "support/text.h"
#include <fmt/format.h>

namespace nw {

std::string structText(const Struct &s, const Dialect &d) {
  std::string out = fmt::format("struct {} {{\n", d.name(s.name));
  for (const Field &f : s.fields) {
    out += fmt::format("  {} {}", d.type(f.type), d.name(f.name));
    for (int64_t x : f.extents)
      out += fmt::format("[{}]", x);
    out += ";\n";
  }
  return out + "};\n\n";
}

std::string functionText(const Function &f, const Dialect &d) {
  std::string parameters;
  for (const Variable &v : f.parameters)
    parameters +=
        fmt::format("{}{} {}", parameters.empty() ? "" : ", ", d.type(v.type), d.name(v.name));
  std::string head = d.language == Language::Cuda ? "__device__ " : "";
  return fmt::format("{}{} {}({}) {{\n{}}}\n\n", head, d.type(f.result), f.name,
                     parameters.empty() ? "void" : parameters, TreePrinter(d).stmt(f.body, 2));
}

ExpandTarget expandTarget(Language language) {
  constexpr int kCudaWarp = 32; // of all devices that CUDA knows
  return language == Language::Cuda ? ExpandTarget{kCudaWarp, true} : ExpandTarget{};
}

namespace {

std::string parameterText(const KernelParameter &p, const Dialect &d, bool persistent) {
  TreePrinter printer(d);
  if (p.buffer < 0)
    return fmt::format("{} {}", d.type(p.type), d.name(p.name));
  bool isConstant = p.space == MemorySpace::Constant && d.language == Language::OpenCl;
  bool isPlain = persistent || isConstant || (p.isConst && p.space == MemorySpace::Global);
  std::string space = d.language != Language::OpenCl ? ""
                      : isConstant                   ? "__constant "
                                                     : "__global ";
  std::string restricted = isPlain                          ? ""
                           : d.language == Language::OpenCl ? "restrict "
                                                            : "__restrict__ ";
  std::string element =
      fmt::format("{}{}{}", space, p.isConst && !isConstant ? "const " : "", d.type(p.type));
  if (p.extents.size() > 1 && hasConstantRows(p)) {
    std::string rows;
    for (size_t k = 1; k < p.extents.size(); k++)
      rows += fmt::format("[{}]", p.extents[k]->integer);
    return fmt::format("{} (*{}{}){}", element, restricted, d.name(p.name), rows);
  }
  return fmt::format("{} *{}{}", element, restricted, d.name(p.name));
}

bool isBarrier(const StmtP &s) {
  return s->kind == StmtKind::Barrier || s->kind == StmtKind::GridBarrier;
}

bool hasBarrier(const StmtP &s) {
  return isBarrier(s) || std::any_of(s->body.begin(), s->body.end(), hasBarrier);
}

bool endsInBarrier(const StmtP &s) {
  return isBarrier(s) ||
         (s->kind == StmtKind::Block && !s->body.empty() && endsInBarrier(s->body.back()));
}

// Branches with barriers end in one. Up to 3.1 at least, PoCL ("loopvec", its default on CPUs) asks
// the first thread of a block alone which way a branch goes that ends at different barriers. A
// condition that differs between threads, after the last barrier of such a branch, becomes one of
// those where LLVM moves it out of a loop, since each way out of the branch gets an end of its own:
// all threads then do what the first does, and write beyond arrays. Where all ways meet at a
// barrier before they leave, there is one way out.
StmtP withClosingBarriers(const StmtP &s) {
  auto copy = std::make_shared<Stmt>(*s);
  for (StmtP &b : copy->body) {
    b = withClosingBarriers(b);
    if (s->kind != StmtKind::If || !hasBarrier(b) || endsInBarrier(b))
      continue;
    std::vector<StmtP> code = {b};
    while (code.size() == 1 && code[0]->kind == StmtKind::Block)
      code = StmtP(code[0])->body;
    code.push_back(marker(StmtKind::Barrier));
    b = block(code);
  }
  return copy;
}

// The coordinates of the thread as variables that every use reads anew. With PoCL 3.1 on a CPU a
// resident kernel skipped a whole step after a barrier; it does not with these. Why is not known
// for certain: it looks as if a comparison with a coordinate, computed before a barrier and used
// again after it, were taken for the same in all threads.
StmtP withThreadVariables(const StmtP &body, const Dialect &d, std::string &declarations) {
  std::map<std::string, std::string> variables;
  StmtP changed = rewriteExprs(body, [&](const ExprP &e) -> ExprP {
    if (e->kind != ExprKind::Builtin ||
        !(e->name.starts_with("thread.") || e->name.starts_with("local.")))
      return e;
    std::string name = fmt::format("nw_{}_{}{}", e->name.substr(0, e->name.find('.')),
                                   e->name.back(), bitsOf(e->type.scalar) > 32 ? "_wide" : "");
    variables[name] =
        fmt::format("  volatile {} {} = {};\n", d.type(e->type), name, d.builtin(e->name, e->type));
    return var(name, e->type);
  });
  for (auto &[name, text] : variables)
    declarations += text;
  return changed;
}

std::string kernelText(const Kernel &k, const Dialect &d, const std::string &linkage) {
  std::vector<std::string> parameters;
  std::string shifts; // and other first lines
  for (const KernelParameter &p : k.parameters) {
    parameters.push_back(parameterText(p, d, k.isResident()));
    if (p.shifted) {
      parameters.push_back(fmt::format("{} nw_{}_shift", d.type(kI64), p.name));
      shifts += fmt::format("  {} += nw_{}_shift;\n", d.name(p.name), p.name);
    }
  }
  int threads = k.block[0] * k.block[1] * k.block[2];
  std::string head =
      d.language == Language::Cuda
          ? fmt::format("{}__global__ void __launch_bounds__({}) {}(", linkage,
                        k.minBlocksPerSm > 1 ? fmt::format("{}, {}", threads, k.minBlocksPerSm)
                                             : std::to_string(threads),
                        k.name)
          : fmt::format("__kernel __attribute__((reqd_work_group_size({}, {}, {}))) void {}(",
                        k.block[0], k.block[1], k.block[2], k.name);
  TreePrinter printer(d, &k.parameters);
  StmtP steps = expanded(k, expandTarget(d.language));
  if (d.language == Language::OpenCl)
    steps = withClosingBarriers(steps);
  StmtP body = (k.isResident() || hasReductions(k.body)) && d.language == Language::OpenCl
                   ? withThreadVariables(steps, d, shifts)
                   : steps;
  return fmt::format("// {}\n{}{}) {{\n{}{}}}\n\n", k.summary, head, joined(parameters, ", "),
                     shifts, printer.stmt(body, 2));
}

} // namespace

std::string kernelText(const std::vector<EmittedRegion> &regions, Language language,
                       const EmitOptions &options) {
  Dialect d;
  d.language = language;
  d.lines = options.lines ? options.file : "";
  d.contract = options.contract && options.floatingPoint != FloatingPoint::Strict;
  std::string body;
  std::set<std::string> seen;
  bool usesDouble = false;
  for (const EmittedRegion &r : regions) {
    d.wraps = r.program->region.wraps;
    for (const Struct &s : r.program->region.structs)
      if (seen.insert("struct " + s.name).second)
        body += structText(s, d);
    for (const Function &f : r.program->region.functions)
      if (seen.insert(f.name).second)
        body += functionText(f, d);
    body += fmt::format("// ---- {}: {}\n", forComment(r.where), r.program->region.function);
    if (!r.tuned.empty())
      body += fmt::format("// plan: {}\n", forComment(r.tuned));
    for (const Kernel &k : r.kernels->kernels)
      body += kernelText(k, d, options.kernelLinkage);
  }
  usesDouble = body.find("double") != std::string::npos;
  return kernelPrelude(body, language, d.contract, usesDouble) + body;
}

} // namespace nw
