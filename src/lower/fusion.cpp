// Reductions along rows and columns in one kernel.
// Over 500 lines: one class; both kernels are made of the same parts. Moves take its place
// (docs/roadmap.md).
#include "lower/fusion.h"
#include "kernel/copies.h"
#include "kernel/cyclic_loop.h"
#include "kernel/partial_results.h"
#include "kernel/reduction_steps.h"
#include "lower/boxes.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// Of the second kernel, along y: partial results of a column that are taken side by side.
constexpr int kGatherRows = 32;

const char *const kTurn = "nw_column"; // the counter of a thread's columns
const char *const kGroup = "nw_rows";  // the counter of rows that a block has at a time
const char *const kSums = "nw_sums";   // of columns

// Elements of arrays in an expression, the outermost subscripts of each; not those that registers
// hold.
void elementsIn(const StmtP &code, std::vector<ExprP> &out) {
  walkExprs(code, [&](const ExprP &e) {
    if (e->kind == ExprKind::Staged)
      return false;
    if (e->kind != ExprKind::Index)
      return true;
    if (std::none_of(out.begin(), out.end(),
                     [&](const ExprP &known) { return sameTree(known, e); }))
      out.push_back(e);
    return false;
  });
}

// Whether the element's subscripts are sums of multiples, as far as one sees: others are not known
// to the verifier where elements wait in registers.
bool isPlain(const ExprP &element) {
  std::vector<ExprP> subscripts;
  bool is = elementOf(element, subscripts);
  for (const ExprP &s : subscripts)
    walk(s, [&](const ExprP &e) {
      bool isSum =
          e->kind == ExprKind::Binary && (e->name == "+" || e->name == "-" || e->name == "*");
      return is &= isSum || e->kind == ExprKind::Int || e->kind == ExprKind::Var ||
                   e->kind == ExprKind::Cast || e->kind == ExprKind::Unary,
             is;
    });
  return is;
}

// Whether the instance reads the element whatever its data are.
bool isRead(const StmtP &instance, const ExprP &element) {
  bool is = false;
  for (const StmtP &s : instance->body)
    for (size_t n = 0; s->kind == StmtKind::Assign && n < s->exprs.size(); n++)
      walk(s->exprs[n], [&](const ExprP &e) {
        is |= sameTree(e, element);
        return e->kind != ExprKind::Select &&
               !(e->kind == ExprKind::Binary && (e->name == "&&" || e->name == "||"));
      });
  return is;
}

class Fusion {
public:
  Fusion(InstanceContext &context, const Step &first, const Step &second, const FusePlan &plan,
         const View &given, const DeviceSpec &device,
         const std::array<std::vector<StmtP>, 2> &declarations, const std::string &partialName)
      : context(context), p(context.program), plan(plan), view(given), device(device),
        partialName(partialName), type(context.indexType) {
    std::string why;
    std::optional<FusionParts> found = fusionParts(p, first, second, why);
    if (!found)
      throw InternalError{"steps cannot be fused: " + why};
    parts = *found;
    rowStep = parts.rowsFirst ? &first : &second;
    columnStep = parts.rowsFirst ? &second : &first;
    ofRows = declarations[parts.rowsFirst ? 0 : 1];
    ofColumn = declarations[parts.rowsFirst ? 1 : 0];
    row = rowStep->parallel[0];
    column = parts.rows.loop;
  }

  std::optional<FusedCode> run() {
    isl::set outside = view.context;
    for (const Step *s : {rowStep, columnStep}) // variables in memory, for whatever reason
      for (const std::string &name : s->statements)
        for (const Access &a : p.find(name)->accesses)
          if (context.expansions.count(a.array))
            return std::nullopt;
    if (!narrow())
      return std::nullopt;
    made.legalIf = AstReader(p, kI64).condition(view.context, outside);
    if (!made.legalIf)
      made.legalIf = intConst(1, kI32);
    rowBox = boxOf(stepOver(row), restrictTo(view, p, {parts.rowReductionStatement}),
                   context.reader, type);
    columnBox = boxOf(stepOver(column), restrictTo(view, p, {parts.rowReductionStatement}),
                      context.reader, type);
    ExprP rows = cast(rowBox.count[0], kI64), columns = cast(columnBox.count[0], kI64);
    ExprP groups = plan.rows == 1 ? rows
                                  : binary("/", binary("+", rows, intConst(plan.rows - 1), kI64),
                                           intConst(plan.rows), kI64);
    made.partial = columnReduction().type;
    made.columns = columns;
    int sure = sureTurns() * plan.block; // columns, of which `legalIf` sees that they are there
    for (const auto &[count, from] :
         {std::pair(rows, plan.profitableFrom[0]),
          std::pair(columns, plan.profitableFrom[1] == sure ? 0 : plan.profitableFrom[1])})
      if (from > 1) {
        ExprP enough = binary(">=", count, intConst(from), kI32);
        made.profitableIf =
            made.profitableIf ? binary("&&", made.profitableIf, enough, kI32) : enough;
      }
    if (!rowsKernel(groups))
      return std::nullopt;
    gatherKernel(columns);
    return std::move(made);
  }

private:
  const Reduction &rowReduction() const { return *p.find(parts.rowReductionStatement)->reduction; }
  const Reduction &columnReduction() const {
    return *p.find(parts.columnReductionStatement)->reduction;
  }

