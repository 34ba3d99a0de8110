// Bent trees.
#include "bend_tree.h"
#include "ir/program.h"
#include <fmt/format.h>
#include <map>

namespace nw::mutation {

namespace {

std::string changed(const ExprP &from, const ExprP &to) {
  auto text = [](const ExprP &e) {
    std::string all = print(e);
    return all.size() > 60 ? all.substr(0, 57) + "..." : all;
  };
  return fmt::format("{} -> {}", text(from), text(to));
}

ExprP plus(const ExprP &e, int64_t k) {
  return e->kind == ExprKind::Int ? intConst(e->integer + k, e->type)
                                  : binary("+", e, intConst(k, e->type), e->type);
}

// The node itself bent, its operands untouched.
std::vector<ExprP> variants(const ExprP &e) {
  static const std::map<std::string, std::vector<std::string>> kOperators = {
      {"<", {"<=", ">"}}, {"<=", {"<", ">"}}, {">", {">=", "<"}}, {">=", {">", "<"}},
      {"==", {"!="}},     {"!=", {"=="}},     {"&&", {"||"}},     {"||", {"&&"}},
      {"+", {"-"}},       {"-", {"+"}},       {"*", {"+"}},       {"/", {"*"}},
      {"%", {"/"}},       {"<<", {">>"}},     {">>", {"<<"}},     {"&", {"|"}},
      {"|", {"&"}},       {"^", {"|"}}};
  static const std::map<std::string, std::string> kCoordinates = {{"thread", "local"},
                                                                  {"threads", "thread"},
                                                                  {"local", "thread"},
                                                                  {"block", "thread"},
                                                                  {"blocks", "threads"}};
  std::vector<ExprP> all;
  auto with = [&](const std::function<void(Expr &)> &change) {
    auto copy = std::make_shared<Expr>(*e);
    change(*copy);
    all.push_back(copy);
  };
  switch (e->kind) {
  case ExprKind::Int:
    for (int64_t k : {1, -1})
      with([&](Expr &x) {
        x.integer = e->type.scalar == Scalar::Bool ? !x.integer
                                                   : int64_t(uint64_t(x.integer) + uint64_t(k));
      });
    break;
  case ExprKind::Float:
    with([](Expr &x) { x.number = x.number > 1e300 || x.number < -1e300 ? 3 : x.number + 1; });
    break;
  case ExprKind::Binary:
    if (auto other = kOperators.find(e->name); other != kOperators.end())
      for (const std::string &name : other->second)
        if (!(e->type.isFloat() && (name == "<<" || name == ">>")))
          with([&](Expr &x) { x.name = name; });
    if (e->name == "-" || e->name == "/" || e->name == "<" || e->name == "<=")
      with([](Expr &x) { std::swap(x.args[0], x.args[1]); });
    break;
  case ExprKind::Min:
  case ExprKind::Max:
    with([](Expr &x) { x.kind = x.kind == ExprKind::Min ? ExprKind::Max : ExprKind::Min; });
    all.push_back(e->args[0]);
    all.push_back(e->args[1]);
    break;
  case ExprKind::FloorDiv:
    all.push_back(binary("/", e->args[0], e->args[1], e->type));
    break;
  case ExprKind::Select:
    with([](Expr &x) { std::swap(x.args[1], x.args[2]); });
    all.push_back(e->args[1]);
    all.push_back(e->args[2]);
    break;
  case ExprKind::Unary:
    all.push_back(e->args[0]);
    break;
  case ExprKind::Index:
    for (int64_t k : {1, -1})
      if (e->args[1]->kind != ExprKind::Int) // constants are bent by themselves
        with([&](Expr &x) { x.args[1] = plus(x.args[1], k); });
    if (e->args[0]->kind == ExprKind::Index)
      with([&](Expr &x) {
        auto inner = std::make_shared<Expr>(*x.args[0]);
        std::swap(inner->args[1], x.args[1]);
        x.args[0] = inner;
      });
    break;
  case ExprKind::Builtin: {
    std::string what = e->name.substr(0, e->name.find('.')),
                axis = e->name.substr(e->name.find('.'));
    with([&](Expr &x) { x.name = kCoordinates.at(what) + axis; });
    with([&](Expr &x) { x.name = what + (axis == ".x" ? ".y" : ".x"); });
    break;
  }
  case ExprKind::Staged:
    all.push_back(e->args[1]);
    break; // from memory, not from the copy
  case ExprKind::Call:
    if (e->name == "fmin" || e->name == "fmax")
      with([](Expr &x) { x.name = x.name == "fmin" ? "fmax" : "fmin"; });
    break;
  default:
    break;
  }
  return all;
}

bool declares(const StmtP &s) {
  return s->kind == StmtKind::Declare || s->kind == StmtKind::Shared;
}

template <class Change> StmtP with(const StmtP &s, const Change &change) {
  auto copy = std::make_shared<Stmt>(*s);
  change(*copy);
  return copy;
}

std::string firstLine(const StmtP &s) {
  std::string text = print(s, 0);
  size_t begin = text.find_first_not_of(" \n");
  return begin == std::string::npos
             ? "{}"
             : text.substr(begin, std::min(text.find('\n', begin) - begin, size_t(60)));
}

void bendBlock(const StmtP &s, const Taker<StmtP> &take) {
  for (size_t k = 0; k < s->body.size(); k++) {
    if (!declares(s->body[k]))
      take(with(s, [&](Stmt &x) { x.body.erase(x.body.begin() + long(k)); }),
           "dropped: " + firstLine(s->body[k]));
    if (k + 1 < s->body.size() && !declares(s->body[k]) && !declares(s->body[k + 1]))
      take(with(s, [&](Stmt &x) { std::swap(x.body[k], x.body[k + 1]); }),
           fmt::format("swapped: {} and {}", firstLine(s->body[k]), firstLine(s->body[k + 1])));
  }
}

void bendLoop(const StmtP &s, const Taker<StmtP> &take) {
  const Loop &l = s->loop;
  if (l.start->kind != ExprKind::Int)
    for (int64_t k : {1, -1})
      take(with(s, [&](Stmt &x) { x.loop.start = plus(l.start, k); }),
           fmt::format("start {} moved by {}", print(l.start), k));
  bend(l.start, [&](const ExprP &e, const std::string &what) {
    take(with(s, [&](Stmt &x) { x.loop.start = e; }), "start: " + what);
  });
  if (l.condition->kind == ExprKind::Binary && l.condition->args[1]->kind != ExprKind::Int)
    for (int64_t k : {1, -1}) {
      ExprP bound = binary(l.condition->name, l.condition->args[0], plus(l.condition->args[1], k),
                           l.condition->type);
      take(with(s, [&](Stmt &x) { x.loop.condition = bound; }),
           fmt::format("bound {} moved by {}", print(l.condition), k));
    }
  bend(l.condition, [&](const ExprP &e, const std::string &what) {
    take(with(s, [&](Stmt &x) { x.loop.condition = e; }), "condition: " + what);
  });
  if (l.stride) {
    take(with(s, [&](Stmt &x) { x.loop.stride = plus(l.stride, 1); }),
         fmt::format("stride {} moved by 1", print(l.stride)));
    bend(l.stride, [&](const ExprP &e, const std::string &what) {
      take(with(s, [&](Stmt &x) { x.loop.stride = e; }), "stride: " + what);
    });
  } else
    for (int64_t step : {l.step + 1, -l.step})
      take(with(s, [&](Stmt &x) { x.loop.step = step; }),
           fmt::format("step {} -> {}", l.step, step));
}

void bendWindow(const StmtP &s, const Taker<StmtP> &take) {
  for (size_t d = 0; d < s->extents.size(); d++)
    for (int64_t k : {1, -1})
      take(with(s, [&](Stmt &x) { x.extents[d] += k; }),
           fmt::format("extent {} of window {} grown by {}", d, s->name, k));
  take(with(s, [](Stmt &x) { x.section.loads = !x.section.loads; }),
       fmt::format("window {} {}", s->name, s->section.loads ? "loads no more" : "loads"));
  take(with(s, [](Stmt &x) { x.section.stores = !x.section.stores; }),
       fmt::format("window {} {}", s->name, s->section.stores ? "stores no more" : "stores"));
  take(with(s, [](Stmt &x) { x.section.unit *= 2; }),
       fmt::format("window {} by {} elements", s->name, 2 * s->section.unit));
  take(s->body[0], fmt::format("window {} removed", s->name));
}

void bendCopy(const StmtP &s, const Taker<StmtP> &take) {
  for (size_t d = 0; d < s->extents.size(); d++)
    for (int64_t k : {1, -1})
      if (s->extents[d] + k > 0)
        take(with(s, [&](Stmt &x) { x.extents[d] += k; }),
             fmt::format("extent {} of copy {} grown by {}", d, s->name, k));
  take(with(s, [](Stmt &x) { std::swap(x.copy.threads[0], x.copy.threads[1]); }),
       fmt::format("copy {} by other threads", s->name));
  for (int64_t unit : {2 * s->copy.unit, s->copy.unit / 2})
    if (unit > 0)
      take(with(s, [&](Stmt &x) { x.copy.unit = unit; }),
           fmt::format("copy {} by {} neighbours", s->name, unit));
  if (s->copy.unit > 1)
    take(with(s, [](Stmt &x) { x.copy.width = x.copy.width == 1 ? x.copy.unit : 1; }),
         fmt::format("copy {} by accesses of another width", s->name));
  take(with(s, [](Stmt &x) { x.isAsync = !x.isAsync; }),
       fmt::format("copy {} {}", s->name, s->isAsync ? "no longer under way" : "under way"));
  if (s->exprs.size() > 2) {
    take(with(s, [](Stmt &x) { x.exprs.pop_back(); }),
         fmt::format("guard of copy {} removed: {}", s->name, print(s->exprs[2])));
    take(with(s, [](Stmt &x) { x.exprs[2] = unary("!", x.exprs[2], kI32); }),
         fmt::format("guard of copy {} negated: {}", s->name, print(s->exprs[2])));
  }
}

void bendKeep(const StmtP &s, const Taker<StmtP> &take) {
  for (size_t k = 1; k < s->exprs.size(); k++)
    take(with(s, [&](Stmt &x) { x.exprs.erase(x.exprs.begin() + long(k)); }),
         "no longer in a register: " + print(s->exprs[k]));
  for (const ExprP &guard : {intConst(1, kI32), intConst(0, kI32)})
    if (!sameTree(s->exprs[0], guard))
      take(with(s, [&](Stmt &x) { x.exprs[0] = guard; }),
           fmt::format("guard of registers {} -> {}", print(s->exprs[0]), print(guard)));
}

// Partial results.
void bendPartials(const StmtP &s, std::initializer_list<int> axes, const Taker<StmtP> &take) {
  for (int axis : axes)
    if (axis != s->collective.axis)
      take(with(s, [&](Stmt &x) { x.collective.axis = axis; }),
           fmt::format("along axis {}: {}", axis, firstLine(s)));
  for (size_t k = 0; k < s->exprs.size(); k++)
    if (!baseOf(s->exprs[k]) && s->exprs[k]->type.isInteger())
      take(with(s, [&](Stmt &x) { x.exprs[k] = plus(x.exprs[k], 1); }),
           fmt::format("{} moved by 1: {}", print(s->exprs[k]), firstLine(s)));
    else if (s->exprs[k]->type == kI64)
      take(with(s, [&](Stmt &x) { x.exprs[k] = intConst(1); }),
           fmt::format("{} -> 1: {}", print(s->exprs[k]), firstLine(s)));
  if (s->exprs.size() > (s->kind == StmtKind::Take ? 4u : 2u))
    take(with(s, [&](Stmt &x) { x.exprs.resize(s->kind == StmtKind::Take ? 4 : 2); }),
         "no columns: " + firstLine(s));
}

// Also the padding of copies, and the registers of points.
void bendExtents(const StmtP &s, const char *what, const Taker<StmtP> &take) {
  for (size_t d = 0; d < s->extents.size(); d++)
    for (int64_t k : {1, -1})
      if (s->extents[d] + k > 0)
        take(
            with(s, [&](Stmt &x) { x.extents[d] += k; }),
            fmt::format("extent {} of {} {}, {}, grown by {}", d, what, s->name, s->extents[d], k));
}

} // namespace

void bend(const ExprP &e, const Taker<ExprP> &take) {
  for (const ExprP &v : variants(e))
    take(v, changed(e, v));
  for (size_t k = 0; k < e->args.size(); k++)
    bend(e->args[k], [&](const ExprP &a, const std::string &what) {
      auto copy = std::make_shared<Expr>(*e);
      copy->args[k] = a;
      take(copy, what);
    });
}

void bend(const StmtP &s, const Taker<StmtP> &take) {
  switch (s->kind) {
  case StmtKind::Block:
    bendBlock(s, take);
    break;
  case StmtKind::If:
    take(s->body[0], fmt::format("guard removed: {}", print(s->exprs[0])));
    take(with(s, [](Stmt &x) { x.exprs[0] = unary("!", x.exprs[0], kI32); }),
         fmt::format("guard negated: {}", print(s->exprs[0])));
    if (s->body.size() > 1)
      take(with(s, [](Stmt &x) { x.body.pop_back(); }), "else dropped");
    else if (!s->isSpeculated)
      take(with(s, [](Stmt &x) { x.isSpeculated = true; }),
           fmt::format("run without asking: {}", print(s->exprs[0])));
    break;
  case StmtKind::For:
    bendLoop(s, take);
    break;
  case StmtKind::Shared:
    bendExtents(s, "shared", take);
    break;
  case StmtKind::Reduce:
    take(with(s, [](Stmt &x) { x.collective.axis = x.collective.axis == 1 ? 0 : 1; }),
         fmt::format("{} reduced along another axis", s->name));
    take(with(s, [](Stmt &x) { x.collective.op = x.collective.op == "+" ? "*" : "+"; }),
         fmt::format("{} reduced by another operator", s->name));
    break;
  case StmtKind::Leave:
    bendPartials(s, {0, 1}, take);
    break;
  case StmtKind::Take:
    bendPartials(s, {kOneThread, 0, 1, kAllThreads}, take);
    take(with(s, [](Stmt &x) { x.collective.op = x.collective.op == "+" ? "*" : "+"; }),
         "taken by another operator");
    break;
  case StmtKind::Window:
    bendWindow(s, take);
    break;
  case StmtKind::Copy:
    bendCopy(s, take);
    break;
  case StmtKind::Keep:
    bendKeep(s, take);
    break;
  case StmtKind::GridBarrier:
    take(marker(StmtKind::Barrier), "barrier of the grid -> of the block");
    break;
  case StmtKind::Declare:
    bendExtents(s, "variable", take);
    if (!s->exprs.empty())
      take(with(s, [](Stmt &x) { x.exprs.clear(); }),
           fmt::format("initial value of {} dropped", s->name));
    break;
  default:
    break;
  }
  for (size_t k = 0; k < s->exprs.size(); k++)
    bend(s->exprs[k], [&](const ExprP &e, const std::string &what) {
      take(with(s, [&](Stmt &x) { x.exprs[k] = e; }), what);
    });
  for (size_t k = 0; k < s->body.size(); k++)
    bend(s->body[k], [&](const StmtP &b, const std::string &what) {
      take(with(s, [&](Stmt &x) { x.body[k] = b; }), what);
    });
}

} // namespace nw::mutation
