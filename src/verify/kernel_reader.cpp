// Kernel code to places.
#include "verify/kernel_reader.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

const char *const kAxes[] = {"x", "y", "z"};

ExprP bare(const ExprP &e) { return e->kind == ExprKind::Cast && !e->type.isFloat() && !e->args[0]->type.isFloat() ? bare(e->args[0]) : e; }

bool isBuiltin(const ExprP &e, const std::string &name) { return e->kind == ExprKind::Builtin && e->name == name; }

bool containsInstance(const StmtP &s) {
  bool found = false;
  walkStmts(s, [&](const StmtP &x) { found |= x->isInstance(); });
  return found;
}

// if (the loop runs at all) { T kept = element; the loop; element = kept; }: chooses nothing that the loop does not.
bool isWhetherLoopRuns(const Stmt &s) {
  if (s.body.size() != 1 || s.body[0]->kind != StmtKind::Block || s.body[0]->body.size() != 3 || s.body[0]->body[1]->kind != StmtKind::For)
    return false;
  const Loop &loop = s.body[0]->body[1]->loop;
  ExprP runs = rewrite(loop.condition, [&](const ExprP &e) { return e->kind == ExprKind::Var && e->name == loop.counter ? loop.start : e; });
  return sameTree(runs, s.exprs[0]);
}

} // namespace

bool restrictFrame(Frame &f, const ExprP &condition, std::vector<Finding> &findings) {
  std::optional<isl::set> c = f.scope.condition(condition);
  if (!c) {
    findings.push_back({"places", "a condition cannot be read: " + print(condition)});
    return false;
  }
  f.executed = f.executed.intersect(*c);
  f.certain = f.certain.intersect(*c);
  return true;
}

void declareValue(const Stmt &s, Frame &f) {
  std::optional<isl::pw_aff> v;
  if (s.exprs.size() == 1 && s.extents.empty() && !s.type.isFloat() && !s.type.isStruct())
    v = f.scope.value(s.exprs[0]);
  v ? f.scope.bind(s.name, *v) : f.scope.forget(s.name);
}

bool enterLoop(const Stmt &s, Frame &f, PathItem::Kind kind, int &sites, int &unknowns, std::vector<Finding> &findings) {
  std::optional<isl::pw_aff> first = f.scope.value(s.loop.start);
  if (!first || s.loop.stride || s.loop.step == 0) {
    findings.push_back({"places", fmt::format("the loop over {} cannot be read", s.loop.counter)});
    return false;
  }
  isl::pw_aff x = f.scope.addUnknown(s.loop.counter, fmt::format("{}@{}", s.loop.counter, unknowns++));
  isl::set range = s.loop.step > 0 ? x.ge_set(*first) : x.le_set(*first);
  if (std::abs(s.loop.step) != 1) {
    isl::pw_aff away = x.sub(*first);
    isl::val step = intVal(away.ctx(), long(std::abs(s.loop.step)));
    isl::pw_aff rest = isl::manage(isl_pw_aff_mod_val(away.release(), step.release()));
    range = range.intersect(rest.eq_set(f.scope.constant(0)));
  }
  f.executed = f.executed.intersect(range);
  f.certain = f.certain.intersect(range);
  isl::pw_aff order = s.loop.step > 0 ? x : x.neg();
  f.path.push_back({kind, order, sites++});
  return restrictFrame(f, s.loop.condition, findings);
}

void KernelReader::run() {
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Assign && s->exprs[0]->kind == ExprKind::Var)
      assigned.insert(s->exprs[0]->name);
  });
  Frame f = start;
  f.path.push_back({PathItem::Host, f.scope.constant(0), sites++});
  for (const KernelParameter &q : kernel.parameters)
    if (q.buffer < 0) {
      arguments[q.name] = q.value;
      std::optional<isl::pw_aff> v = q.value ? start.scope.value(q.value) : std::nullopt;
      v ? f.scope.bind(q.name, *v) : f.scope.forget(q.name);
    }
  threadRanges(f);
  stmt(kernel.body, f);
}

