// A look through the kernel, and through the functions that it calls.
#include "frontend/cuda/kernel_obstacles.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace nw {

namespace {

class Obstacles : public RecursiveASTVisitor<Obstacles> {
public:
  explicit Obstacles(ASTContext &context) : context(context) {}

  void look(const FunctionDecl *f) {
    if (!seen.insert(f).second)
      return;
    const SourceManager &sources = context.getSourceManager();
    StringRef text = Lexer::getSourceText(
        CharSourceRange::getTokenRange(sources.getExpansionRange(f->getSourceRange()).getAsRange()),
        sources, context.getLangOpts());
    if (text.contains("__CUDA_ARCH__"))
      refuse("NW0123", f->getLocation(),
             "'" + f->getNameAsString() + "' depends on the architecture that it is compiled for",
             "give each architecture a kernel of its own");
    TraverseStmt(f->getBody());
  }

  bool VisitVarDecl(VarDecl *v) {
    if (v->hasAttr<CUDASharedAttr>())
      refuse("NW0120", v->getLocation(),
             "the kernel uses shared memory ('" + v->getNameAsString() + "')");
    return true;
  }

  bool VisitCallExpr(CallExpr *c) {
    const FunctionDecl *callee = c->getDirectCallee();
    if (!callee)
      return true;
    std::string name = callee->getNameAsString();
    auto begins = [&](std::initializer_list<const char *> words) {
      return std::any_of(words.begin(), words.end(),
                         [&](const char *w) { return name.starts_with(w); });
    };
    if (begins({"__syncthreads", "__syncwarp", "__barrier", "__threadfence"}))
      refuse("NW0120", c->getExprLoc(), "threads wait for each other here ('" + name + "')");
    if (begins({"atomic", "__atomic", "__iAtomic", "__uAtomic", "__fAtomic"}))
      refuse("NW0120", c->getExprLoc(), "threads share a result here ('" + name + "')");
    if (begins({"__shfl", "__ballot", "__any", "__all", "__match", "__reduce", "__activemask",
                "__nvvm_shfl"}))
      refuse("NW0120", c->getExprLoc(), "threads of a warp exchange values here ('" + name + "')");
    if (begins({"tex1D", "tex2D", "tex3D", "surf", "texCube"}))
      refuse("NW0120", c->getExprLoc(), "a texture or a surface is used here ('" + name + "')");
    const FunctionDecl *definition = nullptr;
    if (callee->hasBody(definition) &&
        !context.getSourceManager().isInSystemHeader(definition->getLocation()))
      look(definition);
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *d) {
    if (d->getDecl()->getNameAsString() ==
        "warpSize") // also asked of operators, which have no simple name
      refuse("NW0120", d->getLocation(), "the kernel uses the warp size");
    return true;
  }

  bool VisitGCCAsmStmt(GCCAsmStmt *s) {
    refuse("NW0120", s->getBeginLoc(), "the kernel contains inline assembly");
    return true;
  }

private:
  [[noreturn]] void refuse(const char *code, SourceLocation at, std::string message,
                           std::string help = "it is left as it was written") {
    throw Refusal{code, std::move(message), std::move(help), at};
  }

  ASTContext &context;
  std::set<const FunctionDecl *> seen;
};

} // namespace

void refuseObstacles(const FunctionDecl *kernel, ASTContext &context) {
  Obstacles look(context);
  look.look(kernel);
}

} // namespace nw
