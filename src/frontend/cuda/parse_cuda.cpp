// Runs Clang over a CUDA file, device side: kernels and launches are both in it.
#include "frontend/c/convert.h"
#include "frontend/cuda/annotations.h"
#include "frontend/cuda/cuda_frontend.h"
#include "frontend/cuda/kernel_obstacles.h"
#include "frontend/cuda/parse_run.h"
#include "frontend/cuda/parse_seen.h"
#include "frontend/cuda/thread_loops.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/MemoryBuffer.h"
#include <fmt/format.h>

using namespace clang;

namespace nw {

namespace {

class Reader {
public:
  Reader(ASTContext &context, const ParseRequest &request, const Annotations &annotations,
         CudaFile &out)
      : context(context), sources(context.getSourceManager()), request(request),
        annotations(annotations), out(out) {}

  void run(const Seen &seen) {
    bind(seen);
    for (const FunctionDecl *k : seen.kernels) {
      out.parsed.functionsSeen.push_back(k->getNameAsString());
      if (request.function.empty() || request.function == k->getNameAsString())
        kernel(k, seen);
    }
    for (auto &[call, inTemplate] : seen.launches)
      launch(call, inTemplate);
  }

private:
  Location locate(SourceLocation at) const {
    PresumedLoc p = sources.getPresumedLoc(sources.getExpansionLoc(at), false);
    return p.isValid() ? Location{int(p.getLine()), int(p.getColumn())} : Location{};
  }

  void report(const Refusal &r) {
    out.parsed.diagnostics.push_back({r.code, Severity::Remark, locate(r.at), r.message, r.help});
  }

  // The offset in the main file of where a token ends; nothing where that is in a macro or another
  // file.
  std::optional<unsigned> endOf(SourceLocation at) const {
    if (at.isInvalid() || at.isMacroID() || !sources.isInMainFile(at))
      return std::nullopt;
    return sources.getFileOffset(Lexer::getLocForEndOfToken(at, 0, sources, context.getLangOpts()));
  }

  // Threads of a block as all launches give them that tell.
  Sizes blockSizes(const FunctionDecl *k, const Seen &seen) {
    Sizes all = {0, 0, 0};
    std::array<bool, 3> differ = {false, false, false};
    for (auto &[call, inTemplate] : seen.launches)
      if (call->getDirectCallee() && call->getDirectCallee()->getDefinition() == k &&
          call->getConfig()->getNumArgs() > 1) {
        Sizes own = sizesOf(call->getConfig()->getArg(1), context);
        for (int d = 0; d < 3; d++) {
          differ[d] |= own[d] < 1 || own[d] > 1024 || (all[d] && all[d] != own[d]);
          all[d] = own[d];
        }
      }
    for (int d = 0; d < 3; d++)
      if (differ[d])
        all[d] = 0;
    return all;
  }

  // Where a kernel's text begins and ends.
  TextRange extent(const FunctionDecl *k) const {
    auto offset = [&](SourceLocation at) {
      return sources.getFileOffset(sources.getExpansionLoc(at));
    };
    return {offset(k->getBeginLoc()), offset(k->getEndLoc())};
  }

  // An annotation is about the kernel that it stands in, or else the next one.
  void bind(const Seen &seen) {
    for (const Annotation &a : annotations.all) {
      unsigned nearest = 0;
      bool isFound = false;
      for (const FunctionDecl *k : seen.kernels)
        if (TextRange r = extent(k); a.offset < r.end && (!isFound || r.end < nearest)) {
          nearest = r.end;
          isFound = true;
        }
      if (!isFound)
        wrong(a, "no kernel follows this annotation",
              "write it inside the kernel, or right before it");
      for (const FunctionDecl *k : seen.kernels)
        if (isFound && extent(k).end == nearest)
          bound[k].push_back(&a);
    }
  }

  void wrong(const Annotation &a, std::string message, std::string help) {
    out.parsed.diagnostics.push_back(
        {"NW0131", Severity::Error, a.at, std::move(message), std::move(help)});
  }

