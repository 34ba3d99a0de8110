// Reductions of a block's threads.
#include "lower/block_reduction.h"
#include "kernel/partial_results.h"
#include "kernel/reduction_steps.h"
#include "lower/block_values.h"
#include "plan/lines.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// Loads that a thread has under way at once: what hides the latency of memory.
constexpr int kUnrolled = 8;
const char *const kBeginName = "nw_begin";

class BlockReduction {
public:
  BlockReduction(InstanceContext &context, const Step &step, const BlockReductionPlan &plan,
                 int64_t gridLimit, const Box &box, const View &view)
      : context(context), p(context.program), step(step), plan(plan), gridLimit(gridLimit),
        box(box), view(view), type(context.indexType) {
    std::string why;
    std::optional<BlockReductionParts> found = blockReductionParts(p, step, why);
    if (!found)
      throw InternalError{"a reduction cannot be shared by a block: " + why};
    parts = *found;
    rows = rowsOfBlock(p, step, parts, plan.axis);
    outer = step.parallel[rows].name;
    for (size_t d = step.parallel.size(); d-- > 0;)
      if (d != rows)
        others.push_back(d);
    known = withBlockValues(step, others, view, view).context;
  }

  BlockReductionCode run(const std::vector<StmtP> &declarations,
                         const std::function<std::string(size_t)> &partialName) {
    made.profitableIf = isProfitable();
    if (isSplit())
      overBlocks(declarations, partialName);
    else
      made.reduce = inOneBlock(declarations);
    return std::move(made);
  }

private:
  BlockReductionKernel inOneBlock(const std::vector<StmtP> &declarations) {
    BlockReductionKernel k;
    k.hasInnerLoops = !parts.others.empty();
    k.block = {plan.block[0], plan.block[1], 1};
    k.condition = box.nonempty;
    int many = plan.block[1];
    BlockValues own =
        blockValues(step, others, box, type,
                    [&](const std::string &name, const ExprP &e) { return launched(name, e); });
    ExprP count = cast(box.count[rows], kI64), number;
    if (plan.axis == ThreadAxis::X) { // a row of threads has a value of the parallel loop
      ExprP blocks = many == 1 ? count
                               : binary("/", binary("+", count, intConst(many - 1), kI64),
                                        intConst(many), kI64);
      k.threads = {binary("*", blocks, intConst(plan.block[0]), kI64), intConst(many), own.many};
      number = coordinate("block.x");
      if (many > 1)
        number = binary("+", binary("*", number, intConst(many, type), type), coordinate("local.y"),
                        type);
    } else { // a column has
      k.threads = {count, intConst(many), own.many};
      number = coordinate("thread.x");
    }
    if (!others.empty())
      made.legalIf = binary("<=", own.many, intConst(gridLimit), kI32);
    std::vector<StmtP> code;
    for (const StmtP &d : declarations)
      if (parts.shared.count(d->name))
        code.push_back(inSharedMemory(d, many));
    code.insert(code.end(), own.declarations.begin(), own.declarations.end());
    code.push_back(declare(outer, type, {}, {sum(box.first[rows], number)}));
    for (const StmtP &d : declarations)
      if (!parts.shared.count(d->name))
        code.push_back(d);
    for (const BlockReductionPiece &piece : parts.pieces) {
      if (piece.waits)
        code.push_back(marker(StmtKind::Barrier));
      if (piece.isLoop)
        reduce(piece, code, [&](const std::string &name, const ExprP &own, const ExprP &) {
          const Reduction &r = *p.find(name)->reduction;
          ExprP target = elementFor(name);
          return assign(target, reducedBy(operatorOf(r), target, own));
        });
      else
        code.push_back(ifElse(isFirst(), instancesOf(piece.statements, view)));
    }
    k.body = many > 1 ? withOwnOfRow(block(code)) : block(code);
    k.summary =
        parts.inPhases
            ? fmt::format("{} out each loop over {} for one value of {}",
                          many > 1 ? fmt::format("rows of {} threads, {} in a block, share",
                                                 k.block[0], many)
                                   : fmt::format("a block of {} threads shares", k.block[0]),
                          parts.loop.name, allOuter())
            : fmt::format(
                  "{} threads along {} share the reduction over {}{}, blocks of {}x{}, over {}",
                  plan.block[size_t(plan.axis)], "xy"[size_t(plan.axis)], parts.loop.name,
                  lines ? " from the beginning of a line of memory on" : "", k.block[0], k.block[1],
                  allOuter());
    return k;
  }

