// Loops of kernels: sequential ones, those that threads share out among them, and those over
// several dimensions at once.
#include "kernel/line_loop.h"
#include "verify/readers/kernel_reader.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

const char *const kAxes[] = {"x", "y", "z"};

} // namespace

// Whether the loop starts at a thread's number and steps over all the others: all threads together
// take every value.
bool KernelReader::distributed(const Stmt &s, Frame &f, std::vector<std::string> &consumed,
                               ExprP &first) {
  ExprP begin = withoutWideCasts(s.loop.start);
  first = nullptr;
  auto isNumber = [&](const ExprP &e, std::vector<std::string> &used) {
    ExprP n = withoutWideCasts(e);
    for (const char *axis : kAxes)
      if (isBuiltin(n, std::string("thread.") + axis)) {
        used = {n->name};
        return s.loop.stride &&
               isBuiltin(withoutWideCasts(s.loop.stride), std::string("threads.") + axis);
      }
    for (int d = 0; d < 2; d++) // a whole row or column of the block, which reduces together later
      if (!reduced.empty() && isBuiltin(n, std::string("local.") + kAxes[d])) {
        used = {n->name};
        return !s.loop.stride && s.loop.step == kernel.block[size_t(d)];
      }
    int width = kernel.block[0], all = kernel.block[0] * kernel.block[1] * kernel.block[2];
    bool isLane = isBuiltin(n, "local.x") && all == width;
    if (n->kind == ExprKind::Binary && n->name == "+" &&
        isBuiltin(withoutWideCasts(n->args[1]), "local.x")) {
      ExprP row = withoutWideCasts(n->args[0]);
      isLane = row->kind == ExprKind::Binary && row->name == "*" &&
               isBuiltin(withoutWideCasts(row->args[0]), "local.y") &&
               row->args[1]->kind == ExprKind::Int && row->args[1]->integer == width &&
               kernel.block[2] == 1;
    }
    used = {"thread.x", "thread.y", "thread.z"};
    return isLane && !s.loop.stride && s.loop.step == all;
  };
  bool is = isNumber(begin, consumed);
  if (!is && begin->kind == ExprKind::Binary && begin->name == "+" &&
      isNumber(begin->args[1], consumed)) {
    first = begin->args[0];
    is = true;
  }
  for (const std::string &name : consumed)
    for (const char *what : {"thread.", "local."})
      is &= !f.consumed.count(what + name.substr(name.find('.') + 1));
  return is;
}