  // Takes what annotations say of the kernel; the blocks that are wished for on a multiprocessor.
  int obey(const FunctionDecl *k, const StmtP &body, const Signature &signature,
           Converter &converter, Sizes &sizes) {
    int minBlocksPerSm = 0;
    for (const Annotation *a : bound[k])
      switch (a->kind) {
      case AnnotationKind::Kernel: {
        int64_t threads = a->numbers[0], launched = sizes[0] * sizes[1] * sizes[2];
        if (threads && launched && launched != threads)
          wrong(*a,
                fmt::format("the kernel is launched with {} threads in a block, not with {}",
                            launched, threads),
                "give the number of threads of the launch, or none");
        if (threads > 1024)
          wrong(*a, "a block has at most 1024 threads", "");
        if (threads && !sizes[0] && sizes[1] < 2 && sizes[2] < 2)
          sizes[0] = threads;
        minBlocksPerSm = int(a->numbers[1]);
        break;
      }
      case AnnotationKind::Array: {
        auto v = converter.variables.find(a->name);
        if (v == converter.variables.end() || !v->second.isPointer ||
            v->second.storage != Storage::Parameter) {
          wrong(*a, fmt::format("'{}' is not an array argument of the kernel", a->name),
                "name one of its pointer arguments");
          break;
        }
        if (a->elementBytes && !v->second.type.isStruct() &&
            a->elementBytes != bytesOf(v->second.type.scalar))
          wrong(*a,
                fmt::format("an element of '{}' has {} bytes, not {}", a->name,
                            bytesOf(v->second.type.scalar), a->elementBytes),
                "");
        if (ExprP extent = elements(*a, body, signature, converter);
            extent && v->second.extents.size() == 1)
          v->second.extents[0] = extent;
        break;
      }
      case AnnotationKind::Loop: {
        bool isThere = false;
        walkStmts(body, [&](const StmtP &s) {
          isThere |= s->kind == StmtKind::For &&
                     (s->loop.counter == a->name || s->loop.counter.starts_with(a->name + "_"));
        });
        if (!isThere)
          wrong(*a, fmt::format("no loop of the kernel counts '{}'", a->name),
                "name the counter of a for loop");
        break;
      }
      case AnnotationKind::Check:
        break;
      }
    return minBlocksPerSm;
  }

  // How many elements an annotation gives an array: numbers and arguments that no thread changes,
  // multiplied.
  ExprP elements(const Annotation &a, const StmtP &body, const Signature &signature,
                 Converter &converter) {
    int64_t count = 1;
    ExprP all;
    for (size_t k = 0; k < a.numbers.size(); k++)
      if (std::string name = k < a.names.size() ? a.names[k] : ""; name.empty()) {
        count = a.numbers[k] > (int64_t(1) << 40) / count ? 0 : count * a.numbers[k];
        if (!count) {
          wrong(a, fmt::format("'{}' cannot have as many elements", a.name), "");
          return nullptr;
        }
      } else {
        auto v = std::find_if(signature.parameters.begin(), signature.parameters.end(),
                              [&](const Variable &q) { return q.name == name; });
        if (v == signature.parameters.end() || v->isArray() || !v->type.isInteger()) {
          wrong(a,
                fmt::format("'{}' is neither a number nor an integer argument of the kernel", name),
                "give a number or an argument of the kernel");
          return nullptr;
        }
        bool isChanged = false;
        walkStmts(body, [&](const StmtP &s) {
          isChanged |= s->kind == StmtKind::Assign && s->exprs[0]->kind == ExprKind::Var &&
                       s->exprs[0]->name == name;
        });
        if (isChanged) {
          wrong(a, fmt::format("'{}' is changed by the kernel", name),
                "give a number, or an argument that the kernel does not change");
          return nullptr;
        }
        converter.variables.insert({name, *v}); // where the kernel does not use it
        ExprP factor = cast(var(name, v->type), kI64);
        all = all ? binary("*", all, factor, kI64) : factor;
      }
    return !all ? intConst(count) : count == 1 ? all : binary("*", all, intConst(count), kI64);
  }