  // A column of threads has a value of the parallel loop; several blocks have the same columns, and
  // leave a partial result of each.
  void overBlocks(const std::vector<StmtP> &declarations,
                  const std::function<std::string(size_t)> &partialName) {
    ExprP count = cast(box.count[0], kI64), number = sum(box.first[0], coordinate("thread.x"));
    int rows = plan.block[1], blocks = plan.block[2];
    ExprP threads = binary("/", binary("+", valuesOfLoop(), intConst(kUnrolled - 1), kI64),
                           intConst(kUnrolled), kI64);
    made.columns = count;
    std::vector<StmtP> code = {declare(outer, type, {}, {number})},
                       later = {declare(outer, type, {}, {number})};
    later.insert(later.end(), declarations.begin(), declarations.end());
    for (const BlockReductionPiece &piece : parts.pieces) {
      if (!piece.isLoop) {
        later.push_back(instancesOf(piece.statements, view));
        continue;
      }
      reduce(piece, code, [&](const std::string &name, const ExprP &own, const ExprP &guard) {
        const Reduction &r = *p.find(name)->reduction;
        ExprP partial = var(partialName(made.partials.size()), r.type),
              columns = var("nw_columns", kI64);
        made.partials.push_back(r.type);
        later.push_back(takeStmt({.target = elementFor(name),
                                  .buffer = partial,
                                  .rows = var("nw_blocks", kI64),
                                  .guard = guard ? guard : intConst(1, kI32),
                                  .op = operatorOf(r),
                                  .type = type,
                                  .columns = columns}));
        return leaveStmt({.buffer = partial,
                          .value = own,
                          .axis = 1,
                          .column = node(ExprKind::Builtin, {}, kI64, "thread.x"),
                          .columns = columns});
      });
    }
    for (const StmtP &d : declarations) // those of the loops
      if (std::any_of(code.begin(), code.end(),
                      [&](const StmtP &s) { return mentions(s, d->name); }))
        code.insert(code.begin() + 1, d);
    made.reduce.body = block(code);
    made.reduce.block = {plan.block[0], rows, 1};
    made.reduce.threads = {count, threads, intConst(1)};
    made.reduce.limit = {0, blocks, 1};
    made.reduce.condition = context.reader.condition(
        onlyParams(valuesOf(restrictTo(view, p, loopStatementsOf(parts)), step.parallel)),
        view.context);
    made.reduce.summary = fmt::format("{} threads along y in up to {} blocks share the reduction "
                                      "over {}, blocks of {}x{}, over {}",
                                      rows, blocks, parts.loop.name, plan.block[0], rows, outer);
    made.gather =
        BlockReductionKernel{block(later),
                             {plan.block[0] * rows, 1, 1},
                             {count, intConst(1), intConst(1)},
                             {0, 0, 0},
                             box.nonempty,
                             fmt::format("takes the partial results in order, over {}", outer)};
  }

  // One for each row of threads, where a block has several.
  static StmtP inSharedMemory(const StmtP &declaration, int rows) {
    auto made = std::make_shared<Stmt>(*declaration);
    made->kind = StmtKind::Shared;
    if (rows > 1)
      made->extents.insert(made->extents.begin(), rows);
    return made;
  }

  // The code with each row's own of the variables in shared memory.
  StmtP withOwnOfRow(const StmtP &code) const {
    return rewriteExprs(code, [&](const ExprP &e) {
      return e->kind == ExprKind::Var && parts.shared.count(e->name)
                 ? index(e, coordinate("local.y"), e->type)
                 : e;
    });
  }

  // How many values the loop of the reductions has, over all values of the parallel loop.
  ExprP valuesOfLoop() {
    Step own;
    own.parallel = {parts.loop};
    return cast(
        boxOf(own, restrictTo(view, p, loopStatementsOf(parts)), AstReader(p, kI64), kI64).count[0],
        kI64);
  }

  bool isSplit() const {
    return plan.axis == ThreadAxis::Y && plan.block.size() > 2 && plan.block[2] > 1;
  }

  ExprP coordinate(const std::string &name) const {
    return node(ExprKind::Builtin, {}, type, name);
  }
  ExprP lane() const { return coordinate(plan.axis == ThreadAxis::X ? "local.x" : "local.y"); }
  ExprP isFirst() const { return binary("==", lane(), intConst(0, type), kI32); }

