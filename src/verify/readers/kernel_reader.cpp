// Kernel code to positions.
// Over 500 lines: one walk over a kernel. It goes with the forms that it reads (docs/roadmap.md).
#include "verify/readers/kernel_reader.h"
#include "kernel/cyclic_loop.h"
#include "kernel/expand.h"
#include "kernel/keep.h"
#include "kernel/line_loop.h"
#include "kernel/partial_results.h"
#include "verify/readers/forwarded_results.h"
#include "verify/readers/row_copies.h"
#include "verify/readers/unasked_sums.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

const char *const kAxes[] = {"x", "y", "z"};

} // namespace

bool containsInstance(const StmtP &s) {
  bool found = false;
  walkStmts(s, [&](const StmtP &x) { found |= x->isInstance(); });
  return found;
}

bool restrictFrame(Frame &f, const ExprP &condition, std::vector<Finding> &findings) {
  std::optional<isl::set> c = f.scope.condition(condition);
  if (!c) {
    findings.push_back({"positions", "a condition cannot be read: " + print(condition)});
    return false;
  }
  f.executed = meet(f.executed, *c);
  f.certain = meet(f.certain, *c);
  return true;
}

bool isWide(const Type &t) { return t.isInteger() && bitsOf(t.scalar) >= 32; }

void declareValue(const Stmt &s, Frame &f) {
  std::optional<isl::pw_aff> v;
  // A shorter variable than its value need not hold it.
  bool isKept = s.exprs.size() == 1 && isWide(s.type) && s.exprs[0]->type.isInteger() &&
                (bitsOf(s.exprs[0]->type.scalar) <= bitsOf(s.type.scalar) ||
                 s.exprs[0]->kind == ExprKind::Int);
  if (isKept && s.extents.empty())
    v = f.scope.value(s.exprs[0]);
  v ? f.scope.bind(s.name, *v) : f.scope.forget(s.name);
}

// counter < bound and the like, where the bound stays the same.
static bool isPlainBound(const ExprP &c, const Loop &loop) {
  if (c->kind != ExprKind::Binary)
    return false;
  if (c->name == "&&")
    return isPlainBound(c->args[0], loop) && isPlainBound(c->args[1], loop);
  bool isUpwards = loop.stride || loop.step > 0;
  if (c->name != (isUpwards ? "<" : ">") && c->name != (isUpwards ? "<=" : ">="))
    return false;
  ExprP left = c->args[0];
  while (left->kind == ExprKind::Cast)
    left = left->args[0];
  return left->kind == ExprKind::Var && left->name == loop.counter &&
         !mentions(c->args[1], loop.counter);
}

bool endsEarly(const Stmt &s, const Frame &f, const isl::pw_aff &counter, const isl::pw_aff &first,
               int &unknowns) {
  if (isPlainBound(s.loop.condition, s.loop))
    return false;
  AffineScope before = f.scope;
  isl::pw_aff y =
      before.addUnknown(s.loop.counter, fmt::format("{}@{}", s.loop.counter, unknowns++));
  std::optional<isl::set> here = f.scope.condition(s.loop.condition),
                          there = before.condition(s.loop.condition);
  if (!here || !there)
    return false; // is found where it is read
  bool isUpwards = s.loop.stride || s.loop.step > 0;
  isl::set passed = isUpwards ? meet(y.ge_set(first), y.lt_set(counter))
                              : meet(y.le_set(first), y.gt_set(counter));
  if (int64_t step = std::abs(s.loop.step); !s.loop.stride && step != 1) {
    isl::pw_aff rest = isl::manage(
        isl_pw_aff_mod_val(y.sub(first).release(), intVal(y.ctx(), long(step)).release()));
    passed = meet(passed, rest.eq_set(f.scope.constant(0)));
  }
  return !meet(f.executed, *here).is_disjoint(passed.subtract(*there));
}

