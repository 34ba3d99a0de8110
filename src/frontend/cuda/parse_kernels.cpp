// Every kernel of a file as it is written, with its launches.
#include "frontend/cuda/annotations.h"
#include "frontend/cuda/parse_run.h"
#include "frontend/cuda/parse_seen.h"
#include "frontend/cuda/parse_written.h"
#include "frontend/cuda/written_frontend.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Attr.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;

namespace nw {

namespace {

class Reader {
public:
  Reader(ASTContext &context, const ParseRequest &request, const Annotations &annotations,
         written::File &out)
      : context(context), sources(context.getSourceManager()), request(request),
        annotations(annotations), out(out) {}

  void run() {
    Seen seen = seenIn(context);
    for (const FunctionDecl *k : seen.kernels)
      if (request.function.empty() || request.function == k->getNameAsString())
        out.kernels.push_back(kernel(k, seen));
  }

private:
  int64_t number(const clang::Expr *e) const {
    clang::Expr::EvalResult r;
    return e && !e->isValueDependent() && e->EvaluateAsInt(r, context)
               ? r.Val.getInt().getExtValue()
               : -1;
  }

  written::Kernel kernel(const FunctionDecl *k, const Seen &seen) {
    written::Kernel made;
    WrittenReader reader(context, made);
    made.name = k->getNameAsString();
    std::tie(made.at, made.length) = reader.locate(SourceRange(k->getLocation(), k->getLocation()));
    if (const auto *bounds = k->getAttr<CUDALaunchBoundsAttr>())
      made.boundThreads = std::max<int64_t>(number(bounds->getMaxThreads()), 0);
    for (auto &[call, inTemplate] : seen.launches)
      if (call->getDirectCallee() && call->getDirectCallee()->getDefinition() == k &&
          call->getConfig()->getNumArgs() > 1)
        made.launches.push_back(launch(call, reader));
    annotated(k, seen, made);
    try {
      reader.read(k);
    } catch (const Unread &u) {
      made.unread = u.why;
      made.unreadAt = reader.locate(SourceRange(u.at, u.at)).first;
      if (!made.unreadAt.line)
        made.unreadAt = made.at;
    }
    return made;
  }

  written::Launch launch(const CUDAKernelCallExpr *call, const WrittenReader &reader) const {
    const CallExpr *config = call->getConfig();
    written::Launch made;
    made.block = sizesOf(config->getArg(1), context);
    for (int64_t &n : made.block)
      n = std::max<int64_t>(n, 0);
    std::tie(made.at, made.length) = reader.locate(config->getArg(1)->getSourceRange());
    if (config->getNumArgs() > 2 && !isa<CXXDefaultArgExpr>(config->getArg(2)))
      made.sharedBytes = number(config->getArg(2));
    return made;
  }

  // An annotation is about the kernel that it stands in, or else the next one.
  void annotated(const FunctionDecl *k, const Seen &seen, written::Kernel &made) const {
    auto end = [&](const FunctionDecl *f) {
      return sources.getFileOffset(sources.getExpansionLoc(f->getEndLoc()));
    };
    for (const Annotation &a : annotations.all)
      if (a.kind == AnnotationKind::Kernel && a.numbers[0] && a.offset < end(k)) {
        bool isNearest = true;
        for (const FunctionDecl *other : seen.kernels)
          isNearest &= !(a.offset < end(other) && end(other) < end(k));
        if (isNearest) {
          made.annotatedThreads = a.numbers[0];
          made.annotatedAt = a.at;
          made.annotatedLength =
              int(out.source.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", a.offset) - a.offset);
        }
      }
  }

  ASTContext &context;
  SourceManager &sources;
  const ParseRequest &request;
  const Annotations &annotations;
  written::File &out;
};

class Consumer : public ASTConsumer {
public:
  Consumer(const ParseRequest &request, const Annotations &annotations, written::File &out)
      : request(request), annotations(annotations), out(out) {}
  void HandleTranslationUnit(ASTContext &context) override {
    if (!context.getDiagnostics().hasErrorOccurred())
      Reader(context, request, annotations, out).run();
  }

private:
  const ParseRequest &request;
  const Annotations &annotations;
  written::File &out;
};

class Action : public ASTFrontendAction {
public:
  Action(const ParseRequest &request, const Annotations &annotations, written::File &out)
      : request(request), annotations(annotations), out(out) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &, StringRef) override {
    return std::make_unique<Consumer>(request, annotations, out);
  }

private:
  const ParseRequest &request;
  const Annotations &annotations;
  written::File &out;
};

} // namespace

written::File readKernels(const ParseRequest &request) {
  written::File out;
  out.file = request.file;
  if (request.text)
    out.source = *request.text;
  else if (auto buffer = llvm::MemoryBuffer::getFile(request.file))
    out.source = (*buffer)->getBuffer().str();
  Annotations annotations = readAnnotations(out.source);
  out.failed = !runCuda(request, annotations.text, annotations.text != out.source,
                        std::make_unique<Action>(request, annotations, out));
  return out;
}

} // namespace nw