void KernelReader::loop(const Stmt &s, Frame f) {
  bool hasBarrier = false, hasCopies = false, hasLoads = false, hasPartials = false;
  walkStmts(s.body[0], [&](const StmtP &x) {
    hasBarrier |= x->kind == StmtKind::Barrier || x->kind == StmtKind::GridBarrier ||
                  x->kind == StmtKind::Reduce;
    hasCopies |= x->kind == StmtKind::Copy;
    hasPartials |= x->kind == StmtKind::Leave || x->kind == StmtKind::Take;
    const Expr *base = x->kind == StmtKind::Assign ? baseOf(x->exprs[0]) : nullptr;
    hasLoads |= base && registers.count(base->name);
  });
  if (!containsInstance(s.body[0]) && !hasBarrier && !hasCopies && !hasPartials && !hasLoads)
    return;
  if (isOverBlocks(s, f)) {
    loopOverBlocks(s, f);
    return;
  }
  if (std::optional<PointDimension> point = pointDimension(std::make_shared<Stmt>(s))) {
    Frame inside = f;
    if (enterPoint(*point, inside))
      stmt(insideOf(std::make_shared<Stmt>(s)), inside);
    else // isl would be at it for long
      unread(fmt::format("the points over {} do not form a tile", s.loop.counter));
    return;
  }
  widths(s.loop.start, f);
  if (s.loop.line.before)
    for (const ExprP &e : lineValues(s.loop))
      widths(e, f);
  std::vector<std::string> consumed;
  ExprP first;
  if (!distributed(s, f, consumed, first)) {
    if (s.loop.line.before) // its values are other threads' than the start and the step tell
      return unread(fmt::format(
          "the loop over {} begins at a line, and its values are not those of a row of threads",
          s.loop.counter));
    if (!enterLoop(s, f, PathItem::Loop, sites, unknowns, out.findings))
      return;
    std::optional<isl::pw_aff> begin = f.scope.value(s.loop.start);
    if (std::optional<isl::set> c = f.scope.condition(s.loop.condition))
      noteDivergence(f, *c);
    widths(s.loop.condition, f);
    if (hasCopies)
      widths(binary("+", var(s.loop.counter, s.loop.type), intConst(s.loop.step, s.loop.type),
                    s.loop.type),
             f);
    if (begin) // as a set: where some unknown is the start
      noteDivergence(f, AffineScope(f.scope)
                            .addUnknown("start", fmt::format("start@{}", unknowns++))
                            .eq_set(*begin));
    stmt(s.body[0], f);
    return;
  }
  f.isDivergent = true;
  for (auto &[name, one] : f.windows)
    one.isUnguarded = false;
  bool isLanes =
      consumed.size() == 3; // the block's number matters, its threads' global numbers do not
  for (const std::string &name : consumed) {
    f.consumed.insert(name);
    std::string axis = name.substr(name.find('.') + 1);
    for (const std::string &same : {"thread." + axis, "local." + axis, "block." + axis}) {
      if ((isLanes || name.starts_with("local.")) && same.starts_with("block."))
        continue;
      f.scope.forgetUsing(threads.at(same)); // nothing inside may use it
      if (f.guarded.count(same))
        unread(fmt::format("the loop over {} is divided among threads that a condition selects",
                           s.loop.counter));
    }
  }
  if (isLanes)
    f.consumed.insert("lanes");
  if (takenApart(s, f))
    return;
  std::optional<isl::pw_aff> low =
      first ? f.scope.value(first) : std::optional(f.scope.constant(0));
  if (!low || !isWide(s.loop.type)) {
    unread(fmt::format("the loop over {} cannot be read", s.loop.counter));
    return;
  }
  isl::pw_aff x =
      f.scope.addUnknown(s.loop.counter, fmt::format("{}@{}", s.loop.counter, unknowns++));
  f.executed = meet(f.executed, x.ge_set(*low));
  f.certain = meet(f.certain, x.ge_set(*low));
  if (endsEarly(s, f, x, *low, unknowns)) {
    unread(fmt::format("the loop over {} may end before its last value", s.loop.counter));
    return;
  }
  if (movesInThread(*low, f)) // the thread of a value is another one then
    f.path.push_back({PathItem::Distributed, *low, sites++});
  f.path.push_back({PathItem::Distributed, x, sites++});
  widths(s.loop.condition, f);
  if (restrictFrame(f, s.loop.condition, out.findings))
    stmt(s.body[0], f);
}

// Whether the value changes with a loop that each thread runs.
bool KernelReader::movesInThread(const isl::pw_aff &value, const Frame &f) {
  bool moves = false;
  for (const PathItem &item : f.path) {
    if (item.kind == PathItem::Host || item.kind == PathItem::Phase)
      moves = false; // all threads wait
    if (item.kind != PathItem::Loop)
      continue;
    for (const std::string &name : paramNames(item.value.domain().get_space()))
      if (int at = isl_pw_aff_find_dim_by_name(value.get(), isl_dim_param, name.c_str()); at >= 0)
        moves |= name.find('@') != std::string::npos &&
                 isl_pw_aff_involves_dims(value.get(), isl_dim_param, unsigned(at), 1);
  }
  return moves;
}

// for (counter = block.x; …; counter += blocks.x): all blocks together take every value, each one
// of them.
bool KernelReader::isOverBlocks(const Stmt &s, const Frame &f) const {
  bool is = s.loop.stride && isBuiltin(withoutWideCasts(s.loop.stride), "blocks.x") &&
            isBuiltin(withoutWideCasts(s.loop.start), "block.x") && isWide(s.loop.type) &&
            !kernel.isResident() && f.guarded.empty() && !f.isDivergent;
  for (const char *what : {"thread.x", "local.x", "block.x"})
    is &= !f.consumed.count(what);
  return is;
}