bool enterLoop(const Stmt &s, Frame &f, PathItem::Kind kind, int &sites, int &unknowns,
               std::vector<Finding> &findings) {
  std::optional<isl::pw_aff> first = f.scope.value(s.loop.start);
  if (!first || s.loop.stride || s.loop.step == 0 || !isWide(s.loop.type)) {
    findings.push_back(
        {"positions", fmt::format("the loop over {} cannot be read", s.loop.counter)});
    return false;
  }
  AffineScope before = f.scope;
  isl::pw_aff x =
      f.scope.addUnknown(s.loop.counter, fmt::format("{}@{}", s.loop.counter, unknowns++));
  before.bind("counter@", x);
  std::optional<isl::set> beyond = before.condition(
      binary(s.loop.step > 0 ? ">=" : "<=", var("counter@", s.loop.type), s.loop.start, kI32));
  isl::set range = beyond ? *beyond : s.loop.step > 0 ? x.ge_set(*first) : x.le_set(*first);
  if (std::abs(s.loop.step) != 1) {
    isl::pw_aff away = x.sub(*first);
    isl::val step = intVal(away.ctx(), long(std::abs(s.loop.step)));
    isl::pw_aff rest = isl::manage(isl_pw_aff_mod_val(away.release(), step.release()));
    range = meet(range, rest.eq_set(f.scope.constant(0)));
  }
  f.executed = meet(f.executed, range);
  f.certain = meet(f.certain, range);
  if (endsEarly(s, f, x, *first, unknowns)) {
    findings.push_back({"positions", fmt::format("the loop over {} may end before its last value",
                                                 s.loop.counter)});
    return false;
  }
  isl::pw_aff order = s.loop.step > 0 ? x : x.neg();
  f.path.push_back({kind, order, sites++});
  return restrictFrame(f, s.loop.condition, findings);
}

// A variable of a block or a loop around that another one has the name of. Registers and points are
// told apart by their texts, which would mean something else there.
static std::string hiddenIn(const StmtP &s, std::set<std::string> around) {
  if (s->isInstance())
    return "";
  if (s->kind == StmtKind::For)
    around.insert(s->loop.counter);
  for (const StmtP &b : s->body) {
    bool isNew = b->kind == StmtKind::Declare || b->kind == StmtKind::Shared;
    if (isNew && !around.insert(b->name).second)
      return b->name;
    if (std::string inside = isNew ? "" : hiddenIn(b, around); !inside.empty())
      return inside;
  }
  return "";
}

void KernelReader::run() {
  if (std::string name = hiddenIn(spelledOut(kernel).body, {}); !name.empty())
    unread("a variable hides another one that is called " + name);
  if (std::string wrong = wrongDealing(kernel.body, kernel.block[0]); !wrong.empty())
    unread(wrong);
  if (std::string wrong = wrongLines(kernel); !wrong.empty())
    unread(wrong);
  StmtP body = withoutForwardedResults(withoutKeeps(kernel.body));
  std::set<std::string> privates;
  for (const auto &[name, array] : p.arrays)
    if (array.kind == ArrayKind::Private)
      privates.insert(name);
  RowCopies rows = withoutRowCopies(body, kernel.block, privates);
  read = body = rows.body;
  ofRows = rows.names;
  tiles = tilesIn(body);
  waiting = waitingIn(body);
  registers = registersIn(body);
  unasked = unaskedSums(body);
  walkStmts(body, [&](const StmtP &s) {
    if (writesFirst(s->kind) && s->exprs[0]->kind == ExprKind::Var)
      assigned.insert(s->exprs[0]->name);
    if (s->kind == StmtKind::Reduce && s->collective.axis != kAllThreads)
      reduced.insert(s->name);
  });
  inPhases = hasPhases();
  Frame f = start;
  f.path.push_back({PathItem::Host, f.scope.constant(0), sites++});
  for (const KernelParameter &q : kernel.parameters)
    if (q.buffer < 0) {
      arguments[q.name] = q.value;
      std::optional<isl::pw_aff> v = q.value ? start.scope.value(q.value) : std::nullopt;
      v ? f.scope.bind(q.name, *v) : f.scope.forget(q.name);
      if (v && !fits(*v, q.type, start.executed))
        out.findings.push_back(
            {"widths",
             fmt::format("{}: the argument {} may not fit into 32 bits", kernel.name, q.name)});
    }
  for (const KernelParameter &q : kernel.parameters)
    fixed.insert(q.name);
  outsideInstances(body);
  threadRanges(f);
  f.hasBlockPhases = inPhases;
  stmt(body, f);
  nothingElse(body);
}