  static Step stepOver(const Dimension &d) {
    Step s;
    s.parallel = {d};
    return s;
  }

  // The turns that every thread has, since sizes with fewer columns are left to others: nobody asks
  // whether their columns are there.
  int sureTurns() const {
    return int(std::min<int64_t>(plan.columns, plan.profitableFrom[1] / plan.block));
  }

  // Only sizes for which there are rows, columns that threads have registers for, and those of the
  // sure turns.
  bool narrow() {
    View reductions = restrictTo(view, p, {parts.rowReductionStatement});
    isl::set values = valuesOf(reductions, {column});
    if (values.is_empty())
      return false;
    isl::pw_aff low = lowest(values, 0), high = highest(values, 0);
    isl::pw_aff most = low.add(constantOn(
        low.domain().get_space(), intVal(p.isl->get(), long(plan.block) * plan.columns - 1)));
    view.context = view.context.intersect(onlyParams(values)).intersect(high.le_set(most));
    if (sureTurns() > 0)
      view.context = view.context.intersect(high.ge_set(low.add(constantOn(
          low.domain().get_space(), intVal(p.isl->get(), long(plan.block) * sureTurns() - 1)))));
    view.context = view.context.coalesce();
    return !view.context.is_empty();
  }

  // ---- the kernel of rows ----