void KernelReader::loopOverBlocks(const Stmt &s, Frame f) {
  f.consumed.insert("block.x");
  for (const char *what :
       {"block.x", "thread.x"}) { // nothing inside may use them; of its lanes, every block has all
    for (const std::string &name : paramNames(threads.at(what).domain().get_space()))
      for (Unset<isl::set> *set : {&f.executed, &f.certain})
        if (int at = isl_set_find_dim_by_name(set->get(), isl_dim_param, name.c_str()); at >= 0)
          *set = isl::manage(isl_set_project_out(set->copy(), isl_dim_param, unsigned(at), 1));
    f.scope.forgetUsing(threads.at(what));
  }
  isl::pw_aff x = f.scope.addUnknown(s.loop.counter,
                                     fmt::format("{}@{}", s.loop.counter, unknowns++)),
              zero = f.scope.constant(0);
  f.executed = meet(f.executed, x.ge_set(zero));
  f.certain = meet(f.certain, x.ge_set(zero));
  if (endsEarly(s, f, x, zero, unknowns)) {
    unread(fmt::format("the loop over {} may end before its last value", s.loop.counter));
    return;
  }
  f.path.push_back({PathItem::Blocks, x, sites++});
  // The last value that is asked for lies up to all blocks beyond one for which the condition
  // holds, or is a block's first.
  AffineScope before = f.scope;
  isl::pw_aff y = before.addUnknown(s.loop.counter,
                                    fmt::format("{}@{}", s.loop.counter, unknowns++)),
              most = f.scope.constant(std::max(launch.limit[0], 1));
  std::optional<isl::set> holds = before.condition(s.loop.condition);
  Frame asked = f;
  if (holds && launch.limit[0]) {
    isl::set next = meet(meet(x.le_set(y.add(most)), y.ge_set(zero)), *holds);
    for (const std::string &name : paramNames(y.domain().get_space()))
      if (int at = isl_set_find_dim_by_name(next.get(), isl_dim_param, name.c_str()); at >= 0)
        next = isl::manage(isl_set_project_out(next.release(), isl_dim_param, unsigned(at), 1));
    asked.executed = meet(f.executed, next.unite(x.lt_set(most)));
  }
  if (!fits(x, s.loop.type, asked.executed))
    out.findings.push_back(
        {"widths", fmt::format("{}: {} may not fit into 32 bits", kernel.name, s.loop.counter)});
  widths(s.loop.condition, asked);
  if (std::optional<isl::set> c = f.scope.condition(s.loop.condition))
    noteDivergence(f, *c);
  f.hasBlockPhases = s.body[0]->kind == StmtKind::Block && !s.body[0]->isInstance();
  if (restrictFrame(f, s.loop.condition, out.findings))
    stmt(s.body[0], f);
}

// A product, taken apart; parameters of the kernel become what the host passes for them.
void KernelReader::splitProduct(const ExprP &product, bool isHost, std::vector<Factor> &out) const {
  ExprP e = withoutWideCasts(product);
  auto passed = e->kind == ExprKind::Var && !isHost ? arguments.find(e->name) : arguments.end();
  if (passed != arguments.end() && passed->second)
    splitProduct(passed->second, true, out);
  else if (e->kind == ExprKind::Binary && e->name == "*" &&
           bitsOf(e->type.scalar) == 64) { // a shorter one may wrap
    splitProduct(e->args[0], isHost, out);
    splitProduct(e->args[1], isHost, out);
  } else
    out.push_back({e, isHost});
}