// Whether each block runs through the code once, with barriers between its parts.
bool KernelReader::hasPhases() const {
  bool dealsOut = kernel.isResident(); // blocks or threads of the grid take turns
  walkExprs(read, [&](const ExprP &e) {
    dealsOut |= e->kind == ExprKind::Builtin &&
                (e->name.starts_with("blocks.") || e->name.starts_with("threads."));
    return !dealsOut;
  });
  return !dealsOut && !reduced.empty() && tiles.empty() && read->kind == StmtKind::Block &&
         std::any_of(read->body.begin(), read->body.end(),
                     [](const StmtP &s) { return s->kind == StmtKind::Barrier; });
}

// Code between instances may only be what the reader follows: loops, guards, variables, barriers
// and the steps of reductions. Whatever leaves a loop or a kernel early, or writes memory of the
// user's, would go unseen where it happens at large sizes only.
void KernelReader::outsideInstances(const StmtP &s) {
  if (s->isInstance())
    return;
  if (s->kind == StmtKind::Block) { // no compiler takes two variables of one name
    std::set<std::string> names;
    for (const StmtP &b : s->body)
      if ((b->kind == StmtKind::Declare || b->kind == StmtKind::Shared) &&
          !names.insert(b->name).second)
        unread(b->name + " is declared twice");
  }
  switch (s->kind) {
  case StmtKind::Block:
  case StmtKind::If:
  case StmtKind::Barrier:
  case StmtKind::GridBarrier:
  case StmtKind::Reduce:
  case StmtKind::Copy:
  case StmtKind::Leave:
  case StmtKind::Take:
    break;
  case StmtKind::Declare:
  case StmtKind::Shared:
  case StmtKind::Window:
    if (fixed.count(s->name))
      unread(s->name + " hides a parameter or a counter");
    break;
  case StmtKind::For: {
    bool isNew = fixed.insert(s->loop.counter).second;
    if (!isNew)
      unread("the counter " + s->loop.counter + " hides a parameter or a counter");
    outsideInstances(s->body[0]);
    if (isNew)
      fixed.erase(s->loop.counter);
    return;
  }
  case StmtKind::Assign:
    outsideAssign(*s);
    return;
  default:
    unread("a statement outside of instances that the verifier does not know");
    return;
  }
  for (const StmtP &b : s->body)
    outsideInstances(b);
}

// Registers, shared memory, partial results, and the targets of reductions.
void KernelReader::outsideAssign(const Stmt &s) {
  const Expr *base = baseOf(s.exprs[0]);
  bool isBuffer = base && std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                                      [&](const KernelParameter &q) {
                                        return q.buffer >= 0 && q.name == base->name;
                                      });
  bool isAllowed = base && !fixed.count(base->name);
  bool isReduction = !reduced.empty();
  walkStmts(kernel.body, [&](const StmtP &x) {
    isReduction |= x->kind == StmtKind::Shared || x->kind == StmtKind::Reduce;
  });
  if (isBuffer) // with copies, each assignment must be one that is understood, see nothingElse
    isAllowed = hasPlaces(read) ||
                (isReduction &&
                 (!p.arrays.count(base->name) ||
                  std::any_of(p.statements.begin(), p.statements.end(), [&](const Statement &x) {
                    return x.reduction && x.reduction->array == base->name;
                  })));
  if (!isAllowed)
    unread("an assignment outside of instances: " + print(s.exprs[0]));
}

// Sizes for which the product may be less than 1 are certain no more.
void KernelReader::requirePositive(const ExprP &product, Frame &f) const {
  ExprP e = product;
  while (e->kind == ExprKind::Cast && e->type.isInteger())
    e = e->args[0];
  if (e->kind == ExprKind::Binary && e->name == "*") {
    requirePositive(e->args[0], f);
    requirePositive(e->args[1], f);
  } else if (std::optional<isl::pw_aff> v = start.scope.value(e))
    f.certain = meet(f.certain, v->gt_set(f.scope.constant(0)));
  else
    f.certain = f.certain.subtract(f.certain);
}