  bool rowsKernel(const ExprP &groups) {
    std::vector<StmtP> inside, loads, reductions, puts, takes, forwards, sums;
    bool isForwarded = parts.flows && startOfRow();
    std::vector<std::pair<ExprP, ExprP>>
        ofColumns; // elements that are the same for all rows, and where they wait
    for (int r = 0; r < plan.rows; r++) {
      std::string name = r == 0 ? row.name : freeName(fmt::format("{}_{}", row.name, r));
      ExprP at = rowOf(r);
      inside.push_back(declare(name, type, {}, {at}));
      StmtP along = cell(parts.rowReductionStatement, *rowStep, row, column, name, reducedName(r)),
            across = cell(parts.columnReductionStatement, *columnStep, parts.columns.loop,
                          columnStep->parallel[0], name, kSums);
      if (!along->isInstance() || !across->isInstance())
        return false;
      across = rewriteExprs(across, [&](const ExprP &e) {
        return e->kind == ExprKind::Var && e->name == kSums ? index(e, fromFirst(), e->type) : e;
      });
      isForwarded =
          isForwarded && !readsOthers(across, elementFor(parts.rowReductionStatement, name));
      for (const ExprP &element : sharedElements(along, across, name)) {
        std::string held = freeName(
            fmt::format("{}_row{}", baseOf(element)->name, r ? std::to_string(r + 1) : ""));
        inside.push_back(dealtOut(held, element->type, plan.block, mapping()));
        ExprP slot = index(var(held, element->type), fromFirst(), element->type);
        loads.push_back(ofRow(r, name, overColumns(assign(slot, element))));
        auto keep = [&](const StmtP &code) {
          return rewriteExprs(code, [&](const ExprP &e) {
            return sameTree(e, element) ? staged(slot, element) : e;
          });
        };
        along = keep(along);
        across = keep(across);
      }
      for (const ExprP &element : r == 0 ? elementsOfColumn(along, name) : std::vector<ExprP>()) {
        std::string held = freeName(baseOf(element)->name + "_column");
        inside.push_back(dealtOut(held, element->type, plan.block, mapping()));
        ExprP slot = index(var(held, element->type), fromFirst(), element->type);
        loads.push_back(overColumns(assign(slot, element)));
        ofColumns.push_back({element, slot});
      }
      for (const auto &[element, slot] : ofColumns)
        along = rewriteExprs(along, [&, &element = element, &slot = slot](const ExprP &e) {
          return sameTree(e, element) ? staged(slot, element) : e;
        });
      for (const ExprP &element : elementsOfRow(along, across, name)) {
        std::string held = freeName(
            fmt::format("{}_here{}", baseOf(element)->name, r ? std::to_string(r + 1) : ""));
        ExprP slot = var(held, element->type);
        inside.push_back(declare(held, element->type, {}, {}));
        ExprP hasColumn = binary("<=", sum(columnBox.first[0], coordinate("local.x", type)),
                                 columnBox.last[0], kI32);
        loads.push_back(ofRow(r, name,
                              sureTurns() > 0 ? assign(slot, element)
                                              : ifElse(hasColumn, assign(slot, element))));
        auto keep = [&](const StmtP &code) {
          return rewriteExprs(code, [&](const ExprP &e) {
            return sameTree(e, element) ? staged(slot, element) : e;
          });
        };
        along = keep(along);
        across = keep(across);
      }
      inside.push_back(
          declare(reducedName(r), rowReduction().type, {}, {identityOf(rowReduction())}));
      reductions.push_back(ofRow(r, name, overColumns(along)));
      puts.push_back(reduceStmt(reducedName(r), rowReduction().type,
                                reductionOperator(rowReduction().kind, rowReduction().byFunction),
                                0));
      takes.push_back(block(results(r, name)));
      if (isForwarded) {
        std::string known = freeName(fmt::format("{}_known{}", baseOf(rowReduction().target)->name,
                                                 r ? std::to_string(r + 1) : ""));
        ExprP element = elementFor(parts.rowReductionStatement, name),
              reduced = var(reducedName(r), rowReduction().type);
        forwards.push_back(
            declare(known, element->type, {},
                    {reducedBy(operatorOf(rowReduction()), *startOfRow(), reduced)}));
        across = rewriteExprs(across, [&](const ExprP &e) {
          return sameTree(e, element) ? staged(var(known, element->type), element) : e;
        });
      }
      sums.push_back(ofRow(r, name, overColumns(across, isHarmless(across))));
    }
    Copies own = withCopies(ofRows, takes, [&](const std::string &name) {
      return context.dimensions.count(name) || p.region.variables.count(name) || taken.count(name);
    });
    auto add = [&](const std::vector<StmtP> &code) {
      inside.insert(inside.end(), code.begin(), code.end());
    };
    add(own.declarations);
    add(loads);
    add(reductions);
    if (!parts.flows)
      add(sums);
    add(puts);
    for (const StmtP &code : own.codes)
      add(code->body);
    if (parts.flows) {
      if (isForwarded)
        add(forwards);
      else
        inside.push_back(marker(StmtKind::Barrier));
      add(sums);
    }
    const Reduction &c = columnReduction();
    ExprP counter = var(kGroup, type), sum = index(var(kSums, c.type), fromFirst(), c.type);
    ExprP more = binary("<=", rowOf(0), rowBox.last[0], kI32);
    StmtP rows = forLoop(kGroup, type, coordinate("block.x", type), more,
                         coordinate("blocks.x", type), block(inside));
    StmtP leave = leaveStmt({.buffer = var(partialName, c.type),
                             .value = sum,
                             .column = cast(fromFirst(), kI64),
                             .columns = var("nw_columns", kI64)});
    made.rows.body = block({dealtOut(kSums, c.type, plan.block, mapping()),
                            ofThread(assign(sum, identityOf(c))), rows, overColumns(leave)});
    made.rows.block = {plan.block, 1, 1};
    made.rows.threads = {binary("*", groups, intConst(plan.block), kI64), intConst(1), intConst(1)};
    made.rows.limit = {plan.blocks, 1, 1};
    made.rows.summary =
        fmt::format("blocks of {} threads have {} of {} at a time, {} columns in a thread: the "
                    "reductions over {} and over {} in one",
                    plan.block, plan.rows == 1 ? "one row" : fmt::format("{} rows", plan.rows),
                    baseNames(), plan.columns, parts.rows.loop.name, parts.columns.loop.name);
    return true;
  }

