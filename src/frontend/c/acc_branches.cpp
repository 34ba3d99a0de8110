// Jumps out of blocks.
#include "frontend/c/acc_branches.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include <set>

using namespace clang;

namespace nw {

namespace {

class Search {
public:
  explicit Search(const Stmt *block) { collect(block); }

  // `loops`: break and continue stay inside; `switches`: break does.
  const Stmt *find(const Stmt *s, bool inLoop, bool inSwitch) const {
    if (!s || isa<LambdaExpr>(s))
      return nullptr;
    if (isa<ReturnStmt, IndirectGotoStmt>(s) || (isa<BreakStmt>(s) && !inLoop && !inSwitch) ||
        (isa<ContinueStmt>(s) && !inLoop))
      return s;
    if (const auto *g = dyn_cast<GotoStmt>(s); g && !labels.count(g->getLabel()))
      return s;
    bool loop = inLoop || isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(s),
         choice = inSwitch || isa<SwitchStmt>(s);
    for (const Stmt *c : s->children())
      if (const Stmt *found = find(c, loop, choice))
        return found;
    return nullptr;
  }

private:
  void collect(const Stmt *s) {
    if (!s)
      return;
    if (const auto *l = dyn_cast<LabelStmt>(s))
      labels.insert(l->getDecl());
    for (const Stmt *c : s->children())
      collect(c);
  }

  std::set<const LabelDecl *> labels;
};

} // namespace

const Stmt *branchOut(const Stmt *block) { return Search(block).find(block, false, false); }

} // namespace nw