// Threads that the launch may have, and those that it certainly has.
void KernelReader::threadRanges(Frame &f) {
  int number = unknowns++;
  bool isReduction = !reduced.empty();
  std::array<bool, 3> isSplit = {
      isReduction, isReduction,
      false}; // blocks and lanes are looked at only where the kernel does, or where they reduce
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Leave || (s->kind == StmtKind::Take && s->collective.axis == 1))
      isSplit[size_t(s->collective.axis & 1)] = true;
  });
  walkExprs(kernel.body, [&](const ExprP &e) {
    for (int d = 0; d < 3; d++)
      isSplit[d] |= e->kind == ExprKind::Builtin && (e->name == std::string("block.") + kAxes[d] ||
                                                     e->name == std::string("local.") + kAxes[d]);
    return true;
  });
  for (int d = 0; d < 3; d++) {
    std::string name = std::string("thread.") + kAxes[d];
    isl::pw_aff x = f.scope.addUnknown(name, fmt::format("{}@{}", name, number));
    threads.emplace(name, x);
    isl::pw_aff zero = f.scope.constant(0);
    f.executed = meet(f.executed, x.ge_set(zero));
    f.certain = meet(f.certain, x.ge_set(zero));
    const ExprP &wanted = launch.threads[d];
    if (kernel.isResident()) { // the shape is chosen at run time
      f.certain = meet(f.certain, x.eq_set(zero));
      if (d == 2)
        f.executed = meet(f.executed, x.lt_set(f.scope.constant(kernel.block[d])));
    } else if (wanted->kind == ExprKind::Int) {
      int64_t blocks = (wanted->integer + kernel.block[d] - 1) / kernel.block[d];
      if (launch.limit[d])
        blocks = std::min<int64_t>(blocks, launch.limit[d]);
      isl::set range = x.lt_set(f.scope.constant(blocks * kernel.block[d]));
      f.executed = meet(f.executed, range);
      f.certain = meet(f.certain, range);
    } else if (std::optional<isl::pw_aff> count = start.scope.value(wanted)) {
      f.certain = meet(f.certain, x.lt_set(*count));
      if (launch.limit[d])
        f.certain =
            meet(f.certain, x.lt_set(f.scope.constant(int64_t(launch.limit[d]) * kernel.block[d])));
    } else {
      f.certain = meet(f.certain,
                       x.eq_set(zero)); // a product of sizes: at least one, when each of them is
      requirePositive(wanted, f);
    }
    for (const char *what : {"block.", "local."}) {
      std::string other = std::string(what) + kAxes[d];
      isl::pw_aff y = f.scope.addUnknown(other, fmt::format("{}@{}", other, number));
      threads.emplace(other, y);
      // Where a kernel asks for its blocks, coordinates have all three of their numbers.
      if (d == 2 && !isSplit[2] && (isSplit[0] || isSplit[1])) {
        f.executed = meet(f.executed, y.eq_set(zero));
        f.certain = meet(f.certain, y.eq_set(zero));
      }
    }
    if (!isSplit[d])
      continue;
    // thread = block * size + lane
    const isl::pw_aff &inGrid = threads.at(std::string("block.") + kAxes[d]),
                      &inBlock = threads.at(std::string("local.") + kAxes[d]);
    isl::pw_aff first = isl::manage(
        isl_pw_aff_scale_val(inGrid.copy(), intVal(zero.ctx(), long(kernel.block[d])).release()));
    if (std::optional<isl::pw_aff> count =
            kernel.isResident() ? std::nullopt : start.scope.value(launch.threads[d]))
      f.executed = meet(f.executed,
                        first.lt_set(*count)); // a block begins with a thread that was asked for
    isl::set split = meet(meet(x.eq_set(first.add(inBlock)), inBlock.ge_set(zero)),
                          inBlock.lt_set(f.scope.constant(kernel.block[d])));
    f.executed = meet(f.executed, split);
    f.certain = meet(f.certain, split);
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
  f.isDivergent |= dependsOn(condition, {"thread.", "local."});
  for (auto &[name, x] : threads)
    if (dependsOn(condition, {name + "@"}))
      f.guarded.insert(name);
  f.dependsOnBlock |= dependsOn(condition, {"block."});
}