  void kernel(const FunctionDecl *k, const Seen &seen) {
    try {
      refuseObstacles(k, context);
      std::optional<unsigned> end = endOf(k->getBody()->getEndLoc());
      if (!end || k->getLocation().isMacroID())
        throw Refusal{"NW0109", "the kernel begins or ends inside a macro",
                      "put the whole kernel into the macro, or none of it", k->getLocation()};
      Converter converter(context, k);
      Signature signature = converter.signature();
      for (const Variable &v : signature.parameters)
        if (v.type.isStruct() && !v.isPointer)
          throw Refusal{"NW0102", "the argument '" + v.spelling + "' is a struct",
                        "pass its fields one by one", k->getLocation()};
      StmtP body = converter.convertKernel();
      Sizes sizes = blockSizes(k, seen);
      int minBlocksPerSm = obey(k, body, signature, converter, sizes);
      ThreadLoops loops = threadLoops(body, sizes, converter.indices, converter.variables,
                                      locate(k->getLocation()));
      add(k, signature, converter, loops, *end);
      out.kernels.back().minBlocksPerSm = minBlocksPerSm;
      out.kernels.back().blockThreads = std::max<int64_t>(sizes[0], 0) *
                                        std::max<int64_t>(sizes[1], 1) *
                                        std::max<int64_t>(sizes[2], 1);
    } catch (const Refusal &r) {
      report(r);
    } catch (const Diagnostic &d) {
      out.parsed.diagnostics.push_back(d);
    }
  }

  std::string uniqueName(const std::string &wish) const {
    std::string name = wish;
    for (int k = 2; std::any_of(out.kernels.begin(), out.kernels.end(),
                                [&](const CudaKernel &other) { return other.function == name; });
         k++)
      name = fmt::format("{}_{}", wish, k);
    return name;
  }

  void add(const FunctionDecl *k, Signature signature, Converter &converter,
           const ThreadLoops &loops, unsigned end) {
    CudaKernel made;
    made.function = uniqueName(k->getNameAsString());
    PrintingPolicy policy(context.getLangOpts());
    llvm::raw_string_ostream name(made.launched);
    k->getNameForDiagnostic(name, policy, false);
    made.scope = scopeOf(k->getLexicalDeclContext());
    made.called = made.launched;
    if (made.scope != scopeOf(k->getDeclContext()) ||
        std::any_of(k->param_begin(), k->param_end(),
                    [&](const ParmVarDecl *p) { return p->getName() == k->getName(); })) {
      std::string whole = scopeOf(k->getDeclContext());
      made.called = (whole.empty() ? "::" : whole) + made.launched;
    }
    for (unsigned n = 0; n < k->getNumParams(); n++) {
      const ParmVarDecl *p = k->getParamDecl(n);
      std::string own = p->getName().empty() ? fmt::format("unnamed_{}", n) : p->getNameAsString(),
                  declaration = own;
      p->getType().getCanonicalType().getUnqualifiedType().getAsStringInternal(declaration, policy);
      Variable &v = signature.parameters[n];
      if (auto known = converter.variables.find(v.name);
          known != converter.variables.end()) // with what annotations said
        v.extents = known->second.extents;
      if (p->getName().empty())
        v.name = own;
      made.parameters.push_back({own, declaration, v.name});
    }
    made.axes = loops.axes;
    made.end = end;
    made.outermost = outermost(k);
    made.isStatic =
        !k->isExternallyVisible() || k->isTemplateInstantiation() || k->isInlineSpecified();
    for (const FunctionDecl *d : k->redecls())
      if (d != k && !d->doesThisDeclarationHaveABody() &&
          d->getLexicalDeclContext()->getRedeclContext()->Equals(
              k->getLexicalDeclContext()->getRedeclContext()) &&
          sources.isBeforeInTranslationUnit(d->getLocation(), k->getLocation()))
        if (std::optional<unsigned> at = semicolonAfter(d->getEndLoc());
            at && (!made.declared || *at < made.declared))
          made.declared = *at;
    signature.name = made.function;
    signature.parameters.insert(signature.parameters.begin(), loops.parameters.begin(),
                                loops.parameters.end());
    Sequence sequence;
    sequence.function = made.function;
    sequence.variables = converter.variables;
    sequence.structs = converter.structs;
    sequence.functions = converter.functions;
    Item item;
    item.tree = loops.tree;
    item.at = locate(k->getLocation());
    item.hasLoop = true;
    sequence.items.push_back(item);
    out.parsed.sequences.push_back(sequence);
    out.parsed.signatures.push_back(signature);
    decls.push_back(k);
    out.kernels.push_back(made);
  }

