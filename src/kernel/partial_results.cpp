// Partial results.
#include "kernel/partial_results.h"
#include "kernel/keep.h"
#include "kernel/reduction_steps.h"

namespace nw {

namespace {

const char *const kRow = "nw_block"; // the counter of rows

ExprP coordinate(const std::string &name, const Type &type) {
  return node(ExprKind::Builtin, {}, type, name);
}

StmtP made(StmtKind kind, const std::string &op, int axis, std::vector<ExprP> exprs) {
  auto s = std::make_shared<Stmt>(*marker(kind));
  s->collective = {op, axis};
  for (const ExprP &e : exprs)
    if (e)
      s->exprs.push_back(e);
  return s;
}

bool isArgument(const ExprP &e) { return e->kind == ExprKind::Var && e->type == kI64; }

// buffer[row * columns + column]
ExprP cell(const ExprP &buffer, const ExprP &row, const ExprP &columns, const ExprP &column) {
  ExprP at = columns ? binary("+", binary("*", row, columns, kI64), column, kI64) : row;
  return index(buffer, at, buffer->type);
}

StmtP leaving(const LeftResult &left) {
  ExprP row = coordinate(left.axis == 0 ? "block.x" : "block.y", left.columns ? kI64 : kI32);
  return assign(cell(left.buffer, row, left.columns, left.column), left.value);
}

bool isAlways(const ExprP &guard) { return guard->kind == ExprKind::Int && guard->integer != 0; }

StmtP guarded(const ExprP &guard, const StmtP &code) {
  return isAlways(guard) ? code : ifElse(guard, code);
}

// for (row = first; row < rows; row += apart) into = into op cell
StmtP overRows(const TakenResults &t, const ExprP &first, int64_t apart, const ExprP &into) {
  ExprP row = var(kRow, kI64);
  ExprP from = cell(t.buffer, row, t.columns, coordinate("thread.x", kI64));
  return forLoop(kRow, kI64, first, binary("<", row, t.rows, kI32), intConst(apart),
                 assign(into, reducedBy(t.op, into, from)));
}

// Each thread has all rows, and the target in a register meanwhile.
StmtP byEachThread(const TakenResults &t) {
  StmtP loop = overRows(t, intConst(0), 1, t.target);
  bool isElement = t.target->kind != ExprKind::Var;
  return guarded(t.guard, isElement ? keepStmt(whetherItRuns(loop->loop), {t.target}, loop) : loop);
}

// The threads of a block each take some rows into a register; the first one brings what all
// registers make together to the target.
std::vector<StmtP> byThreadsOfBlock(const TakenResults &t, const std::array<int, 3> &block) {
  const Type &type = t.target->type;
  const char *lane = t.axis == 1 ? "local.y" : "local.x";
  ExprP own = var(kReducedName, type);
  ExprP isFirst = binary("==", coordinate(lane, t.type), intConst(0, t.type), kI32);
  StmtP loop = overRows(t, coordinate(lane, kI64), block[t.axis == 1 ? 1 : 0], own);
  return {declare(kReducedName, type, {}, {identityOf(t.op, type)}), guarded(t.guard, loop),
          reduceStmt(kReducedName, type, t.op, t.axis),
          ifElse(isAlways(t.guard) ? isFirst : binary("&&", isFirst, t.guard, kI32),
                 assign(t.target, reducedBy(t.op, t.target, own)))};
}

std::vector<StmtP> statements(const StmtP &s, const std::array<int, 3> &block) {
  if (std::optional<LeftResult> left = leftBy(*s))
    return {leaving(*left)};
  if (std::optional<TakenResults> taken = takenBy(*s))
    return taken->axis == kOneThread ? std::vector{byEachThread(*taken)}
                                     : byThreadsOfBlock(*taken, block);
  return {};
}

// The same nodes where there is nothing to change.
StmtP replaced(const StmtP &s, const std::array<int, 3> &block) {
  if (std::vector<StmtP> code = statements(s, block); !code.empty())
    return code.size() == 1 ? code[0] : nw::block(code);
  std::vector<StmtP> body;
  for (const StmtP &b : s->body) {
    std::vector<StmtP> code = statements(b, block);
    if (code.empty() || s->kind != StmtKind::Block)
      code = {replaced(b, block)};
    body.insert(body.end(), code.begin(), code.end());
  }
  if (body == s->body)
    return s;
  auto changed = std::make_shared<Stmt>(*s);
  changed->body = body;
  return changed;
}

} // namespace

StmtP leaveStmt(const LeftResult &left) {
  return made(StmtKind::Leave, "", left.axis, {left.buffer, left.value, left.column, left.columns});
}

StmtP takeStmt(const TakenResults &t) {
  auto s = std::make_shared<Stmt>(
      *made(StmtKind::Take, t.op, t.axis, {t.target, t.buffer, t.rows, t.guard, t.columns}));
  s->type = t.type;
  return s;
}

std::optional<LeftResult> leftBy(const Stmt &s) {
  if (s.kind != StmtKind::Leave || (s.exprs.size() != 2 && s.exprs.size() != 4))
    return std::nullopt;
  LeftResult left{s.exprs[0], s.exprs[1], s.collective.axis};
  if (s.exprs.size() == 4)
    left.column = s.exprs[2], left.columns = s.exprs[3];
  bool isRight = left.buffer->kind == ExprKind::Var && left.value->type == left.buffer->type &&
                 (left.axis == 0 || left.axis == 1) &&
                 (!left.columns || (isArgument(left.columns) && left.column->type == kI64));
  return isRight ? std::optional(left) : std::nullopt;
}

std::optional<TakenResults> takenBy(const Stmt &s) {
  if (s.kind != StmtKind::Take || s.exprs.size() < 4 || s.exprs.size() > 5)
    return std::nullopt;
  TakenResults t{s.exprs[0],      s.exprs[1],        s.exprs[2], s.exprs[3],
                 s.collective.op, s.collective.axis, s.type};
  if (s.exprs.size() == 5)
    t.columns = s.exprs[4];
  bool isRight = t.buffer->kind == ExprKind::Var && t.target->type == t.buffer->type &&
                 baseOf(t.target) && isArgument(t.rows) && (!t.columns || isArgument(t.columns)) &&
                 (t.axis == kOneThread || t.axis == 1 || t.axis == kAllThreads) &&
                 t.type.isInteger() && bitsOf(t.type.scalar) >= 32 &&
                 identityOf(t.op, t.target->type);
  return isRight ? std::optional(t) : std::nullopt;
}

ExprP blocksOf(const ExprP &threads, int limit, int size) {
  bool isMultiple = threads->kind == ExprKind::Binary && threads->name == "*" &&
                    threads->type == kI64 && threads->args[1]->kind == ExprKind::Int &&
                    threads->args[1]->integer == size;
  ExprP all = isMultiple ? threads->args[0]
                         : binary("/", binary("+", threads, intConst(size - 1), kI64),
                                  intConst(size), kI64);
  return limit ? node(ExprKind::Min, {intConst(limit), all}, kI64) : all;
}

Kernel withoutPartialResults(Kernel kernel) {
  kernel.body = replaced(kernel.body, kernel.block);
  return kernel;
}

} // namespace nw