// A variable of a thread or of a block.
void KernelReader::declared(const Stmt &s, Frame &f) {
  LocalVariable v{sites++, {}, s.copyOf, s.kind == StmtKind::Shared};
  auto array = p.arrays.find(s.copyOf.empty() ? s.name : s.copyOf);
  bool isPrivate = array != p.arrays.end() && array->second.kind == ArrayKind::Private;
  bool isSame = !isPrivate || s.type == array->second.variable.type;
  if (v.isShared && isPrivate) {
    const std::vector<ExprP> &extents = array->second.extents;
    isSame &= std::equal(s.extents.begin(), s.extents.end(), extents.begin(), extents.end(),
                         [](int64_t a, const ExprP &b) { return b && b->integer == a; });
  }
  if (!isSame)
    unread(s.name + " has another type than the variable that it stands for");
  if (v.isShared) {
    bool isAtTop = std::none_of(f.path.begin(), f.path.end(), [](const PathItem &item) {
      return item.kind != PathItem::Host && item.kind != PathItem::Position &&
             item.kind != PathItem::BlockPhase;
    });
    if (!isAtTop || !s.exprs.empty())
      unread(s.name + " is in shared memory, with a value or inside of the code");
    if (s.extents.size() == 1)
      sharedExtents[s.name] = s.extents[0];
    sharedArrays.insert(s.name);
  }
  f.extents[s.name] = s.extents;
  for (const ExprP &e : s.exprs)
    widths(e, f);
  if (assigned.count(s.name) || v.isShared)
    f.scope.forget(s.name);
  else
    declareValue(s, f);
  for (const PathItem &item : f.path) {
    v.copy.push_back(item.value);
    v.around.insert(item.site);
  }
  for (auto &[name, x] : threads) {
    bool isOfBlock = name.starts_with("block.");
    bool isOfRow = isOfBlock || (name == "local.y" && ofRows.count(s.name));
    if (v.isShared ? isOfRow : isOwn(name, f) || (inPhases && isOfBlock))
      v.copy.push_back(x);
  }
  f.locals.insert_or_assign(s.name, v);
}

void KernelReader::stmt(const StmtP &s, Frame &f) {
  switch (s->kind) {
  case StmtKind::Block:
    s->isInstance() ? instance(s, f) : blockOf(*s, f);
    return;
  case StmtKind::Declare:
  case StmtKind::Shared:
    declared(*s, f);
    return;
  case StmtKind::For:
    loop(*s, f);
    return;
  case StmtKind::If:
    branch(*s, f);
    return;
  case StmtKind::Barrier:
  case StmtKind::GridBarrier:
  case StmtKind::Reduce:
    barrier(*s, f);
    return;
  case StmtKind::Leave:
    leave(s, f);
    return;
  case StmtKind::Take:
    take(s, f);
    return;
  case StmtKind::Window:
    window(s, f);
    return;
  case StmtKind::Copy:
    copy(*s, f);
    return;
  case StmtKind::Assign: // registers and the steps of reductions; see the checks of instances and
                         // the samples
    if (const Expr *base = baseOf(s->exprs[0]); base && registers.count(base->name))
      return load(*s, f);
    for (const ExprP &e : s->exprs)
      sharedElements(e, f);
    for (const std::string &name : reduced)
      if (mentions(s->exprs[0], name) || mentions(s->exprs[1], name))
        combination(s, name, f);
    return;
  default:
    if (containsInstance(s))
      unread("instances inside a statement that the verifier does not know");
  }
}

