// Instrumented instances.
#include "check/shadow_instance.h"
#include "check/shadow.h"
#include "support/diagnostics.h"
#include <fmt/format.h>

namespace nw {

namespace {

const char *const kWriter = "nw_writer", *const kCell = "nw_cell", *const kLog = "nw_log",
                  *const kMix = "nw_mix", *const kReduce = "nw_reduce";
constexpr uint64_t kLow = (1ull << kStatementShift) - 1;

ExprP number(uint64_t value) { return intConst(int64_t(value), kWho); }

std::string writerFunction(const Program &p, const std::string &statement) {
  return fmt::format("nw_writer_{}_{}", p.region.number, statement);
}

// Walks the body of the Program and the instance's code side by side: the first says which reads
// there are, the second what has become of them.
class InstanceWalk {
public:
  InstanceWalk(const Program &p, const ShadowElements &shadows, const Statement &s)
      : p(p), shadows(shadows), s(s) {}

  std::vector<ReadSite> sites;

  void stmt(const StmtP &source, const StmtP &code, std::vector<StmtP> &out) {
    if (source->kind == StmtKind::For && code->kind != StmtKind::For)
      return promotedLoop(source, code, out);
    if (source->kind != code->kind || source->body.size() != code->body.size())
      throw InternalError{fmt::format("the code of {} is not what its body was", s.name)};
    switch (source->kind) {
    case StmtKind::Block: {
      std::vector<StmtP> all;
      for (size_t k = 0; k < source->body.size(); k++)
        stmt(source->body[k], code->body[k], all);
      out.push_back(block(all));
      return;
    }
    case StmtKind::Declare:
      for (size_t k = 0; k < source->exprs.size(); k++)
        reads(source->exprs[k], code->exprs[k], nullptr, out);
      out.push_back(code);
      return;
    case StmtKind::Assign:
      assignment(source, code, out);
      return;
    case StmtKind::If: {
      reads(source->exprs[0], code->exprs[0], nullptr, out);
      if (isReductionGuard(source)) {
        reduction(assignmentIn(code)->exprs[0], out);
        reduced = true;
      }
      auto copy = std::make_shared<Stmt>(*code);
      bool outer = silent;
      silent |= isReductionGuard(
          source); // how often the value is taken depends on the order; the condition has read it
      for (size_t k = 0; k < source->body.size(); k++)
        copy->body[k] = inner(source->body[k], code->body[k], {});
      silent = outer;
      out.push_back(copy);
      return;
    }
    case StmtKind::For: {
      reads(source->loop.start, code->loop.start, nullptr, out);
      loops++;
      std::vector<StmtP> before; // the bound, each time that it lets an iteration begin
      reads(source->loop.condition, code->loop.condition, nullptr, before);
      auto copy = std::make_shared<Stmt>(*code);
      copy->body[0] = inner(source->body[0], code->body[0], before);
      out.push_back(copy);
      loops--;
      return;
    }
    case StmtKind::While:
    case StmtKind::DoWhile:
      whileLoop(source, code, out);
      return;
    default:
      out.push_back(code);
      return;
    }
  }

private:
  StmtP inner(const StmtP &source, const StmtP &code, std::vector<StmtP> before) {
    stmt(source, code, before);
    return block(before);
  }

  // The loop became: load a register, loop, store it.
  void promotedLoop(const StmtP &source, const StmtP &code, std::vector<StmtP> &out) {
    auto copy = std::make_shared<Stmt>(*code);
    if (code->kind == StmtKind::If && code->body.size() == 1) {
      std::vector<StmtP> all;
      stmt(source, code->body[0], all);
      copy->body[0] = block(all);
      out.push_back(copy);
      return;
    }
    if (code->kind != StmtKind::Block || code->body.size() != 3 ||
        code->body[0]->kind != StmtKind::Declare || code->body[2]->kind != StmtKind::Assign)
      throw InternalError{fmt::format("the code of {} is not what its body was", s.name)};
    const StmtP &load = code->body[0], &store = code->body[2];
    std::vector<StmtP> all = {
        load, declare(shadowName(load->name), kWho, {}, {shadows.of(load->exprs[0])[0]})};
    stmt(source, code->body[1], all);
    all.push_back(assign(shadows.of(store->exprs[0])[0], shadows.of(store->exprs[1])[0]));
    all.push_back(store);
    out.push_back(block(all));
  }