  std::string baseNames() const {
    std::string all;
    for (const std::string &name : parts.shared)
      all += (all.empty() ? "" : " and ") + name;
    return all;
  }

  // Where the step along rows does nothing but set an element to a constant and reduce into it: the
  // constant. All threads know then what the element has, once the reduction is put together.
  std::optional<ExprP> startOfRow() const {
    const std::vector<BlockReductionPiece> &pieces = parts.rows.pieces;
    if (pieces.size() != 2 || pieces[0].isLoop || pieces[0].statements.size() != 1 ||
        !pieces[1].isLoop)
      return std::nullopt;
    const StmtP &start = p.find(pieces[0].statements[0])->body;
    const Reduction &r = rowReduction();
    if (start->kind != StmtKind::Assign || !sameTree(start->exprs[0], r.target) ||
        !(start->exprs[1]->type == r.type) || r.target->kind != ExprKind::Index)
      return std::nullopt;
    bool isConstant = true;
    walk(start->exprs[1], [&](const ExprP &e) {
      return isConstant &= e->kind == ExprKind::Int || e->kind == ExprKind::Float ||
                           e->kind == ExprKind::Cast || e->kind == ExprKind::Unary,
             isConstant;
    });
    return isConstant ? std::optional(start->exprs[1]) : std::nullopt;
  }

  // Whether the code mentions the element's array in other ways.
  static bool readsOthers(const StmtP &code, const ExprP &element) {
    bool others = false;
    walkExprs(code, [&](const ExprP &e) {
      others |= e->kind == ExprKind::Var && e->name == baseOf(element)->name;
      return !sameTree(e, element);
    });
    return others;
  }

  // What the block's first thread does for a row once the reduction is put together.
  std::vector<StmtP> results(int r, const std::string &name) {
    std::vector<StmtP> out;
    ExprP isFirst = binary("==", coordinate("local.x", type), intConst(0, type), kI32);
    ExprP who = r == 0 ? isFirst : binary("&&", isFirst, isRow(name), kI32);
    for (const BlockReductionPiece &piece : parts.rows.pieces) {
      if (!piece.isLoop) {
        View own = fixed(within(restrictTo(view, p, piece.statements), row, name), row, name);
        out.push_back(ifElse(who, instances(context, own, rowStep->inside, rowStep->insideNames)));
        continue;
      }
      ExprP target = elementFor(parts.rowReductionStatement, name);
      ExprP own = var(reducedName(r), rowReduction().type);
      out.push_back(
          ifElse(who, assign(target, reducedBy(operatorOf(rowReduction()), target, own))));
    }
    return out;
  }

  // The instance of a reduction for a row and a column, its target under another name.
  StmtP cell(const std::string &statement, const Step &step, const Dimension &rowOfStep,
             const Dimension &columnOfStep, const std::string &name, const std::string &target) {
    context.reductions.emplace(statement, p.find(statement)->reduction->target);
    context.reductionNames[statement] = target;
    View own = within(within(restrictTo(view, p, {statement}), rowOfStep, name), columnOfStep,
                      column.name);
    own = fixed(fixed(own, rowOfStep, name), columnOfStep, column.name);
    StmtP code = instances(context, own, step.inside, step.insideNames);
    context.reductions.clear();
    context.reductionNames.clear();
    while (code->kind == StmtKind::Block && !code->isInstance() && code->body.size() == 1)
      code = code->body[0];
    return code;
  }

  // What is known where the dimension has the value `name`.
  View within(View v, const Dimension &d, const std::string &name) const {
    v.context = v.context.intersect(onlyParams(equateToParam(rangeOf(stepOver(d), v, 0), 0, name)));
    return v;
  }

  // Elements that both read, which differ from row to row and from column to column.
  std::vector<ExprP> sharedElements(const StmtP &along, const StmtP &across,
                                    const std::string &name) const {
    std::vector<ExprP> one, other, shared;
    elementsIn(along, one);
    elementsIn(across, other);
    for (const ExprP &e : one) {
      const Expr *base = baseOf(e);
      bool isShared = base && std::count(parts.shared.begin(), parts.shared.end(), base->name) &&
                      !e->type.isStruct() && isPlain(e) && mentions(e, name) &&
                      mentions(e, column.name);
      if (isShared && (isRead(along, e) || isRead(across, e)) &&
          std::any_of(other.begin(), other.end(), [&](const ExprP &o) { return sameTree(o, e); }))
        shared.push_back(e);
    }
    return shared;
  }