void KernelReader::blockOf(const Stmt &s, const Frame &outer) {
  if (std::optional<PointDimension> point = pointDimension(std::make_shared<Stmt>(s)))
    if (Frame inside = outer; enterPoint(*point, inside)) {
      stmt(insideOf(std::make_shared<Stmt>(s)), inside);
      return;
    }
  int site = sites++;
  std::vector<size_t> barriers;
  for (size_t n = 0; n < s.body.size(); n++)
    if (s.body[n]->kind == StmtKind::GridBarrier)
      barriers.push_back(n);
  Frame f = outer;
  f.hasBlockPhases = false;
  std::vector<PathItem> outerPath = outer.path;
  std::vector<std::string> kept;
  size_t afterLoads = enterKept(s.body, f, kept), beforeStores = s.body.size() - afterLoads;
  for (size_t n = 0; n < s.body.size(); n++) {
    f.path = outerPath;
    if (n < afterLoads || n >= beforeStores)
      continue; // registers of points
    if (size_t after = blocksTakenApart(s.body, n, f); after > n) {
      outerPath = f.path;
      n = after - 1;
      continue;
    }
    if (!barriers.empty() && barriers.back() > n) {
      int before =
          int(std::count_if(barriers.begin(), barriers.end(), [&](size_t b) { return b < n; }));
      f.path.push_back({PathItem::Phase, f.scope.constant(before), site});
    }
    if (outer.hasBlockPhases) {
      long before = std::count_if(s.body.begin(), s.body.begin() + long(n),
                                  [](const StmtP &b) { return b->kind == StmtKind::Barrier; });
      f.path.push_back({PathItem::BlockPhase, f.scope.constant(before), site});
    }
    f.path.push_back({PathItem::Position, f.scope.constant(int64_t(n)), site});
    stmt(s.body[n], f);
  }
  for (const std::string &name : kept)
    checkKept(f.kept.at(name), name, f);
}

void KernelReader::branch(const Stmt &s, const Frame &outer) {
  bool matters = containsInstance(s.body[0]) || (s.body.size() > 1 && containsInstance(s.body[1]));
  for (const StmtP &b : s.body)
    walkStmts(b, [&](const StmtP &x) {
      matters |= x->kind == StmtKind::Barrier || x->kind == StmtKind::GridBarrier ||
                 x->kind == StmtKind::Reduce || x->kind == StmtKind::Window ||
                 x->kind == StmtKind::Copy || x->kind == StmtKind::Leave ||
                 x->kind == StmtKind::Take ||
                 (x->kind == StmtKind::Assign &&
                  !(sharedExtents.empty() && reduced.empty() && registers.empty()));
    });
  if (!matters)
    return;
  std::optional<isl::set> c = outer.scope.condition(s.exprs[0]);
  if (!c) {
    unread("a condition cannot be read: " + print(s.exprs[0]));
    return;
  }
  widths(s.exprs[0], outer);
  for (size_t n = 0; n < s.body.size(); n++) {
    Frame f = outer;
    isl::set when = n == 0 ? *c : c->complement();
    f.executed = meet(f.executed, when);
    f.certain = meet(f.certain, when);
    if (!f.owned.empty()) { // of tiles that were shifted inwards and others alike
      f.executed = f.executed.coalesce();
      f.certain = f.certain.coalesce();
    }
    if (s.isSpeculated && !unasked.count(&s)) {
      speculated(s, *c, outer);
      f.reached = outer.reached.is_null() ? isl::set(outer.executed) : isl::set(outer.reached);
    } else
      noteDivergence(f, *c);
    for (auto &[name, one] : f.windows)
      one.isUnguarded = false;
    stmt(s.body[n], f);
  }
}

// Elements of shared arrays, for all block and thread numbers.
void KernelReader::sharedElements(const ExprP &e, const Frame &f) {
  walk(e, [&](const ExprP &x) {
    if (x->kind != ExprKind::Index || x->args[0]->kind != ExprKind::Var ||
        !sharedExtents.count(x->args[0]->name))
      return true;
    if (std::optional<isl::pw_aff> at = f.scope.value(x->args[1])) {
      isl::set outside =
          at->lt_set(f.scope.constant(0))
              .unite(at->ge_set(f.scope.constant(sharedExtents.at(x->args[0]->name))));
      if (!f.executed.is_disjoint(outside))
        out.findings.push_back({"bounds", fmt::format("{}: {} may lie outside the shared array",
                                                      kernel.name, print(x))});
    } else
      unread("a subscript of a shared array cannot be read: " + print(x));
    return true;
  });
}