// Threads that the launch may have, and those that it certainly has.
void KernelReader::threadRanges(Frame &f) {
  int number = unknowns++;
  for (int d = 0; d < 3; d++) {
    std::string name = std::string("thread.") + kAxes[d];
    isl::pw_aff x = f.scope.addUnknown(name, fmt::format("{}@{}", name, number));
    threads.emplace(name, x);
    isl::pw_aff zero = f.scope.constant(0);
    f.executed = f.executed.intersect(x.ge_set(zero));
    f.certain = f.certain.intersect(x.ge_set(zero));
    const ExprP &wanted = launch.threads[d];
    if (kernel.persistent) { // the shape is chosen at run time
      f.certain = f.certain.intersect(x.eq_set(zero));
      if (d == 2)
        f.executed = f.executed.intersect(x.eq_set(zero));
    } else if (wanted->kind == ExprKind::Int) {
      int64_t blocks = (wanted->integer + kernel.block[d] - 1) / kernel.block[d];
      if (launch.limit[d])
        blocks = std::min<int64_t>(blocks, launch.limit[d]);
      isl::set range = x.lt_set(f.scope.constant(blocks * kernel.block[d]));
      f.executed = f.executed.intersect(range);
      f.certain = f.certain.intersect(range);
    } else if (std::optional<isl::pw_aff> count = start.scope.value(wanted)) {
      f.certain = f.certain.intersect(x.lt_set(*count));
      if (launch.limit[d])
        f.certain = f.certain.intersect(x.lt_set(f.scope.constant(int64_t(launch.limit[d]) * kernel.block[d])));
    } else {
      f.certain = f.certain.intersect(x.eq_set(zero)); // a product of sizes: at least one, when there is work
    }
    for (const char *what : {"block.", "lane."}) {
      std::string other = std::string(what) + kAxes[d];
      isl::pw_aff y = f.scope.addUnknown(other, fmt::format("{}@{}", other, number));
      threads.emplace(other, y);
      f.executed = f.executed.intersect(d == 2 ? y.eq_set(zero) : y.ge_set(zero)); // nothing uses a third dimension
      f.certain = f.certain.intersect(y.eq_set(zero));
    }
  }
}

bool KernelReader::dependsOn(const isl::set &s, const std::vector<std::string> &prefixes) const {
  for (const std::string &name : paramNames(s.get_space()))
    for (const std::string &prefix : prefixes)
      if (name.starts_with(prefix)) {
        int at = isl_set_find_dim_by_name(s.get(), isl_dim_param, name.c_str());
        if (isl_set_involves_dims(s.get(), isl_dim_param, at, 1))
          return true;
      }
  return false;
}

void KernelReader::noteDivergence(Frame &f, const isl::set &condition) const {
  f.isDivergent |= dependsOn(condition, {"thread.", "lane."});
  for (auto &[name, x] : threads)
    if (dependsOn(condition, {name + "@"}))
      f.guarded.insert(name);
  f.dependsOnBlock |= dependsOn(condition, {"block."});
}

void KernelReader::stmt(const StmtP &s, Frame &f) {
  switch (s->kind) {
  case StmtKind::Block:
    s->isInstance() ? instance(s, f) : blockOf(*s, f);
    return;
  case StmtKind::Declare: case StmtKind::Shared: {
    if (assigned.count(s->name))
      f.scope.forget(s->name);
    else
      declareValue(*s, f);
    LocalVariable v{sites++, {}};
    for (const PathItem &item : f.path)
      v.copy.push_back(item.value);
    for (auto &[name, x] : threads)
      if (name.starts_with("thread.") && !f.consumed.count(name))
        v.copy.push_back(x);
    f.locals.insert_or_assign(s->name, v);
    return;
  }
  case StmtKind::For: loop(*s, f); return;
  case StmtKind::If: branch(*s, f); return;
  case StmtKind::Barrier: case StmtKind::GridBarrier: barrier(*s, f); return;
  case StmtKind::Assign: return; // registers and the steps of folds; see the checks of instances and the samples
  default:
    if (containsInstance(s))
      unread("instances inside a statement that the verifier does not know");
  }
}