  // Elements that are the same for all columns of a row, and that nobody writes: a thread loads
  // them once.
  std::vector<ExprP> elementsOfRow(const StmtP &along, const StmtP &across,
                                   const std::string &name) const {
    std::vector<ExprP> all, found;
    elementsIn(along, all);
    elementsIn(across, all);
    for (const ExprP &e : all) {
      const Expr *base = baseOf(e);
      auto array = base ? p.arrays.find(base->name) : p.arrays.end();
      if (array != p.arrays.end() && array->second.kind == ArrayKind::Memory &&
          !isWritten(base->name) && !e->type.isStruct() && isPlain(e) && mentions(e, name) &&
          !mentions(e, column.name) && (isRead(along, e) || isRead(across, e)))
        found.push_back(e);
    }
    return found;
  }

  // Elements that the reduction along a row reads for each column, whatever the row, and that
  // nobody writes: to wait for them one by one would take longer than to wait for the row.
  std::vector<ExprP> elementsOfColumn(const StmtP &along, const std::string &name) const {
    std::vector<ExprP> all, found;
    elementsIn(along, all);
    for (const ExprP &e : all) {
      const Expr *base = baseOf(e);
      auto array = base ? p.arrays.find(base->name) : p.arrays.end();
      bool isNew =
          std::none_of(found.begin(), found.end(), [&](const ExprP &o) { return sameTree(o, e); });
      if (isNew && array != p.arrays.end() && array->second.kind == ArrayKind::Memory &&
          !isWritten(base->name) && !e->type.isStruct() && isPlain(e) && mentions(e, column.name) &&
          !mentions(e, name) && isRead(along, e))
        found.push_back(e);
    }
    return found;
  }

  // Whether the instance computes floating-point numbers in registers alone: then columns that are
  // none need not be asked about.
  static bool isHarmless(const StmtP &instance) {
    bool is = true;
    for (const StmtP &s : instance->body) {
      is &= s->kind == StmtKind::Assign && s->exprs[0]->type.isFloat();
      for (const ExprP &e : s->exprs)
        walk(e, [&](const ExprP &x) {
          if (x->kind == ExprKind::Staged ||
              (x->kind == ExprKind::Index && x->args[0]->kind == ExprKind::Var &&
               x->args[0]->name == kSums))
            return false;
          is &= x->type.isFloat() && (x->kind == ExprKind::Binary || x->kind == ExprKind::Unary ||
                                      x->kind == ExprKind::Float || x->kind == ExprKind::Cast);
          return is;
        });
    }
    return is;
  }

  bool isWritten(const std::string &array) const {
    for (const Step *s : {rowStep, columnStep})
      for (const std::string &statement : s->statements)
        for (const Access &a : p.find(statement)->accesses)
          if (a.array == array && a.isWrite)
            return true;
    return false;
  }

  // For all columns of the thread: neighbouring threads have neighbouring ones.
  // `isUnasked`: those that are none, too, since nobody looks at what becomes of them.
  StmtP overColumns(const StmtP &code, bool isUnasked = false) const {
    ExprP isThere = binary("<=", var(column.name, type), columnBox.last[0], kI32);
    if (int sure = sureTurns(); sure > 0)
      isThere = binary("||", binary("<", fromFirst(), intConst(sure * plan.block, type), kI32),
                       isThere, kI32);
    auto asked = std::make_shared<Stmt>(*ifElse(isThere, code));
    asked->isSpeculated = isUnasked;
    return ofThread(asked);
  }

  // For all values that a thread has a column's registers for.
  StmtP ofThread(const StmtP &code) const {
    const ExprP &first = columnBox.first[0];
    bool isZero = first->kind == ExprKind::Int && first->integer == 0;
    return cyclicLoop(column.name, type, isZero ? nullptr : first, plan.block, mapping(), code);
  }
  CyclicMapping mapping() const { return {kTurn, plan.columns}; }

  StmtP ofRow(int r, const std::string &name, const StmtP &code) const {
    return r == 0 ? code : ifElse(isRow(name), code);
  }
  ExprP isRow(const std::string &name) const {
    return binary("<=", var(name, type), rowBox.last[0], kI32);
  }

