// Reading of OpenACC nodes.
// Over 500 lines: a case for each clause of OpenACC, each of a few lines.
#include "frontend/c/acc_reader.h"
#include "frontend/c/acc_addresses.h"
#include "clang/AST/Expr.h"
#include "clang/AST/OpenACCClause.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace nw {

using namespace openacc;

const clang::Stmt *statementOf(const OpenACCConstructStmt *s) {
  // The others have expressions for children.
  if (isa<OpenACCComputeConstruct, OpenACCCombinedConstruct, OpenACCLoopConstruct,
          OpenACCDataConstruct, OpenACCHostDataConstruct, OpenACCAtomicConstruct>(s))
    for (const clang::Stmt *c : static_cast<const clang::Stmt *>(s)
                                    ->children()) // which finds the kind's own, unlike the base's
      if (c)
        return c;
  return nullptr;
}

const clang::Stmt *withoutDirectives(const clang::Stmt *s) {
  while (const auto *c = dyn_cast_or_null<OpenACCConstructStmt>(s))
    s = statementOf(c);
  return s;
}

const ForStmt *loopBelow(const clang::Stmt *s) {
  while (
      isa_and_nonnull<OpenACCComputeConstruct, OpenACCCombinedConstruct, OpenACCLoopConstruct>(s))
    s = statementOf(cast<OpenACCConstructStmt>(s));
  return dyn_cast_or_null<ForStmt>(s);
}

bool hasConstruct(const clang::Stmt *s) {
  std::vector<const clang::Stmt *> open{s};
  while (!open.empty()) {
    const clang::Stmt *top = open.back();
    open.pop_back();
    if (!top)
      continue;
    if (isa<OpenACCConstructStmt>(top) &&
        !isa<OpenACCLoopConstruct, OpenACCCacheConstruct, OpenACCAtomicConstruct>(top))
      return true;
    for (const clang::Stmt *c : top->children())
      open.push_back(c);
  }
  return false;
}

const clang::Stmt *lastOf(const clang::Stmt *s) {
  while (true) {
    const clang::Stmt *inner = nullptr;
    if (const auto *f = dyn_cast<ForStmt>(s))
      inner = f->getBody();
    else if (const auto *w = dyn_cast<WhileStmt>(s))
      inner = w->getBody();
    else if (const auto *i = dyn_cast<IfStmt>(s))
      inner = i->getElse() ? i->getElse() : i->getThen();
    else if (const auto *a = dyn_cast<AttributedStmt>(s))
      inner = a->getSubStmt();
    else if (const auto *c = dyn_cast<OpenACCConstructStmt>(s))
      inner = statementOf(c);
    if (!inner)
      return s;
    s = inner;
  }
}

namespace {

DirectiveKind kindOf(OpenACCDirectiveKind k) {
  switch (k) {
  case OpenACCDirectiveKind::Parallel:
    return DirectiveKind::Parallel;
  case OpenACCDirectiveKind::Serial:
    return DirectiveKind::Serial;
  case OpenACCDirectiveKind::Kernels:
    return DirectiveKind::Kernels;
  case OpenACCDirectiveKind::Data:
    return DirectiveKind::Data;
  case OpenACCDirectiveKind::EnterData:
    return DirectiveKind::EnterData;
  case OpenACCDirectiveKind::ExitData:
    return DirectiveKind::ExitData;
  case OpenACCDirectiveKind::HostData:
    return DirectiveKind::HostData;
  case OpenACCDirectiveKind::Loop:
    return DirectiveKind::Loop;
  case OpenACCDirectiveKind::Cache:
    return DirectiveKind::Cache;
  case OpenACCDirectiveKind::ParallelLoop:
    return DirectiveKind::ParallelLoop;
  case OpenACCDirectiveKind::SerialLoop:
    return DirectiveKind::SerialLoop;
  case OpenACCDirectiveKind::KernelsLoop:
    return DirectiveKind::KernelsLoop;
  case OpenACCDirectiveKind::Atomic:
    return DirectiveKind::Atomic;
  case OpenACCDirectiveKind::Declare:
    return DirectiveKind::Declare;
  case OpenACCDirectiveKind::Init:
    return DirectiveKind::Init;
  case OpenACCDirectiveKind::Shutdown:
    return DirectiveKind::Shutdown;
  case OpenACCDirectiveKind::Set:
    return DirectiveKind::Set;
  case OpenACCDirectiveKind::Update:
    return DirectiveKind::Update;
  case OpenACCDirectiveKind::Wait:
    return DirectiveKind::Wait;
  case OpenACCDirectiveKind::Routine:
    return DirectiveKind::Routine;
  case OpenACCDirectiveKind::Invalid:
    break;
  }
  return DirectiveKind::Loop;
}

const char *wordOf(OpenACCReductionOperator op) {
  switch (op) {
  case OpenACCReductionOperator::Addition:
    return "+";
  case OpenACCReductionOperator::Multiplication:
    return "*";
  case OpenACCReductionOperator::Max:
    return "max";
  case OpenACCReductionOperator::Min:
    return "min";
  case OpenACCReductionOperator::BitwiseAnd:
    return "&";
  case OpenACCReductionOperator::BitwiseOr:
    return "|";
  case OpenACCReductionOperator::BitwiseXOr:
    return "^";
  case OpenACCReductionOperator::And:
    return "&&";
  case OpenACCReductionOperator::Or:
    return "||";
  case OpenACCReductionOperator::Invalid:
    break;
  }
  return "";
}

class DirectiveReader {
public:
  explicit DirectiveReader(ASTContext &context)
      : context(context), sources(context.getSourceManager()) {}