  static std::string scopeOf(const DeclContext *c) {
    std::string names;
    for (; c && !c->isTranslationUnit(); c = c->getParent())
      if (const auto *space = dyn_cast<NamespaceDecl>(c); space && !space->isAnonymousNamespace())
        names = "::" + space->getNameAsString() + names;
    return names.empty() ? "" : names + "::";
  }

  std::optional<unsigned> semicolonAfter(SourceLocation at) const {
    std::optional<Token> next =
        at.isMacroID() ? std::nullopt : Lexer::findNextToken(at, sources, context.getLangOpts());
    if (!next || !next->is(tok::semi) || !sources.isInMainFile(next->getLocation()))
      return std::nullopt;
    return sources.getFileOffset(next->getEndLoc());
  }

  // Where the outermost declaration around the kernel begins: its namespace, its extern "C", its
  // template.
  unsigned outermost(const FunctionDecl *k) const {
    const FunctionDecl *first =
        k->getTemplateInstantiationPattern() ? k->getTemplateInstantiationPattern() : k;
    SourceLocation begin = first->getBeginLoc();
    if (const FunctionTemplateDecl *t = first->getDescribedFunctionTemplate())
      begin = t->getBeginLoc();
    for (const DeclContext *c = first->getLexicalDeclContext(); c && !c->isTranslationUnit();
         c = c->getLexicalParent())
      begin = cast<Decl>(c)->getBeginLoc();
    return sources.getFileOffset(sources.getExpansionLoc(begin));
  }

  void stays(const CUDAKernelCallExpr *call, const std::string &function, const std::string &why,
             const std::string &help) {
    out.parsed.diagnostics.push_back(
        {"NW0122", Severity::Remark, locate(call->getBeginLoc()),
         fmt::format("this launch of '{}' stays as it is: {}", function, why), help});
  }

  void launch(const CUDAKernelCallExpr *call, bool inTemplate) {
    const FunctionDecl *callee = call->getDirectCallee();
    auto found = std::find(decls.begin(), decls.end(), callee ? callee->getDefinition() : nullptr);
    if (!callee || found == decls.end())
      return;
    const CudaKernel &k = out.kernels[size_t(found - decls.begin())];
    if (inTemplate)
      return stays(call, k.launched,
                   "it is in a template, and launches a different kernel in each instance",
                   "launch the kernel from a function that is not a template");
    CudaLaunch made;
    made.function = k.function;
    const CallExpr *config = call->getConfig();
    made.configured = 0;
    const clang::Expr *last = nullptr;
    for (const clang::Expr *a : config->arguments())
      if (!isa<CXXDefaultArgExpr>(a->IgnoreUnlessSpelledInSource()) && !isa<CXXDefaultArgExpr>(a)) {
        made.configured++;
        last = a;
      }
    std::string text = sources.getBufferData(sources.getMainFileID()).str();
    SourceLocation begin = call->getCallee()->getBeginLoc(),
                   nameEnd = call->getCallee()->getEndLoc();
    constexpr unsigned kNowhere = ~0u;
    auto after = [&](unsigned from, const char *word) -> unsigned {
      size_t at = from == kNowhere ? text.size() : from;
      while (at < text.size())
        if (isspace(static_cast<unsigned char>(text[at])))
          at++;
        else if (text.compare(at, 2, "/*") == 0)
          at = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
        else
          break;
      return text.compare(at, strlen(word), word) == 0 ? unsigned(at) : kNowhere;
    };
    unsigned open = after(endOf(nameEnd).value_or(kNowhere), "<<<"),
             close = last ? after(endOf(sources.getExpansionRange(last->getEndLoc()).getEnd())
                                      .value_or(kNowhere),
                                  ">>>")
                          : kNowhere; // the last may be a macro
    unsigned parenthesis = close == kNowhere ? kNowhere : after(close + 3, "(");
    if (begin.isMacroID() || !sources.isInMainFile(begin) || open == kNowhere ||
        parenthesis == kNowhere)
      return stays(call, k.launched, "its text comes from a macro, or is interrupted by other text",
                   "write it as NAME<<<grid, block>>>(arguments)");
    made.begin = sources.getFileOffset(begin);
    if (made.begin < k.end && (!k.declared || made.begin < k.declared))
      return stays(call, k.launched,
                   "the kernel is defined later, and is not declared before it in the same "
                   "namespace of this file",
                   "define the kernel before its launches, or declare it there");
    made.config = open + 3;
    made.close = close;
    made.arguments = parenthesis + 1;
    SourceLocation end = call->getRParenLoc();
    for (const clang::Expr *a : call->arguments()) {
      const auto *unwritten = dyn_cast<CXXDefaultArgExpr>(a);
      made.hasArguments |= !unwritten;
      if (!unwritten)
        continue;
      std::optional<std::string> value = valueOf(unwritten->getExpr(), context);
      if (!value || end.isMacroID() || !sources.isInMainFile(end))
        return stays(call, k.launched, "a default argument of the kernel is not a number",
                     "write all arguments");
      made.defaults.push_back(*value);
      made.end = sources.getFileOffset(end);
    }
    out.launches.push_back(made);
  }