void KernelReader::blockOf(const Stmt &s, const Frame &outer) {
  int site = sites++;
  std::vector<size_t> barriers;
  for (size_t n = 0; n < s.body.size(); n++)
    if (s.body[n]->kind == StmtKind::GridBarrier)
      barriers.push_back(n);
  Frame f = outer;
  for (size_t n = 0; n < s.body.size(); n++) {
    f.path = outer.path;
    if (!barriers.empty() && barriers.back() > n) {
      int before = int(std::count_if(barriers.begin(), barriers.end(), [&](size_t b) { return b < n; }));
      f.path.push_back({PathItem::Phase, f.scope.constant(before), site});
    }
    f.path.push_back({PathItem::Position, f.scope.constant(int64_t(n)), site});
    if (isKept(s, n, f)) {
      Frame inner = f;
      inner.kept[s.body[n]->name] = s.body[n]->exprs[0];
      stmt(s.body[n + 1], inner);
      n += 2;
      continue;
    }
    stmt(s.body[n], f);
  }
}

// T kept = element; a loop that uses `kept` for the element; element = kept.
bool KernelReader::isKept(const Stmt &block, size_t k, Frame &f) {
  const Stmt &load = *block.body[k];
  if (load.kind != StmtKind::Declare || load.exprs.size() != 1 || k + 2 >= block.body.size())
    return false;
  const ExprP &element = load.exprs[0];
  const StmtP &loop = block.body[k + 1];
  const Stmt &store = *block.body[k + 2];
  if ((element->kind != ExprKind::Index && element->kind != ExprKind::Member) || !baseOf(element) || loop->kind != StmtKind::For || store.kind != StmtKind::Assign)
    return false;
  if (!sameTree(store.exprs[0], element) || store.exprs[1]->kind != ExprKind::Var || store.exprs[1]->name != load.name)
    return false;
  const std::string &array = baseOf(element)->name;
  std::set<std::string> changed;
  bool sees = false;
  walkStmts(loop, [&](const StmtP &s) {
    if (s->kind == StmtKind::For)
      changed.insert(s->loop.counter);
    if (s->kind == StmtKind::Declare || s->kind == StmtKind::Shared)
      changed.insert(s->name);
    if (s->kind == StmtKind::Assign && baseOf(s->exprs[0]))
      changed.insert(baseOf(s->exprs[0])->name);
    sees |= s->kind == StmtKind::Barrier || s->kind == StmtKind::GridBarrier || s->kind == StmtKind::While || s->kind == StmtKind::DoWhile;
  });
  walkExprs(loop, [&](const ExprP &e) {
    sees |= e->kind == ExprKind::Var && e->name == array;
    return !sees;
  });
  for (const std::string &name : changed)
    if (name != load.name && mentions(element, name))
      return false;
  f.scope.forget(load.name);
  return !sees;
}

void KernelReader::branch(const Stmt &s, const Frame &outer) {
  bool matters = containsInstance(s.body[0]) || (s.body.size() > 1 && containsInstance(s.body[1]));
  for (const StmtP &b : s.body)
    walkStmts(b, [&](const StmtP &x) { matters |= x->kind == StmtKind::Barrier || x->kind == StmtKind::GridBarrier; });
  if (!matters)
    return;
  if (isWhetherLoopRuns(s)) {
    Frame f = outer;
    stmt(s.body[0], f);
    return;
  }
  std::optional<isl::set> c = outer.scope.condition(s.exprs[0]);
  if (!c) {
    unread("a condition cannot be read: " + print(s.exprs[0]));
    return;
  }
  for (size_t n = 0; n < s.body.size(); n++) {
    Frame f = outer;
    isl::set when = n == 0 ? *c : c->complement();
    f.executed = f.executed.intersect(when);
    f.certain = f.certain.intersect(when);
    noteDivergence(f, *c);
    stmt(s.body[n], f);
  }
}