  Directive run(const OpenACCConstructStmt *s) {
    out.kind = kindOf(s->getDirectiveKind());
    out.at = locate(s->getBeginLoc());
    element(s);
    block = statementOf(s);
    bool ofOneDevice = false; // what stands behind device_type is for that kind of device
    for (const OpenACCClause *c : s->clauses())
      if (const auto *d = dyn_cast<OpenACCDeviceTypeClause>(c)) {
        ofOneDevice = true;
        unheard("device_type",
                "nestwarp knows no device types: what follows it is ignored, except seq and auto",
                d->getBeginLoc());
      } else if (!ofOneDevice || isa<OpenACCSeqClause, OpenACCAutoClause>(c))
        clause(c);
    return std::move(out);
  }

private:
  Location locate(SourceLocation at) const {
    PresumedLoc p = sources.getPresumedLoc(sources.getExpansionLoc(at), false);
    return p.isValid() ? Location{int(p.getLine()), int(p.getColumn())} : Location{};
  }

  std::string textOf(SourceRange range) const {
    return Lexer::getSourceText(CharSourceRange::getTokenRange(range), sources,
                                context.getLangOpts())
        .str();
  }
  std::string textOf(const clang::Expr *e) const { return e ? textOf(e->getSourceRange()) : ""; }

  void element(const OpenACCConstructStmt *s) {
    SourceLocation begin = s->getBeginLoc();
    if (begin.isMacroID() || !sources.isInMainFile(begin))
      return;
    StringRef text = sources.getBufferData(sources.getMainFileID());
    out.beginOffset = sources.getFileOffset(begin);
    if (out.beginOffset >= text.size() || text[out.beginOffset] != '#')
      return; // a _Pragma
    out.inMainFile = true;
    size_t end = out.beginOffset;
    while (end < text.size() &&
           (text[end] != '\n' || (end > 0 && text.slice(0, end).rtrim(" \t\r").ends_with("\\"))))
      end++;
    out.endOffset = unsigned(end);
    if (const clang::Stmt *block = statementOf(s)) {
      const clang::Stmt *last = lastOf(block);
      SourceLocation from = block->getBeginLoc(),
                     to = Lexer::getLocForEndOfToken(
                         sources.getExpansionRange(last->getEndLoc()).getEnd(), 0, sources,
                         context.getLangOpts());
      out.blockIsCompound = isa<CompoundStmt>(block);
      out.blockBegin = sources.getFileOffset(sources.getExpansionLoc(from));
      out.blockEnd = sources.getFileOffset(to);
      if (!isa<CompoundStmt, NullStmt>(last))
        if (std::optional<Token> next =
                Lexer::findNextToken(last->getEndLoc(), sources, context.getLangOpts());
            next && next->is(tok::semi))
          out.blockEnd = sources.getFileOffset(next->getEndLoc());
    }
  }

  void unheard(const char *name, const char *why, SourceLocation at) {
    out.unheard.push_back({name, why, locate(at)});
  }