// The product as text, the same for the same product. Names of the kernel's own are no names of the
// host's.
std::string KernelReader::textOf(const std::vector<Factor> &product) const {
  std::vector<std::string> all;
  int64_t constant = 1;
  for (const Factor &factor : product) {
    if (factor.e->kind == ExprKind::Int) {
      constant *= factor.e->integer;
      continue;
    }
    all.push_back(print(rewrite(factor.e, [&](const ExprP &x) {
      if (x->kind == ExprKind::Cast)
        return x->args[0];
      if (x->kind != ExprKind::Var || factor.isHost)
        return x;
      auto passed = arguments.find(x->name);
      return passed != arguments.end() && passed->second
                 ? rewrite(
                       passed->second,
                       [](const ExprP &y) { return y->kind == ExprKind::Cast ? y->args[0] : y; })
                 : var(x->name + "@", x->type);
    })));
  }
  std::sort(all.begin(), all.end());
  std::string text = std::to_string(constant);
  for (const std::string &a : all)
    text += " * " + a;
  return text;
}

// Variables that take a number apart, by % and / with one factor of a product after the other.
bool KernelReader::partsOf(const std::vector<StmtP> &body, size_t &n, ExprP rest,
                           std::vector<Part> &parts, std::vector<Factor> &whole) const {
  for (; n < body.size() && body[n]->kind == StmtKind::Declare && !body[n]->exprs.empty(); n++) {
    const Stmt &d = *body[n];
    ExprP e = withoutWideCasts(d.exprs[0]), first;
    auto isPart = [&](const ExprP &x) {
      return sameTree(withoutWideCasts(x), withoutWideCasts(rest)) ||
             (withoutWideCasts(x)->kind == ExprKind::Binary && withoutWideCasts(x)->name == "%" &&
              sameTree(withoutWideCasts(withoutWideCasts(x)->args[0]), withoutWideCasts(rest)));
    };
    if (!isPart(e) && e->kind == ExprKind::Binary && e->name == "+" && isPart(e->args[1])) {
      first = e->args[0];
      e = withoutWideCasts(e->args[1]);
    }
    if (!isPart(e))
      break;
    if (sameTree(withoutWideCasts(e), withoutWideCasts(rest))) { // the last one
      parts.push_back({d.name, first, std::nullopt, d.type});
      n++;
      break;
    }
    parts.push_back({d.name, first, Factor{e->args[1], false}, d.type});
    splitProduct(e->args[1], false, whole);
    rest = binary("/", rest, e->args[1], rest->type);
  }
  return parts.size() >= 2 && !parts.back().count;
}

// What is left for the last one: its count is the factor that makes the product whole.
bool KernelReader::findLastCount(std::vector<Part> &parts, const std::vector<Factor> &whole,
                                 const std::vector<Factor> &total) const {
  for (const Factor &factor : total) {
    std::vector<Factor> product = whole;
    product.push_back(factor);
    if (textOf(product) == textOf(total))
      parts.back().count = factor;
  }
  if (!parts.back().count && textOf(whole) == textOf(total))
    parts.back().count = Factor{intConst(1), false};
  return parts.back().count.has_value();
}

// The variables take all combinations, each once.
void KernelReader::enterParts(const std::vector<Part> &parts, PathItem::Kind kind,
                              const std::string &number, Frame &f) {
  isl::set before = f.executed,
           negative = before.subtract(
               before); // counts so far that may be: two of them make a positive product
  for (const Part &part : parts) {
    std::optional<isl::pw_aff> low =
        part.first ? f.scope.value(part.first) : std::optional(f.scope.constant(0));
    std::optional<isl::pw_aff> count =
        (part.count->isHost ? start.scope : f.scope).value(part.count->e);
    if (!low || !count || !isWide(part.type))
      return unread(fmt::format("the range of {} cannot be read", part.name));
    isl::set isNegative = meet(before, count->lt_set(f.scope.constant(0)));
    if (!isNegative.is_disjoint(negative))
      unread(fmt::format("two counts of {} may be negative", number));
    negative = negative.unite(isNegative);
    isl::pw_aff x = f.scope.addUnknown(part.name, fmt::format("{}@{}", part.name, unknowns++));
    isl::set range = meet(x.ge_set(*low), x.lt_set(low->add(*count)));
    if (!fits(x, part.type, meet(f.executed, range)))
      out.findings.push_back(
          {"widths", fmt::format("{}: {} may not fit into 32 bits", kernel.name, part.name)});
    f.executed = meet(f.executed, range);
    f.certain = meet(f.certain, range);
    f.path.push_back({kind, x, sites++});
  }
}