void KernelReader::barrier(const Stmt &s, const Frame &f) {
  if (f.isDivergent)
    out.findings.push_back(
        {"barriers", kernel.name + ": a barrier that some threads of a block may not reach"});
  if (s.kind == StmtKind::GridBarrier && f.dependsOnBlock)
    out.findings.push_back(
        {"barriers", kernel.name + ": a barrier of the grid that some blocks may not reach"});
  if (s.kind == StmtKind::GridBarrier && !kernel.isResident())
    out.findings.push_back(
        {"barriers",
         kernel.name + ": a barrier of the grid in a kernel that is launched without one"});
}

// Whether a coordinate tells threads apart that a distributed loop does not stand for: thread.x, or
// block.x where the loop is shared out along x among the threads of a block, or local.x where it is
// among blocks. In a kernel in phases, local.x and so on alone: its blocks come first.
bool KernelReader::isOwn(const std::string &name, const Frame &f) const {
  std::string axis = name.substr(name.find('.') + 1);
  if (inPhases)
    return name.starts_with("local.") && !f.consumed.count(name);
  bool isOfBlocks = f.consumed.count("block." + axis);
  if (name.starts_with("thread."))
    return !isOfBlocks && !f.consumed.count(name) && !f.consumed.count("local." + axis);
  if (name.starts_with("local."))
    return isOfBlocks && !f.consumed.count(name);
  return name.starts_with("block.") && !isOfBlocks && f.consumed.count("local." + axis);
}

std::vector<Coordinate> KernelReader::coordinatesOf(const Frame &f) {
  std::vector<Coordinate> coordinates;
  size_t cut = 0; // what comes before is in order for all threads
  for (size_t n = 0; n < f.path.size(); n++)
    if (f.path[n].kind == PathItem::Host || f.path[n].kind == PathItem::Phase)
      cut = n + 1;
  for (size_t n = 0; n < cut; n++) {
    if (f.path[n].kind == PathItem::Distributed)
      out.findings.push_back(
          {"barriers", kernel.name + ": a barrier inside a loop that is divided among threads"});
    coordinates.push_back({Coordinate::Ordered, f.path[n].value, f.path[n].site});
  }
  // A block, then what its barriers put in order, then its threads.
  for (auto &[name, x] : threads)
    if (inPhases && name.starts_with("block.") && !f.consumed.count(name))
      coordinates.push_back({Coordinate::Thread, x, -2});
  for (size_t n = cut; n < f.path.size(); n++)
    if (f.path[n].kind == PathItem::Blocks || f.path[n].kind == PathItem::BlockPhase)
      coordinates.push_back(
          {f.path[n].kind == PathItem::Blocks ? Coordinate::Thread : Coordinate::Ordered,
           f.path[n].value, f.path[n].site});
  for (auto &[name, x] : threads)
    if (isOwn(name, f) || (name.starts_with("block.") && f.consumed.count("lanes")))
      coordinates.push_back({Coordinate::Thread, x,
                             name.starts_with("thread.")  ? -1
                             : name.starts_with("block.") ? -2
                                                          : -3});
  for (size_t n = cut; n < f.path.size(); n++)
    if (f.path[n].kind == PathItem::Distributed)
      coordinates.push_back({Coordinate::Thread, f.path[n].value, f.path[n].site});
  for (size_t n = cut; n < f.path.size(); n++)
    if (f.path[n].kind != PathItem::Distributed && f.path[n].kind != PathItem::Blocks &&
        f.path[n].kind != PathItem::BlockPhase)
      coordinates.push_back({Coordinate::InThread, f.path[n].value, f.path[n].site});
  return coordinates;
}

// A statement that takes what threads have reduced. Its subscripts are the source's, in the
// source's types.
void KernelReader::combination(const StmtP &s, const std::string &variable, const Frame &f) {
  Combination c{variable,
                s,
                &kernel,
                coordinatesOf(f),
                f.executed,
                f.certain,
                f.locals,
                std::make_shared<AffineScope>(f.scope),
                threads,
                &launch,
                std::make_shared<AffineScope>(start.scope)};
  for (const auto &[name, local] :
       f.locals) // a variable's copy is the variable again, as in instances
    if (!local.copyOf.empty() && (mentions(s->exprs[0], name) || mentions(s->exprs[1], name))) {
      if (mentions(s->exprs[0], local.copyOf) || mentions(s->exprs[1], local.copyOf))
        unread(fmt::format("two copies of {} where the result of {} is taken", local.copyOf,
                           variable));
      c.code = rewriteExprs(c.code, [&](const ExprP &e) {
        return e->kind == ExprKind::Var && e->name == name ? var(local.copyOf, e->type) : e;
      });
      c.locals.insert_or_assign(local.copyOf, local);
    }
  out.combinations.push_back(c);
}