  ExprP rowOf(int r) const {
    ExprP group = var(kGroup, type),
          at = plan.rows == 1 ? group : binary("*", group, intConst(plan.rows, type), type);
    at = sum(rowBox.first[0], at);
    return r == 0 ? at : binary("+", at, intConst(r, type), type);
  }

  ExprP fromFirst() const {
    const ExprP &first = columnBox.first[0];
    return first->kind == ExprKind::Int && first->integer == 0
               ? var(column.name, type)
               : binary("-", var(column.name, type), first, type);
  }

  static std::string reducedName(int r) {
    return r ? fmt::format("{}{}", kReducedName, r + 1) : kReducedName;
  }

  std::string freeName(std::string name) {
    while (context.dimensions.count(name) || p.region.variables.count(name) ||
           p.arrays.count(name) || taken.count(name))
      name += "_";
    taken.insert(name);
    return name;
  }

  // ---- the kernel that takes the sums of columns ----

  void gatherKernel(const ExprP &columns) {
    const Dimension &own = columnStep->parallel[0];
    const Reduction &r = columnReduction();
    int width = std::min(device.warp, device.blockThreads), height = 1;
    while (height * 2 <= std::min(kGatherRows, device.blockThreads / width))
      height *= 2;
    ExprP isFirst = binary("==", coordinate("local.y", type), intConst(0, type), kI32);
    ExprP inRange = binary("<=", var(own.name, type), columnBox.last[0], kI32);
    std::vector<StmtP> code = {
        declare(own.name, type, {}, {sum(columnBox.first[0], coordinate("thread.x", type))})};
    code.insert(code.end(), ofColumn.begin(), ofColumn.end());
    for (const BlockReductionPiece &piece : parts.columns.pieces) {
      if (!piece.isLoop) {
        View inside =
            fixed(within(restrictTo(view, p, piece.statements), own, own.name), own, own.name);
        code.push_back(
            ifElse(binary("&&", isFirst, inRange, kI32),
                   instances(context, inside, columnStep->inside, columnStep->insideNames)));
        continue;
      }
      code.push_back(takeStmt({.target = elementFor(parts.columnReductionStatement, own.name),
                               .buffer = var(partialName, r.type),
                               .rows = var("nw_blocks", kI64),
                               .guard = inRange,
                               .op = operatorOf(r),
                               .axis = 1,
                               .type = type,
                               .columns = var("nw_columns", kI64)}));
    }
    made.gather.body = block(code);
    made.gather.block = {width, height, 1};
    made.gather.threads = {columns, intConst(height), intConst(1)};
    made.gather.summary = fmt::format(
        "{} threads along y take the partial results of a column, over {}", height, own.name);
  }

  // What the statement reduces into, for a value of its step's parallel loop.
  ExprP elementFor(const std::string &statement, const std::string &name) const {
    const Statement &s = *p.find(statement);
    return rewrite(s.reduction->target, [&](const ExprP &e) -> ExprP {
      for (int id : s.loops)
        if (const SourceLoop &l = p.loop(id); e->kind == ExprKind::Var && e->name == l.counter)
          return l.step < 0 ? cast(unary("-", var(name, type), type), l.type)
                            : cast(var(name, type), l.type);
      return e;
    });
  }

  static ExprP coordinate(const char *name, const Type &t) {
    return node(ExprKind::Builtin, {}, t, name);
  }
  static ExprP sum(const ExprP &a, const ExprP &b) {
    return a->kind == ExprKind::Int && a->integer == 0 ? b : binary("+", a, b, b->type);
  }

  InstanceContext &context;
  const Program &p;
  const FusePlan &plan;
  View view; // of sizes that suit
  const DeviceSpec &device;
  std::string partialName;
  Type type;
  FusionParts parts;
  const Step *rowStep = nullptr, *columnStep = nullptr;
  Dimension row, column;
  Box rowBox, columnBox;
  std::vector<StmtP> ofRows, ofColumn; // declarations of private variables
  std::set<std::string> taken;
  FusedCode made;
};

} // namespace

std::optional<FusedCode> fusedCode(InstanceContext &context, const Step &first, const Step &second,
                                   const FusePlan &plan, const View &view, const DeviceSpec &device,
                                   const std::array<std::vector<StmtP>, 2> &declarations,
                                   const std::string &partialName) {
  return Fusion(context, first, second, plan, view, device, declarations, partialName).run();
}

} // namespace nw