  // The condition is looked at in the body's first line, so that `continue` finds it.
  void whileLoop(const StmtP &source, const StmtP &code, std::vector<StmtP> &out) {
    loops++;
    std::vector<StmtP> test, body;
    ExprP runs = code->exprs[0];
    bool first = source->kind == StmtKind::While;
    if (first)
      reads(source->exprs[0], runs, nullptr, test);
    stmt(source->body[0], code->body[0], body);
    if (!first)
      reads(source->exprs[0], runs, nullptr, test);
    test.push_back(ifElse(unary("!", runs, kI32), marker(StmtKind::Break)));
    if (!first) {
      ExprP again = var(fmt::format("nw_again{}", loops), kI32);
      out.push_back(declare(again->name, kI32, {}, {intConst(0, kI32)}));
      test = {ifElse(again, block(test)), assign(again, intConst(1, kI32))};
    }
    test.insert(test.end(), body.begin(), body.end());
    auto copy = std::make_shared<Stmt>(*code);
    copy->kind = StmtKind::While;
    copy->exprs = {intConst(1, kI32)};
    copy->body = {block(test)};
    out.push_back(copy);
    loops--;
  }

  void assignment(const StmtP &source, const StmtP &code, std::vector<StmtP> &out) {
    reads(source->exprs[1], code->exprs[1], nullptr, out);
    if (isLvalue(source->exprs[0])) {
      subscripts(source->exprs[0], code->exprs[0], nullptr, out);
      // Signed before it is written, while the subscripts still are what they were.
      if (isReductionTarget(source->exprs[0])) {
        if (!reduced)
          reduction(code->exprs[0], out);
      } else {
        for (const ExprP &who : shadows.of(code->exprs[0]))
          out.push_back(assign(who, var(kWriter, kWho)));
      }
    } else {
      reads(source->exprs[0], code->exprs[0], nullptr, out);
    }
    out.push_back(code);
  }

  // ---- reductions

  bool isReductionTarget(const ExprP &lvalue) const {
    return s.reduction && sameTree(lvalue, s.reduction->target);
  }

  // if (e < x) x = e: reduces whether the condition holds or not.
  bool isReductionGuard(const StmtP &source) const {
    return s.reduction &&
           (s.reduction->kind == ReductionKind::Min || s.reduction->kind == ReductionKind::Max) &&
           mentionsReduction(source->exprs[0]);
  }

  // Whether the value depends on how far the reduction has come, which is not the same in another
  // order.
  bool mentionsReduction(const ExprP &value) const {
    bool found = false;
    walk(value, [&](const ExprP &e) {
      found |= isReductionTarget(e);
      return !found;
    });
    return found;
  }

  static StmtP assignmentIn(const StmtP &code) {
    StmtP found;
    walkStmts(code, [&](const StmtP &x) {
      if (x->kind == StmtKind::Assign)
        found = x;
    });
    return found;
  }

  void reduction(const ExprP &target, std::vector<StmtP> &out) {
    ExprP who = shadows.of(target)[0], own = call(kMix, {var(kWriter, kWho)}, kWho);
    out.push_back(assign(who, reducedShadow(s.reduction->kind, who, own)));
  }

  // ---- reads

  bool isLvalue(const ExprP &e) const {
    if (e->kind != ExprKind::Var && e->kind != ExprKind::Index && e->kind != ExprKind::Member)
      return false;
    const Expr *base = baseOf(e);
    return base && p.arrays.count(base->name);
  }