void KernelReader::barrier(const Stmt &s, const Frame &f) {
  if (f.isDivergent)
    out.findings.push_back({"barriers", kernel.name + ": a barrier that some threads of a block may not reach"});
  if (s.kind == StmtKind::GridBarrier && f.dependsOnBlock)
    out.findings.push_back({"barriers", kernel.name + ": a barrier of the grid that some blocks may not reach"});
  if (s.kind == StmtKind::GridBarrier && !kernel.persistent)
    out.findings.push_back({"barriers", kernel.name + ": a barrier of the grid in a kernel that is launched without one"});
}

// Whether the loop starts at a thread's number and steps over all the others: all threads together take every value.
bool KernelReader::distributed(const Stmt &s, Frame &f, std::vector<std::string> &consumed, ExprP &first) {
  ExprP begin = bare(s.loop.start), number = begin;
  first = nullptr;
  auto isNumber = [&](const ExprP &e, std::vector<std::string> &used) {
    ExprP n = bare(e);
    for (const char *axis : kAxes)
      if (isBuiltin(n, std::string("thread.") + axis)) {
        used = {n->name};
        return s.loop.stride && isBuiltin(bare(s.loop.stride), std::string("threads.") + axis);
      }
    int width = kernel.block[0], all = kernel.block[0] * kernel.block[1] * kernel.block[2];
    bool isLane = isBuiltin(n, "lane.x") && all == width;
    if (n->kind == ExprKind::Binary && n->name == "+" && isBuiltin(bare(n->args[1]), "lane.x")) {
      ExprP row = bare(n->args[0]);
      isLane = row->kind == ExprKind::Binary && row->name == "*" && isBuiltin(bare(row->args[0]), "lane.y") && row->args[1]->kind == ExprKind::Int && row->args[1]->integer == width && kernel.block[2] == 1;
    }
    used = {"thread.x", "thread.y", "thread.z"};
    return isLane && !s.loop.stride && s.loop.step == all;
  };
  bool is = isNumber(begin, consumed);
  if (!is && begin->kind == ExprKind::Binary && begin->name == "+" && isNumber(begin->args[1], consumed)) {
    first = begin->args[0];
    is = true;
  }
  for (const std::string &name : consumed)
    is &= !f.consumed.count(name);
  return is;
}

void KernelReader::loop(const Stmt &s, Frame f) {
  bool hasBarrier = false;
  walkStmts(s.body[0], [&](const StmtP &x) { hasBarrier |= x->kind == StmtKind::Barrier || x->kind == StmtKind::GridBarrier; });
  if (!containsInstance(s.body[0]) && !hasBarrier)
    return;
  std::vector<std::string> consumed;
  ExprP first;
  if (!distributed(s, f, consumed, first)) {
    if (!enterLoop(s, f, PathItem::Loop, sites, unknowns, out.findings))
      return;
    std::optional<isl::pw_aff> begin = f.scope.value(s.loop.start);
    if (std::optional<isl::set> c = f.scope.condition(s.loop.condition))
      noteDivergence(f, *c);
    if (begin)
      noteDivergence(f, begin->ge_set(f.scope.constant(0)));
    stmt(s.body[0], f);
    return;
  }
  f.isDivergent = true;
  for (const std::string &name : consumed) {
    f.consumed.insert(name);
    f.scope.forget(name); // nothing inside may use it
    if (f.guarded.count(name))
      unread(fmt::format("the loop over {} is shared out among threads that a condition has chosen", s.loop.counter));
  }
  if (consumed.size() == 3) // lanes: the block's number matters, its threads' global numbers do not
    f.consumed.insert("lanes");
  if (takenApart(s, f))
    return;
  std::optional<isl::pw_aff> low = first ? f.scope.value(first) : std::optional(f.scope.constant(0));
  if (!low) {
    unread(fmt::format("the loop over {} cannot be read", s.loop.counter));
    return;
  }
  isl::pw_aff x = f.scope.addUnknown(s.loop.counter, fmt::format("{}@{}", s.loop.counter, unknowns++));
  f.executed = f.executed.intersect(x.ge_set(*low));
  f.certain = f.certain.intersect(x.ge_set(*low));
  f.path.push_back({PathItem::Distributed, x, sites++});
  if (restrictFrame(f, s.loop.condition, out.findings))
    stmt(s.body[0], f);
}