// The result of a block, by each thread that gets here.
void KernelReader::leave(const StmtP &s, const Frame &f) {
  std::optional<LeftResult> left = leftBy(*s);
  if (!left || !baseOf(left->value))
    return unread("a partial result is left in a way that the verifier does not know");
  if (left->column)
    widths(left->column, f);
  combination(s, baseOf(left->value)->name, f);
}

// The results of all blocks: by the first of the threads that share them out, all of which get
// here.
void KernelReader::take(const StmtP &s, const Frame &f) {
  std::optional<TakenResults> taken = takenBy(*s);
  std::optional<isl::set> when = taken ? f.scope.condition(taken->guard) : std::nullopt;
  if (!when)
    return unread("partial results are taken in a way that the verifier does not know");
  widths(taken->guard, f);
  Frame first = f;
  bool isOfAll = taken->axis == kAllThreads;
  if (taken->axis != kOneThread) {
    barrier(*s, f);
    if (isOfAll ? dependsOn(*when, {"thread.", "local."})
                : dependsOn(*when, {"thread.y", "local.y"}))
      unread("threads that take partial results together do not agree whether they do");
    *when = meet(*when, threads.at("local.y").eq_set(f.scope.constant(0)));
    if (isOfAll)
      *when = meet(*when, threads.at("local.x").eq_set(f.scope.constant(0)));
  }
  first.executed = meet(f.executed, *when);
  first.certain = meet(f.certain, *when);
  combination(s, taken->buffer->name, first);
}

// A variable's copy is the variable again, at this position: which of the copies is a matter of
// 'locals'.
void KernelReader::undoCopies(SchedulePosition &position) {
  std::map<std::string, ExprP> used;
  std::set<std::string> declared;
  walkExprs(position.code, [&](const ExprP &e) {
    if (e->kind == ExprKind::Var)
      used.emplace(e->name, e);
    return true;
  });
  walkStmts(position.code, [&](const StmtP &s) {
    declared.insert(s->kind == StmtKind::For       ? s->loop.counter
                    : s->kind == StmtKind::Declare ? s->name
                                                   : "");
  });
  std::map<std::string, LocalVariable> given = position.locals;
  std::set<std::string> undone;
  for (auto &[name, variable] : given) {
    if (variable.copyOf.empty() || !used.count(name) || declared.count(name))
      continue;
    if (used.count(variable.copyOf) || declared.count(variable.copyOf) ||
        !undone.insert(variable.copyOf).second)
      unread(fmt::format("two copies of {} in one instance of {}", variable.copyOf,
                         position.statement));
    position.code = rewriteExprs(position.code, [&](const ExprP &e) {
      return e->kind == ExprKind::Var && e->name == name ? var(variable.copyOf, e->type) : e;
    });
    position.locals.insert_or_assign(variable.copyOf, variable);
  }
}

void KernelReader::instance(const StmtP &s, const Frame &f) {
  SchedulePosition position;
  position.statement = s->name;
  position.code = s;
  position.kernel = &kernel;
  position.executed = f.executed;
  position.certain = f.certain;
  position.locals = f.locals;
  position.host = std::make_shared<AffineScope>(start.scope);
  position.inside = std::make_shared<AffineScope>(f.scope);
  for (const ExprP &v : s->values) {
    std::optional<isl::pw_aff> x = f.scope.value(v);
    if (!x) {
      unread(fmt::format("an iterator of {} cannot be read: {}", s->name, print(v)));
      return;
    }
    position.values.push_back(*x);
    widths(v, f);
  }
  checkOwned(f.executed, f, "instances of " + s->name + " are executed");
  position.code = ofOnePoint(unstaged(s, f), position, f);
  undoCopies(position);
  undoWindows(position, f);
  position.coordinates = coordinatesOf(f);
  out.positions.push_back(position);
}

} // namespace nw