  // `code` is null where the read is gone. What is evaluated only sometimes is looked at under the
  // same condition.
  void reads(const ExprP &source, const ExprP &code, const ExprP &guard, std::vector<StmtP> &out) {
    if (!source)
      return;
    if (isLvalue(source)) {
      size_t site = sites.size();
      sites.push_back({source, nesting > 0, loops > 0});
      subscripts(source, code, guard, out);
      if (code && !silent && !isReductionTarget(source))
        record(site, code, guard, out);
      return;
    }
    bool same = code && code->kind == source->kind && code->args.size() == source->args.size();
    bool isAnd = source->kind == ExprKind::Binary && source->name == "&&",
         isOr = source->kind == ExprKind::Binary && source->name == "||";
    for (size_t k = 0; k < source->args.size(); k++) {
      ExprP when = guard;
      if (same && k > 0 && (isAnd || isOr || source->kind == ExprKind::Select) &&
          !mentionsReduction(source->args[0])) {
        const ExprP &first = code->args[0];
        bool negated = isOr || (source->kind == ExprKind::Select && k == 2);
        ExprP here = negated
                         ? unary("!", first, kI32)
                         : binary("!=", first,
                                  intConst(0, first->type.isFloat() ? kI32 : first->type), kI32);
        when = guard ? binary("&&", guard, here, kI32) : here;
      }
      reads(source->args[k], same ? code->args[k] : nullptr, when, out);
    }
  }

  void subscripts(ExprP source, ExprP code, const ExprP &guard, std::vector<StmtP> &out) {
    nesting++;
    while (source->kind == ExprKind::Index || source->kind == ExprKind::Member) {
      bool same = code && code->kind == source->kind;
      if (source->kind == ExprKind::Index)
        reads(source->args[1], same ? code->args[1] : nullptr, guard, out);
      code = same ? code->args[0] : nullptr;
      source = source->args[0];
    }
    nesting--;
  }

  void record(size_t site, const ExprP &lvalue, const ExprP &guard, std::vector<StmtP> &out) {
    ExprP word =
        index(var(kLog, kWho),
              binary("+", var(kCell, kI64), intConst(kCellWords + int64_t(site)), kI64), kWho);
    ExprP found;
    auto hashed = [](const ExprP &a, const ExprP &b) {
      return binary("+", binary("*", a, number(0x9E3779B97F4A7C15ull), kWho), b, kWho);
    };
    for (const ExprP &who : shadows.of(lvalue))
      found = found ? hashed(found, who) : who;
    StmtP code = assign(word, loops ? hashed(word, found) : found);
    out.push_back(guard ? ifElse(guard, code) : code);
  }