// A product as sorted factors, in the host's terms.
std::string KernelReader::factors(const ExprP &product) const {
  std::vector<std::string> all;
  int64_t constant = 1;
  std::function<void(const ExprP &)> split = [&](const ExprP &given) {
    ExprP e = bare(given);
    if (e->kind == ExprKind::Var)
      if (auto a = arguments.find(e->name); a != arguments.end() && !(bare(a->second)->kind == ExprKind::Var && bare(a->second)->name == e->name)) {
        split(a->second);
        return;
      }
    if (e->kind == ExprKind::Binary && e->name == "*") {
      split(e->args[0]);
      split(e->args[1]);
    } else if (e->kind == ExprKind::Int)
      constant *= e->integer;
    else
      all.push_back(print(rewrite(e, [](const ExprP &x) { return x->kind == ExprKind::Cast ? x->args[0] : x; })));
  };
  split(product);
  std::sort(all.begin(), all.end());
  std::string text = std::to_string(constant);
  for (const std::string &a : all)
    text += " * " + a;
  return text;
}

// A loop over 0 <= place < a * b * …, taken apart by % and / into one variable for each factor: the variables take
// all combinations, each once.
bool KernelReader::takenApart(const Stmt &s, Frame &f) {
  const ExprP &c = s.loop.condition;
  if (s.body[0]->kind != StmtKind::Block || c->kind != ExprKind::Binary || c->name != "<" || bare(c->args[0])->kind != ExprKind::Var || bare(c->args[0])->name != s.loop.counter)
    return false;
  struct Part {
    std::string name;
    ExprP first, count;
  };
  std::vector<Part> parts;
  ExprP rest = var(s.loop.counter, s.loop.type), whole;
  size_t n = 0;
  for (; n < s.body[0]->body.size() && s.body[0]->body[n]->kind == StmtKind::Declare && !s.body[0]->body[n]->exprs.empty(); n++) {
    const Stmt &d = *s.body[0]->body[n];
    ExprP e = bare(d.exprs[0]), first;
    auto isPart = [&](const ExprP &x) { return sameTree(bare(x), bare(rest)) || (bare(x)->kind == ExprKind::Binary && bare(x)->name == "%" && sameTree(bare(bare(x)->args[0]), bare(rest))); };
    if (!isPart(e) && e->kind == ExprKind::Binary && e->name == "+" && isPart(e->args[1])) {
      first = e->args[0];
      e = bare(e->args[1]);
    }
    if (!isPart(e))
      break;
    if (sameTree(bare(e), bare(rest))) { // the last one
      parts.push_back({d.name, first, nullptr});
      n++;
      break;
    }
    parts.push_back({d.name, first, e->args[1]});
    whole = whole ? binary("*", whole, e->args[1], kI64) : e->args[1];
    rest = binary("/", rest, e->args[1], kI64);
  }
  if (parts.size() < 2 || parts.back().count)
    return false;
  // What is left for the last one: its count is the factor that makes the product whole.
  std::string total = factors(c->args[1]);
  std::function<ExprP(const ExprP &)> resolved = [&](const ExprP &e) -> ExprP {
    if (bare(e)->kind == ExprKind::Var)
      if (auto a = arguments.find(bare(e)->name); a != arguments.end() && bare(a->second)->kind == ExprKind::Binary)
        return a->second;
    return e;
  };
  std::vector<ExprP> terms;
  std::function<void(const ExprP &)> split = [&](const ExprP &given) {
    ExprP e = bare(resolved(bare(given)));
    if (e->kind == ExprKind::Binary && e->name == "*") {
      split(e->args[0]);
      split(e->args[1]);
    } else
      terms.push_back(e);
  };
  split(c->args[1]);
  for (const ExprP &t : terms)
    if (factors(binary("*", whole, t, kI64)) == total)
      parts.back().count = t;
  if (!parts.back().count && factors(whole) == total)
    parts.back().count = intConst(1);
  if (!parts.back().count)
    return false;
  for (const Part &part : parts) {
    std::optional<isl::pw_aff> low = part.first ? f.scope.value(part.first) : std::optional(f.scope.constant(0));
    std::optional<isl::pw_aff> count = f.scope.value(part.count);
    if (!count)
      count = start.scope.value(part.count);
    if (!low || !count) {
      unread(fmt::format("the range of {} cannot be read", part.name));
      return true;
    }
    isl::pw_aff x = f.scope.addUnknown(part.name, fmt::format("{}@{}", part.name, unknowns++));
    isl::set range = x.ge_set(*low).intersect(x.lt_set(low->add(*count)));
    f.executed = f.executed.intersect(range);
    f.certain = f.certain.intersect(range);
    f.path.push_back({PathItem::Distributed, x, sites++});
  }
  f.scope.forget(s.loop.counter);
  std::vector<StmtP> body(s.body[0]->body.begin() + n, s.body[0]->body.end());
  for (const StmtP &b : body)
    walkExprs(b, [&](const ExprP &e) {
      if (e->kind == ExprKind::Var && e->name == s.loop.counter)
        unread("a counter that was taken apart is used once more");
      return true;
    });
  blockOf(*block(body), f);
  return true;
}