// A loop over 0 <= position < a * b * …, taken apart into one variable for each factor.
bool KernelReader::takenApart(const Stmt &s, Frame &f) {
  const ExprP &c = s.loop.condition;
  if (s.body[0]->kind != StmtKind::Block || c->kind != ExprKind::Binary || c->name != "<" ||
      withoutWideCasts(c->args[0])->kind != ExprKind::Var ||
      withoutWideCasts(c->args[0])->name != s.loop.counter)
    return false;
  std::vector<Part> parts;
  std::vector<Factor> whole, total;
  size_t n = 0;
  splitProduct(c->args[1], false, total);
  if (!partsOf(s.body[0]->body, n, var(s.loop.counter, s.loop.type), parts, whole) ||
      !findLastCount(parts, whole, total))
    return false;
  if (!isWide(s.loop.type)) {
    unread(fmt::format("the range of {} cannot be read", s.loop.counter));
    return true;
  }
  enterParts(parts, PathItem::Distributed, "the loop over " + s.loop.counter, f);
  f.scope.forget(s.loop.counter);
  std::vector<StmtP> body(s.body[0]->body.begin() + long(n), s.body[0]->body.end());
  for (const StmtP &b : body)
    walkExprs(b, [&](const ExprP &e) {
      if (e->kind == ExprKind::Var && e->name == s.loop.counter)
        unread("a counter that was decomposed is used once more");
      return true;
    });
  blockOf(*block(body), f);
  return true;
}

// The number of a block along z, taken apart into one variable for each factor of how many there
// are: each block has its own. Returns the statement after it.
size_t KernelReader::blocksTakenApart(const std::vector<StmtP> &body, size_t n, Frame &f) {
  const Stmt &d = *body[n];
  bool isOne = d.kind == StmtKind::Declare && d.exprs.size() == 1 && d.extents.empty() &&
               !f.consumed.count("block.z") && !f.consumed.count("thread.z") &&
               kernel.block[2] == 1 && !launch.limit[2] && !kernel.isResident() &&
               f.guarded.empty() && !f.isDivergent && !f.dependsOnBlock;
  std::vector<Part> parts;
  std::vector<Factor> whole, total;
  size_t end = n;
  if (!isOne || !partsOf(body, end, node(ExprKind::Builtin, {}, d.type, "block.z"), parts, whole))
    return n;
  splitProduct(launch.threads[2], true, total);
  if (!findLastCount(parts, whole, total))
    return n;
  f.consumed.insert({"block.z", "local.z"}); // there is one thread along z
  for (const char *what : {"block.z", "thread.z", "local.z"}) {
    for (const std::string &name : paramNames(threads.at(what).domain().get_space()))
      for (Unset<isl::set> *set : {&f.executed, &f.certain})
        if (int at = isl_set_find_dim_by_name(set->get(), isl_dim_param, name.c_str()); at >= 0)
          *set = isl::manage(isl_set_project_out(set->copy(), isl_dim_param, unsigned(at), 1));
    f.scope.forgetUsing(threads.at(what));
  }
  size_t before = f.path.size();
  enterParts(parts, PathItem::Blocks, "the blocks along z", f);
  // Each block has its own of variables in shared memory: which, the parts tell now.
  for (auto &[name, local] : f.locals)
    if (local.isShared) {
      std::erase_if(local.copy, [&](const isl::pw_aff &x) {
        return isl_pw_aff_plain_is_equal(x.get(), threads.at("block.z").get()) == isl_bool_true;
      });
      for (size_t n = before; n < f.path.size(); n++)
        local.copy.push_back(f.path[n].value);
    }
  return end;
}

} // namespace nw