  const Program &p;
  const ShadowElements &shadows;
  const Statement &s;
  int loops = 0, nesting = 0;
  bool reduced = false, silent = false;
};

StmtP returning(const ExprP &value) {
  auto s = std::make_shared<Stmt>(*marker(StmtKind::Return));
  s->exprs = {value};
  return block({s});
}

Variable parameter(const std::string &name, const Type &type) {
  Variable v;
  v.name = v.spelling = name;
  v.type = type;
  return v;
}

uint64_t twistOf(ReductionKind kind) {
  return kind == ReductionKind::Sum ? 0 : (0xD1B54A32D192ED03ull * (uint64_t(kind) + 1)) & kLow;
}

} // namespace

ExprP reducedShadow(ReductionKind kind, const ExprP &a, const ExprP &b) {
  return call(kReduce, {a, b, number(twistOf(kind))}, kWho);
}
ExprP emptyReduction(ReductionKind kind) { return number(twistOf(kind)); }

std::vector<ReadSite> readSites(const Program &p, const Statement &s) {
  ShadowElements shadows(p, block({}), {});
  InstanceWalk all(p, shadows, s);
  std::vector<StmtP> unused;
  all.stmt(s.body, s.body, unused);
  return all.sites;
}

StmtP instrumentedInstance(const Program &p, const ShadowElements &shadows,
                           const RecordLayout &layout, const StmtP &instance, bool isSource) {
  const Statement &s = *p.find(instance->name);
  ExprP cell = var(baseOfCells(s.name), kI64);
  std::vector<ExprP> values;
  for (size_t k = 0; k < instance->values.size(); k++) {
    values.push_back(cast(instance->values[k], kI64));
    cell =
        binary("+", cell, binary("*", values[k], var(strideOfCells(s.name, k), kI64), kI64), kI64);
  }
  // Instances that the program has not go to the cell after the last.
  ExprP number = var("nw_number", kI64), cells = var(kCells, kI64), at = var(kCell, kI64);
  ExprP isInside =
      binary("&&", binary(">=", number, intConst(0), kI32), binary("<", number, cells, kI32), kI32);
  auto word = [&](int64_t k) {
    return index(var(kLog, kWho), k ? binary("+", at, intConst(k), kI64) : at, kWho);
  };
  std::vector<StmtP> code = {
      declare(kWriter, kWho, {}, {call(writerFunction(p, s.name), values, kWho)}),
      declare("nw_number", kI64, {}, {cell}),
      declare(kCell, kI64, {},
              {binary("*", select(isInside, number, cells, kI64), intConst(layout.words), kI64)}),
      assign(word(0), binary("+", word(0), nw::intConst(1, kWho), kWho)),
      assign(word(1), var(kWriter, kWho)),
  };
  if (isSource) {
    code.push_back(assign(word(2), var(kClock, kWho)));
    code.push_back(
        assign(var(kClock, kWho), binary("+", var(kClock, kWho), intConst(1, kWho), kWho)));
  }
  std::vector<StmtP> body(instance->body.begin(), instance->body.end() - 1); // counters
  InstanceWalk(p, shadows, s).stmt(s.body, instance->body.back(), body);
  code.push_back(block(body));
  return block(code);
}

std::vector<Function> shadowFunctions(const Program &p, const RecordLayout &layout) {
  ExprP x = var("x", kWho), a = var("a", kWho), b = var("b", kWho), c = var("c", kWho);
  auto op = [](const char *name, const ExprP &l, const ExprP &r) {
    return binary(name, l, r, kWho);
  };
  auto tag = [&](const ExprP &e) { return op("&", e, number(~kLow)); };
  ExprP mixed = op("*", op("^", x, op(">>", x, number(23))), number(0xBF58476D1CE4E5B9ull));
  mixed = op("^", mixed, op(">>", mixed, number(29)));
  std::vector<Function> all = {{kMix,
                                kWho,
                                {parameter("x", kWho)},
                                returning(op("|", tag(x), op("&", mixed, number(kLow))))}};
  ExprP sum = op("^", op("+", op("^", a, c), op("^", b, c)), c);
  ExprP whose = select(binary("!=", tag(b), number(0), kI32), tag(b), tag(a), kWho);
  all.push_back({kReduce,
                 kWho,
                 {parameter("a", kWho), parameter("b", kWho), parameter("c", kWho)},
                 returning(op("|", whose, op("&", sum, number(kLow))))});
  for (const Statement &s : p.statements) {
    const StatementRecord &r = layout.of(s.name);
    std::vector<Variable> parameters;
    ExprP id = number(uint64_t(r.number) << kStatementShift | uint64_t(r.number));
    for (size_t k = 0; k < s.loops.size(); k++) {
      std::string name = fmt::format("i{}", k);
      parameters.push_back(parameter(name, kI64));
      ExprP field = op("&", op("+", cast(var(name, kI64), kWho), number(1ull << (r.bits - 1))),
                       number((1ull << r.bits) - 1));
      id = op("|", id, op("<<", field, number(uint64_t(8 + r.bits * int(s.loops.size() - 1 - k)))));
    }
    all.push_back({writerFunction(p, s.name), kWho, parameters, returning(id)});
  }
  return all;
}

} // namespace nw