  void clause(const OpenACCClause *c) {
    SourceLocation at = c->getBeginLoc();
    switch (c->getClauseKind()) {
    case OpenACCClauseKind::Seq:
      out.loop.isSeq = true;
      return;
    case OpenACCClauseKind::Auto:
      out.loop.isAuto = true;
      return;
    case OpenACCClauseKind::Independent:
      out.loop.isIndependent = true;
      return;
    case OpenACCClauseKind::Gang:
      out.loop.gang = true;
      if (cast<OpenACCGangClause>(c)->getNumExprs())
        unheard("gang", "the planner chooses the number of gangs", at);
      return;
    case OpenACCClauseKind::Worker:
      out.loop.worker = true;
      if (cast<OpenACCWorkerClause>(c)->hasIntExpr())
        unheard("worker", "the planner chooses the number of workers", at);
      return;
    case OpenACCClauseKind::Vector:
      out.loop.vector = true;
      if (cast<OpenACCVectorClause>(c)->hasIntExpr())
        unheard("vector", "the planner chooses the vector length", at);
      return;
    case OpenACCClauseKind::NumGangs:
      unheard("num_gangs", "it is only a hint; the planner chooses the grid", at);
      return;
    case OpenACCClauseKind::NumWorkers:
      unheard("num_workers", "it is only a hint; the planner chooses the block", at);
      return;
    case OpenACCClauseKind::VectorLength:
      unheard("vector_length", "it is only a hint; the planner chooses the block", at);
      return;
    case OpenACCClauseKind::Tile:
      out.loop.tiles = int(cast<OpenACCTileClause>(c)->getSizeExprs().size());
      unheard("tile", "it is only a hint; the planner chooses tiles", at);
      return;
    case OpenACCClauseKind::Collapse: {
      const auto *k = cast<OpenACCCollapseClause>(c);
      clang::Expr::EvalResult r;
      if (k->getLoopCount() && k->getLoopCount()->EvaluateAsInt(r, context))
        out.loop.collapse = int(r.Val.getInt().getExtValue());
      out.loop.collapseForce = k->hasForce();
      return;
    }
    case OpenACCClauseKind::Private:
      for (const clang::Expr *e : cast<OpenACCPrivateClause>(c)->getVarList())
        (isLoop() ? out.loop.privates : out.privates)
            .push_back({textOf(e), locate(e->getBeginLoc())});
      return;
    case OpenACCClauseKind::Reduction: {
      const auto *r = cast<OpenACCReductionClause>(c);
      for (const clang::Expr *e : r->getVarList())
        (isLoop() ? out.loop.reductions : out.reductions)
            .push_back({wordOf(r->getReductionOp()), textOf(e), locate(e->getBeginLoc())});
      return;
    }
    case OpenACCClauseKind::If:
      out.condition = textOf(cast<OpenACCIfClause>(c)->getConditionExpr());
      return;
    case OpenACCClauseKind::Self:
      if (const auto *f = cast<OpenACCSelfClause>(c); f->isConditionExprClause())
        out.self = f->hasConditionExpr() ? textOf(f->getConditionExpr()) : "";
      else
        items(DataKind::Host, f->getVarList());
      return;
    case OpenACCClauseKind::Async:
      out.async = cast<OpenACCAsyncClause>(c)->hasIntExpr()
                      ? textOf(cast<OpenACCAsyncClause>(c)->getIntExpr())
                      : "";
      unheard("async", "the host waits until the work is done", at);
      return;
    case OpenACCClauseKind::Wait:
      out.hasWait = true;
      return; // nothing is ever under way
    case OpenACCClauseKind::Default:
      out.defaultTo =
          cast<OpenACCDefaultClause>(c)->getDefaultClauseKind() == OpenACCDefaultClauseKind::None
              ? "none"
              : "present";
      return;
    case OpenACCClauseKind::Finalize:
      out.finalize = true;
      return;
    case OpenACCClauseKind::IfPresent:
      out.ifPresent = true;
      return;
    default:
      data(c);
    }
  }

  bool isLoop() const { return out.kind == DirectiveKind::Loop || out.isCombined(); }