void KernelReader::instance(const StmtP &s, const Frame &f) {
  Place place;
  place.statement = s->name;
  place.code = s;
  place.kernel = &kernel;
  place.executed = f.executed;
  place.certain = f.certain;
  place.locals = f.locals;
  place.kept = f.kept;
  for (const ExprP &v : s->values) {
    std::optional<isl::pw_aff> x = f.scope.value(v);
    if (!x) {
      unread(fmt::format("an iterator of {} cannot be read: {}", s->name, print(v)));
      return;
    }
    place.values.push_back(*x);
  }
  size_t cut = 0; // what comes before is in order for all threads
  for (size_t n = 0; n < f.path.size(); n++)
    if (f.path[n].kind == PathItem::Host || f.path[n].kind == PathItem::Phase)
      cut = n + 1;
  for (size_t n = 0; n < cut; n++) {
    if (f.path[n].kind == PathItem::Distributed)
      out.findings.push_back({"barriers", kernel.name + ": a barrier inside a loop that threads share out among them"});
    place.coordinates.push_back({Coordinate::Ordered, f.path[n].value, f.path[n].site});
  }
  for (auto &[name, x] : threads) {
    bool isLane = f.consumed.count("lanes");
    if (name.starts_with("thread.") ? !f.consumed.count(name) : name.starts_with("block.") && isLane)
      place.coordinates.push_back({Coordinate::Thread, x, name.starts_with("thread.") ? -1 : -2});
  }
  for (size_t n = cut; n < f.path.size(); n++)
    if (f.path[n].kind == PathItem::Distributed)
      place.coordinates.push_back({Coordinate::Thread, f.path[n].value, f.path[n].site});
  for (size_t n = cut; n < f.path.size(); n++)
    if (f.path[n].kind != PathItem::Distributed)
      place.coordinates.push_back({Coordinate::InThread, f.path[n].value, f.path[n].site});
  out.places.push_back(place);
}

} // namespace nw