  static ExprP sum(const ExprP &a, const ExprP &b) {
    return a->kind == ExprKind::Int && a->integer == 0 ? b : binary("+", a, b, b->type);
  }

  // Instances of some statements for the value of the parallel loop.
  StmtP instancesOf(const std::vector<std::string> &statements, const View &known) {
    return instances(context, ofOneRow(restrictTo(known, p, statements)), step.inside,
                     step.insideNames);
  }

  // The view for the values of the parallel loops that the variables of their names have.
  View ofOneRow(const View &all) const {
    return fixed(withBlockValues(step, others, all, view), step.parallel[rows], outer);
  }

  // The values of the parallel loops for which the statements have instances.
  isl::set valuesWith(const std::vector<std::string> &statements) {
    isl::set values = valuesOf(restrictTo(view, p, statements), step.parallel);
    for (size_t d = 0; d < step.parallel.size(); d++)
      values = equateToParam(values, int(d), step.parallel[d].name);
    return onlyParams(values);
  }

  // Each thread reduces into a register; then the registers are put together, and the first thread
  // takes the result: `take` makes the assignment, from the statement's name, its register and the
  // condition under which it reduces at all.
  void reduce(const BlockReductionPiece &piece, std::vector<StmtP> &code,
              const std::function<StmtP(const std::string &, const ExprP &, const ExprP &)> &take) {
    std::vector<StmtP> afterwards;
    std::vector<std::string> reducing;
    for (const std::string &name : piece.statements)
      if (parts.reductions.count(name))
        reducing.push_back(name);
    for (const std::string &name : reducing) {
      const Reduction &r = *p.find(name)->reduction;
      std::string variable =
          registers++ ? fmt::format("{}{}", kReducedName, registers) : kReducedName;
      context.reductions.emplace(name, r.target);
      context.reductionNames[name] = variable;
      code.push_back(declare(variable, r.type, {}, {identityOf(r)}));
      ExprP guard = context.reader.condition(valuesWith({name}), known);
      afterwards.push_back(ifElse(guard ? binary("&&", isFirst(), guard, kI32) : isFirst(),
                                  take(name, var(variable, r.type), guard)));
    }
    code.push_back(loop(piece));
    for (const std::string &name : reducing)
      code.push_back(reduceStmt(context.reductionNames.at(name), p.find(name)->reduction->type,
                                operatorOf(*p.find(name)->reduction), int(plan.axis)));
    code.insert(code.end(), afterwards.begin(), afterwards.end());
    context.reductions.clear();
    context.reductionNames.clear();
  }

  // The loop that threads share out, where it has any values.
  StmtP loop(const BlockReductionPiece &piece) {
    const std::string &inner = parts.loop.name;
    View row = restrictTo(view, p, piece.statements);
    isl::set some = valuesWith(piece.statements);
    ExprP guard = context.reader.condition(some, known);
    row.context = row.context.intersect(some);
    row = ofOneRow(row);
    Step own;
    own.parallel = {parts.loop};
    Box box = boxOf(own, row, context.reader, type);
    View inside = row;
    inside.context =
        inside.context.intersect(onlyParams(equateToParam(rangeOf(own, row, 0), 0, inner)));
    inside = fixed(inside, parts.loop, inner);
    StmtP body = instances(context, inside, step.inside, step.insideNames);
    ExprP start = isSplit() ? coordinate("thread.y") : lane(),
          stride = isSplit() ? coordinate("threads.y") : intConst(plan.block[size_t(plan.axis)]);
    auto shared = std::make_shared<Stmt>(*forLoop(inner, type, sum(box.first[0], start),
                                                  binary("<=", var(inner, type), box.last[0], kI32),
                                                  stride, body));
    shared->loop.unroll = kUnrolled;
    std::string why;
    std::optional<RowBegin> begin =
        plan.lineAligned ? rowBegin(p, step, parts, piece, why) : std::nullopt;
    if (begin)
      shared->loop.line = {elementOf(*begin, box.first[0]),
                           lines++ ? fmt::format("{}{}", kBeginName, lines) : kBeginName};
    return guard ? ifElse(guard, shared) : StmtP(shared);
  }