  void data(const OpenACCClause *c) {
    OpenACCModifierKind modifiers = OpenACCModifierKind::Invalid;
    DataKind kind;
    switch (c->getClauseKind()) {
    case OpenACCClauseKind::Copy:
    case OpenACCClauseKind::PCopy:
    case OpenACCClauseKind::PresentOrCopy:
      kind = DataKind::Copy, modifiers = cast<OpenACCCopyClause>(c)->getModifierList();
      break;
    case OpenACCClauseKind::CopyIn:
    case OpenACCClauseKind::PCopyIn:
    case OpenACCClauseKind::PresentOrCopyIn:
      kind = DataKind::CopyIn, modifiers = cast<OpenACCCopyInClause>(c)->getModifierList();
      break;
    case OpenACCClauseKind::CopyOut:
    case OpenACCClauseKind::PCopyOut:
    case OpenACCClauseKind::PresentOrCopyOut:
      kind = DataKind::CopyOut, modifiers = cast<OpenACCCopyOutClause>(c)->getModifierList();
      break;
    case OpenACCClauseKind::Create:
    case OpenACCClauseKind::PCreate:
    case OpenACCClauseKind::PresentOrCreate:
      kind = DataKind::Create, modifiers = cast<OpenACCCreateClause>(c)->getModifierList();
      break;
    case OpenACCClauseKind::Present:
      kind = DataKind::Present;
      break;
    case OpenACCClauseKind::NoCreate:
      kind = DataKind::NoCreate;
      break;
    case OpenACCClauseKind::DevicePtr:
      kind = DataKind::DevicePtr;
      break;
    case OpenACCClauseKind::Attach:
      kind = DataKind::Attach;
      break;
    case OpenACCClauseKind::Detach:
      kind = DataKind::Detach;
      break;
    case OpenACCClauseKind::Delete:
      kind = DataKind::Delete;
      break;
    case OpenACCClauseKind::UseDevice:
      kind = DataKind::UseDevice;
      break;
    case OpenACCClauseKind::Host:
      kind = DataKind::Host;
      break;
    case OpenACCClauseKind::Device:
      kind = DataKind::Device;
      break;
    case OpenACCClauseKind::FirstPrivate:
      kind = DataKind::FirstPrivate;
      break;
    default:
      unheard("an unknown clause", "nestwarp does not know it", c->getBeginLoc());
      return;
    }
    size_t first = out.data.size();
    items(kind, cast<OpenACCClauseWithVarList>(c)->getVarList());
    auto has = [&](OpenACCModifierKind bit) { return isOpenACCModifierBitSet(modifiers, bit); };
    for (size_t k = first; k < out.data.size(); k++) {
      out.data[k].always = has(OpenACCModifierKind::Always) || has(OpenACCModifierKind::AlwaysIn) ||
                           has(OpenACCModifierKind::AlwaysOut);
      out.data[k].zero = has(OpenACCModifierKind::Zero);
      out.data[k].readOnly = has(OpenACCModifierKind::Readonly);
    }
  }

  void items(DataKind kind, ArrayRef<clang::Expr *> list) {
    for (const clang::Expr *e : list) {
      out.data.push_back(item(kind, e));
      if (kind == DataKind::UseDevice)
        out.data.back().computedIn = computedIn(block, e);
    }
  }

  // The text of a bound; "" where there is none, "?" where it comes out of a macro.
  std::string part(const clang::Expr *e) const {
    std::string text = textOf(e);
    return e && text.empty() ? "?" : text;
  }

  // Whether an lvalue may be part of an array: it is more than a variable and its members.
  static bool mayLieInArray(const clang::Expr *e) {
    e = e->IgnoreParenImpCasts();
    if (const auto *m = dyn_cast<MemberExpr>(e))
      return m->isArrow() || mayLieInArray(m->getBase());
    const auto *d = dyn_cast<DeclRefExpr>(e);
    return !d || d->getDecl()->getType()->isReferenceType();
  }

  // Which line of a host_data block computes with the address that the variable is there.
  int computedIn(const clang::Stmt *block, const clang::Expr *e) const {
    const auto *d = dyn_cast<DeclRefExpr>(e->IgnoreParenImpCasts());
    const auto *v = d ? dyn_cast<VarDecl>(d->getDecl()) : nullptr;
    AddressUses uses = v ? addressUses(block, v, context) : AddressUses{};
    const clang::Expr *use = uses.computed ? uses.computed : uses.read;
    return use ? locate(use->getBeginLoc()).line : 0;
  }