  ASTContext &context;
  SourceManager &sources;
  const ParseRequest &request;
  const Annotations &annotations;
  CudaFile &out;
  std::vector<const FunctionDecl *> decls; // of out.kernels
  std::map<const FunctionDecl *, std::vector<const Annotation *>> bound;
};

class CudaConsumer : public ASTConsumer {
public:
  CudaConsumer(Preprocessor &preprocessor, const ParseRequest &request,
               const Annotations &annotations, CudaFile &out)
      : preprocessor(preprocessor), request(request), annotations(annotations), out(out) {}
  void HandleTranslationUnit(ASTContext &context) override {
    if (context.getDiagnostics().hasErrorOccurred())
      return;
    Seen seen = seenIn(context);
    Reader(context, request, annotations, out).run(seen);
    out.macros = macrosOf(preprocessor);
  }

private:
  Preprocessor &preprocessor;
  const ParseRequest &request;
  const Annotations &annotations;
  CudaFile &out;
};

class CudaAction : public ASTFrontendAction {
public:
  CudaAction(const ParseRequest &request, const Annotations &annotations, CudaFile &out)
      : request(request), annotations(annotations), out(out) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &instance, StringRef) override {
    return std::make_unique<CudaConsumer>(instance.getPreprocessor(), request, annotations, out);
  }

private:
  const ParseRequest &request;
  const Annotations &annotations;
  CudaFile &out;
};

} // namespace

bool isCudaFile(const std::string &file, const std::vector<std::string> &arguments) {
  for (size_t k = 0; k < arguments.size(); k++)
    if (arguments[k] == "-xcuda" ||
        (arguments[k] == "-x" && k + 1 < arguments.size() && arguments[k + 1] == "cuda"))
      return true;
  return file.ends_with(".cu");
}

CudaFile parseCuda(const ParseRequest &request) {
  CudaFile out;
  out.parsed.file = request.file;
  if (request.text)
    out.parsed.source = *request.text;
  else if (auto buffer = llvm::MemoryBuffer::getFile(request.file))
    out.parsed.source = (*buffer)->getBuffer().str();
  Annotations annotations = readAnnotations(out.parsed.source);
  out.annotations = annotations.ranges;
  out.parsed.diagnostics = annotations.errors;
  out.parsed.failed = !runCuda(request, annotations.text, annotations.text != out.parsed.source,
                               std::make_unique<CudaAction>(request, annotations, out));
  return out;
}

} // namespace nw