  // The number of the row's first element, counted from the array's beginning.
  ExprP elementOf(const RowBegin &begin, const ExprP &first) {
    ExprP number;
    auto add = [&](const ExprP &e) { number = number ? binary("+", number, e, kI64) : e; };
    auto addTimes = [&](int64_t factor, const ExprP &e) {
      if (factor != 0)
        add(factor == 1    ? cast(e, kI64)
            : factor == -1 ? unary("-", cast(e, kI64), kI64)
                           : binary("*", intConst(factor), cast(e, kI64), kI64));
    };
    for (const RowBegin::Subscript &one : begin.subscripts) {
      if (number)
        number = binary("*", number, cast(one.size, kI64), kI64);
      addTimes(one.ofRow, var(outer, type));
      for (const Parameter &q : p.parameters)
        if (auto factor = one.parameters.find(q.name); factor != one.parameters.end())
          addTimes(factor->second, var(q.name, q.type));
      if (one.constant != 0)
        add(intConst(one.constant));
    }
    if (first->kind != ExprKind::Int || first->integer != 0)
      add(first->kind == ExprKind::Int ? intConst(first->integer) : cast(first, kI64));
    return number;
  }

  // What the statement reduces into, in terms of the parallel loop and of those around it.
  ExprP elementFor(const std::string &name) {
    const Statement &s = *p.find(name);
    View own = ofOneRow(restrictTo(view, p, {name}));
    own.context = own.context.intersect(valuesWith({name}));
    return rewrite(expandedElement(context, s.reduction->target), [&](const ExprP &e) -> ExprP {
      for (size_t level = 0; level < s.loops.size(); level++)
        if (const SourceLoop &l = p.loop(s.loops[level]);
            e->kind == ExprKind::Var && e->name == l.counter)
          return cast(counterValue(own, int(level)), l.type);
      return e;
    });
  }

  // The value that a counter of the only statement of the view has there.
  ExprP counterValue(const View &own, int level) {
    isl::set values = setsOf(own.domain)[0];
    values = isl::manage(isl_set_project_out(values.release(), isl_dim_set, unsigned(level) + 1,
                                             unsigned(dimsOf(setsOf(own.domain)[0]) - level - 1)));
    values = isl::manage(isl_set_project_out(values.release(), isl_dim_set, 0, unsigned(level)));
    return context.reader.value(lowest(isl::manage(isl_set_reset_tuple_id(values.release())), 0),
                                own.context);
  }

  // What the host computes once, where it is a long expression.
  ExprP launched(const std::string &name, const ExprP &e) {
    int nodes = 0;
    walk(e, [&](const ExprP &) { return ++nodes < 5; });
    if (nodes < 5)
      return e;
    made.hostValues["nw_" + name] = e;
    return var("nw_" + name, e->type);
  }

  std::string allOuter() const {
    std::string all = outer;
    for (size_t d : others)
      all += ", " + step.parallel[d].name;
    return all;
  }

  // Over all values of the parallel loops.
  ExprP isProfitable() {
    ExprP is = plan.profitableFrom <= 1
                   ? intConst(1, kI32)
                   : binary(">=", valuesOfLoop(), intConst(plan.profitableFrom), kI32);
    if (plan.rowsUpTo == 0)
      return is;
    ExprP many = cast(box.count[rows], kI64);
    for (size_t d : others)
      many = binary("*", many, cast(box.count[d], kI64), kI64);
    return binary("&&", is, binary("<=", many, intConst(plan.rowsUpTo), kI32), kI32);
  }

  InstanceContext &context;
  const Program &p;
  const Step &step;
  const BlockReductionPlan &plan;
  int64_t gridLimit;
  const Box &box;
  const View &view;
  Type type;
  BlockReductionParts parts;
  size_t rows = 0;            // the parallel loop of which a block has several values,
  std::string outer;          // its name,
  std::vector<size_t> others; // and those of which it has one;
  isl::set known;             // what is certain of those variables
  int registers = 0, lines = 0;
  BlockReductionCode made;
};

} // namespace

BlockReductionCode blockReductionCode(InstanceContext &context, const Step &step,
                                      const BlockReductionPlan &plan, int64_t gridLimit,
                                      const Box &box, const View &view,
                                      const std::vector<StmtP> &declarations,
                                      const std::function<std::string(size_t)> &partialName) {
  return BlockReduction(context, step, plan, gridLimit, box, view).run(declarations, partialName);
}

} // namespace nw