  DataClause item(DataKind kind, const clang::Expr *e) {
    DataClause made;
    made.kind = kind;
    made.text = textOf(e);
    made.at = locate(e->getBeginLoc());
    while (true) {
      e = e->IgnoreParenImpCasts();
      if (const auto *s = dyn_cast<ArraySectionExpr>(e)) {
        made.sections.insert(made.sections.begin(),
                             {part(s->getLowerBound()),
                              s->getColonLocFirst().isInvalid() ? "1" : part(s->getLength())});
        e = s->getBase();
      } else if (const auto *s = dyn_cast<ArraySubscriptExpr>(e)) {
        made.sections.insert(made.sections.begin(), {part(s->getIdx()), "1"});
        e = s->getBase();
      } else
        break;
    }
    made.variable = textOf(e);
    QualType t = e->getType();
    const ValueDecl *member = isa<MemberExpr>(e) ? cast<MemberExpr>(e)->getMemberDecl() : nullptr;
    made.isBitField = isa_and_nonnull<FieldDecl>(member) && cast<FieldDecl>(member)->isBitField();
    made.mayLieInArray = mayLieInArray(e);
    if (const auto *d = dyn_cast<DeclRefExpr>(e))
      if (const auto *p = dyn_cast<ParmVarDecl>(d->getDecl())) {
        made.isParameter = true;
        t = p->getOriginalType();
        made.isPointer = t->isArrayType() || t->isPointerType();
      }
    if (t->isPointerType()) {
      made.isPointer = true;
      made.extents.push_back("");
      t = t->getPointeeType();
    }
    while (const ArrayType *a = context.getAsArrayType(t)) {
      std::string extent;
      if (const auto *k = dyn_cast<ConstantArrayType>(a))
        extent = std::to_string(k->getSize().getZExtValue());
      else if (const auto *v = dyn_cast<VariableArrayType>(a))
        extent = textOf(v->getSizeExpr());
      made.extents.push_back(extent);
      t = a->getElementType();
    }
    made.dimensions = int(made.extents.size());
    return made;
  }

  ASTContext &context;
  SourceManager &sources;
  const clang::Stmt *block = nullptr;
  Directive out;
};

} // namespace

// The one statement of a loop's body that is a loop; nullptr where there is something else.
static const ForStmt *onlyLoopIn(const ForStmt *f) {
  const clang::Stmt *s = f->getBody();
  while (const auto *b = dyn_cast<CompoundStmt>(s)) {
    const clang::Stmt *only = nullptr;
    for (const clang::Stmt *c : b->body()) {
      if (isa<NullStmt>(c))
        continue;
      if (only)
        return nullptr;
      only = c;
    }
    if (!only)
      return nullptr;
    s = only;
  }
  return loopBelow(s);
}

// A loop in a parallel construct is independent unless the source says otherwise; the other
// constructs leave it to the compiler. An orphaned loop says nothing of itself: what calls it is
// not known.
Promise promiseOf(const OpenACCConstructStmt *s, const Directive &d) {
  if (d.loop.isSeq)
    return Promise::InOrder;
  if (d.loop.isIndependent)
    return Promise::Independent;
  if (d.loop.isAuto)
    return Promise::None;
  OpenACCDirectiveKind around = s->getDirectiveKind();
  if (const auto *l = dyn_cast<OpenACCLoopConstruct>(s))
    around = l->getParentComputeConstructKind();
  bool inParallel =
      around == OpenACCDirectiveKind::Parallel || around == OpenACCDirectiveKind::ParallelLoop;
  return inParallel ? Promise::Independent : Promise::None;
}

std::vector<const ForStmt *> loopsOf(const OpenACCConstructStmt *s, const Directive &d) {
  std::vector<const ForStmt *> all;
  const ForStmt *loop = loopBelow(s);
  for (int k = 0; k < std::max({1, d.loop.collapse, d.loop.tiles}) && loop;
       k++, loop = onlyLoopIn(loop))
    all.push_back(loop);
  return all;
}

Directive readDirective(const OpenACCConstructStmt *s, ASTContext &context) {
  return DirectiveReader(context).run(s);
}

} // namespace nw
