// Reading tiles: copies of boxes in shared memory, and what instances find there. A position in a
// copy becomes the element again that it was copied from, once it is certain that the copy holds
// it: for all sizes, blocks, threads and strips.
#include "ir/flat_subscript.h"
#include "verify/readers/kernel_reader.h"
#include "verify/readers/wide_copies.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

bool assigns(const StmtP &s, const std::string &name) {
  bool is = false;
  walkStmts(s, [&](const StmtP &x) {
    is |= x->kind == StmtKind::Assign && baseOf(x->exprs[0]) && baseOf(x->exprs[0])->name == name;
  });
  return is;
}

} // namespace

// for (q = 0; q < turns; q++) { e = number + q * threads; …; [if (guard)] target = value; } as
// for (e = number; e < turns * threads; e += threads) { …; [if (guard)] target = value; }: the same
// elements, each once.
static StmtP inOneLoop(const StmtP &s, ExprP &turn) {
  const Loop &l = s->loop;
  const ExprP &c = l.condition;
  if (s->kind != StmtKind::For || l.stride || l.step != 1 || l.start->kind != ExprKind::Int ||
      l.start->integer != 0 || c->kind != ExprKind::Binary || c->name != "<" ||
      c->args[0]->kind != ExprKind::Var || c->args[0]->name != l.counter ||
      c->args[1]->kind != ExprKind::Int || s->body[0]->kind != StmtKind::Block ||
      s->body[0]->body.empty())
    return nullptr;
  const Stmt &d = *s->body[0]->body[0];
  if (d.kind != StmtKind::Declare || d.exprs.size() != 1 || !d.extents.empty() ||
      !(d.type == l.type))
    return nullptr;
  const ExprP &e = d.exprs[0];
  if (e->kind != ExprKind::Binary || e->name != "+" || e->args[1]->kind != ExprKind::Binary ||
      e->args[1]->name != "*" || e->args[1]->args[1]->kind != ExprKind::Int ||
      e->args[1]->args[0]->kind != ExprKind::Var || e->args[1]->args[0]->name != l.counter)
    return nullptr;
  turn = e->args[1]->args[0];
  int64_t threads = e->args[1]->args[1]->integer;
  std::vector<StmtP> rest(s->body[0]->body.begin() + 1, s->body[0]->body.end());
  return forLoop(
      d.name, d.type, e->args[0],
      binary("<", var(d.name, d.type), intConst(c->args[1]->integer * threads, d.type), kI32),
      intConst(threads, d.type), block(rest));
}

// The assignment at the end of such a loop, through its guard.
static const Stmt *moveOf(const StmtP &loop) {
  const Stmt *s = loop->body[0]->body.empty() ? nullptr : loop->body[0]->body.back().get();
  while (s && (s->kind == StmtKind::If || s->kind == StmtKind::Block) && s->body.size() == 1)
    s = s->body[0].get();
  return s && s->kind == StmtKind::Assign ? s : nullptr;
}

// A load into registers and the store of these, as one copy; nothing where they do not belong
// together.
StmtP KernelReader::asOneCopy(const StmtP &load, const StmtP &store, const Frame &f) {
  if (std::optional<WideCopy> wide = wideCopy(load, store))
    return asSingle(*wide, f);
  ExprP turn, same;
  StmtP first = inOneLoop(load, turn), second = inOneLoop(store, same);
  const Stmt *in = first ? moveOf(first) : nullptr, *out = second ? moveOf(second) : nullptr;
  if (!in || !out || !sameTree(in->exprs[0], out->exprs[1]) ||
      in->exprs[0]->kind != ExprKind::Index || !sameTree(in->exprs[0]->args[1], turn) ||
      in->exprs[0]->args[0]->kind != ExprKind::Var || !sameTree(turn, same))
    return nullptr;
  const std::string &registers = in->exprs[0]->args[0]->name;
  auto extents = f.extents.find(registers);
  if (extents == f.extents.end() || tileExtents.count(registers) || extents->second.size() != 1 ||
      extents->second[0] < load->loop.condition->args[1]->integer)
    return nullptr;
  // All but the assignments must be the same: with the element in place of the register in both,
  // they are one text.
  StmtP whole = rewriteExprs(
      second, [&](const ExprP &e) { return sameTree(e, in->exprs[0]) ? in->exprs[1] : e; });
  StmtP other = rewriteExprs(
      first, [&](const ExprP &e) { return sameTree(e, in->exprs[0]) ? out->exprs[0] : e; });
  if (print(whole, 0) != print(other, 0))
    return nullptr;
  understood.insert(in);
  understood.insert(out);
  return whole;
}

// A copy with wide loads as one of single elements, once it is certain that they lie where they
// must.
StmtP KernelReader::asSingle(const WideCopy &wide, const Frame &f) {
  const Stmt &w = *wide.window;
  auto refuse = [&](const std::string &what) {
    out.findings.push_back({"windows", fmt::format("{}: {} {}", kernel.name, w.name, what)});
  };
  auto extents = f.extents.find(wide.registers);
  if (extents == f.extents.end() || tileExtents.count(wide.registers) ||
      extents->second != std::vector<int64_t>{wide.count})
    return nullptr;
  std::optional<isl::pw_aff> first = f.scope.value(wide.first);
  if (std::string wrong = wrongWindow(w); !wrong.empty())
    refuse(wrong);
  else if (!first)
    refuse("begins at an unknown element: " + print(wide.first));
  else if (wrong = wrongAlignment(w, {*first}, f); !wrong.empty())
    refuse(wrong);
  understood.insert(wide.in);
  understood.insert(wide.out);
  return wide.single;
}

// Copies that stand between two barriers, with what was loaded for them before the first. What
// follows may read them; the statement after them is returned.
size_t KernelReader::enterTiles(const std::vector<StmtP> &body, size_t at, Frame &f) {
  std::vector<StmtP> loads;
  size_t start = at;
  auto isRegister = [](const StmtP &s) {
    return s->kind == StmtKind::Declare && s->extents.size() == 1 && s->exprs.empty();
  };
  while (start + 1 < body.size() && isRegister(body[start]) &&
         body[start + 1]->kind == StmtKind::For && !containsInstance(body[start + 1])) {
    loads.push_back(body[start + 1]);
    start += 2;
  }
  if (start + 2 >= body.size() || body[start]->kind != StmtKind::Barrier)
    return at;
  size_t last = start + 1;
  while (last < body.size() && body[last]->kind == StmtKind::For && !containsInstance(body[last]))
    last++;
  if (last == start + 1 || last >= body.size() || body[last]->kind != StmtKind::Barrier)
    return at;
  Frame inner = f;
  for (size_t n = at; n < start; n += 2)
    inner.extents[body[n]->name] = body[n]->extents;
  std::vector<StmtP> copies;
  for (size_t n = start + 1; n < last; n++) {
    StmtP copy;
    for (const StmtP &load : loads)
      if (StmtP whole = asOneCopy(load, body[n], inner))
        copy = copy ? nullptr : whole;
    copies.push_back(copy ? copy : body[n]);
  }
  std::vector<StmtP> after(body.begin() + long(last) + 1, body.end());
  barrier(*body[start], f);
  for (size_t n = 0; n < copies.size(); n++) {
    std::vector<StmtP> others = after;
    others.insert(others.end(), copies.begin() + long(n) + 1, copies.end());
    if (!readCopy(copies[n], f, others))
      return at; // found where assignments are counted
  }
  barrier(*body[last], f);
  return last + 1;
}

std::optional<BoxMoves> KernelReader::boxMoves(const StmtP &s) const {
  const Loop &l = s->loop;
  int width = kernel.block[0], all = kernel.block[0] * kernel.block[1] * kernel.block[2];
  ExprP number = withoutWideCasts(l.start);
  bool isLane = isBuiltin(number, "local.x") && all == width;
  if (number->kind == ExprKind::Binary && number->name == "+" &&
      isBuiltin(withoutWideCasts(number->args[1]), "local.x")) {
    ExprP row = withoutWideCasts(number->args[0]);
    isLane = row->kind == ExprKind::Binary && row->name == "*" &&
             isBuiltin(withoutWideCasts(row->args[0]), "local.y") &&
             row->args[1]->kind == ExprKind::Int && row->args[1]->integer == width &&
             kernel.block[2] == 1;
  }
  const ExprP &c = l.condition;
  if (!isLane || l.stride || l.step != all || !isWide(l.type) || c->kind != ExprKind::Binary ||
      c->name != "<" || withoutWideCasts(c->args[0])->kind != ExprKind::Var ||
      withoutWideCasts(c->args[0])->name != l.counter || c->args[1]->kind != ExprKind::Int ||
      s->body[0]->kind != StmtKind::Block)
    return std::nullopt;
  const std::vector<StmtP> &code = s->body[0]->body;
  std::map<std::string, int64_t> counts;
  ExprP rest = var(l.counter, l.type);
  int64_t left = c->args[1]->integer;
  size_t n = 0;
  for (; n < code.size() && code[n]->kind == StmtKind::Declare; n++) {
    const Stmt &d = *code[n];
    if (d.exprs.size() != 1 || !d.extents.empty() || !isWide(d.type) || !rest ||
        counts.count(d.name))
      return std::nullopt;
    const ExprP &e = d.exprs[0];
    if (sameTree(e, rest)) { // the last one
      counts[d.name] = left;
      rest = nullptr;
      continue;
    }
    if (e->kind != ExprKind::Binary || e->name != "%" || !sameTree(e->args[0], rest) ||
        e->args[1]->kind != ExprKind::Int || e->args[1]->integer < 1 ||
        left % e->args[1]->integer != 0)
      return std::nullopt;
    counts[d.name] = e->args[1]->integer;
    left /= e->args[1]->integer;
    rest = binary("/", rest, e->args[1], l.type);
  }
  if (rest || n + 1 != code.size())
    return std::nullopt;
  const Stmt *move = code[n].get();
  BoxMoves out;
  if (move->kind == StmtKind::If && move->body.size() == 1 && !move->isSpeculated) {
    out.guard = move->exprs[0];
    move = move->body[0].get();
    while (move->kind == StmtKind::Block && move->body.size() == 1)
      move = move->body[0].get();
  }
  out.counts = counts;
  out.move = move;
  return move->kind == StmtKind::Assign ? std::optional(out) : std::nullopt;
}

// The same with tile[…] = array[…].
bool KernelReader::readCopy(const StmtP &s, Frame &f, const std::vector<StmtP> &after) {
  std::optional<BoxMoves> moves = boxMoves(s);
  if (!moves)
    return false;
  const Stmt *move = moves->move;
  std::map<std::string, int64_t> counts = moves->counts;
  TileCopy copy;
  copy.guard = moves->guard;
  std::vector<ExprP> to;
  const Expr *tile = elementOf(move->exprs[0], to);
  const Expr *array = tile ? elementOf(move->exprs[1], copy.source) : nullptr;
  if (!array || !tileExtents.count(tile->name) || to.size() != tileExtents.at(tile->name).size() ||
      to.size() != counts.size() || !(move->exprs[0]->type == move->exprs[1]->type))
    return false;
  copy.array = array->name;
  bool isRead = std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                            [&](const KernelParameter &q) {
                              return q.name == copy.array && q.buffer >= 0 && q.isConst &&
                                     q.extents.size() == copy.source.size();
                            });
  if (!isRead || assigns(kernel.body, copy.array))
    return false;
  for (size_t k = 0; k < to.size(); k++) {
    ExprP e = withoutWideCasts(to[k]);
    auto count = e->kind == ExprKind::Var ? counts.find(e->name) : counts.end();
    if (count == counts.end() || count->second > tileExtents.at(tile->name)[k])
      return false;
    copy.coordinates.push_back(e->name);
    copy.extents.push_back(count->second);
    counts.erase(count);
  }
  for (const StmtP &other : after)
    if (assigns(other, tile->name))
      unread(tile->name + " is overwritten before its readers have finished");
  copy.scope = std::make_shared<AffineScope>(f.scope);
  understood.insert(move);
  checkCopy(copy, f);
  f.tiles.insert_or_assign(tile->name, copy);
  return true;
}

// Whether all that is copied are elements that the region touches, in numbers that fit.
bool KernelReader::areTouched(const TileCopy &copy, const AffineScope &scope, const isl::set &when,
                              const isl::set &touched) const {
  isl::set copied = isl::set::universe(touched.get_space()).intersect_params(when);
  for (int d = 0; d < int(copy.source.size()); d++) {
    std::optional<isl::pw_aff> at = scope.value(copy.source[size_t(d)]);
    if (!at || !fits(*at, copy.source[size_t(d)]->type, when))
      return false;
    isl_space *target = isl_space_align_params(touched.get_space().release(),
                                               isl_pw_aff_get_domain_space(at->get()));
    isl::pw_aff lifted = isl::manage(isl_pw_aff_insert_domain(at->copy(), target));
    copied = meet(copied, dimensionOn(touched.get_space(), d).eq_set(lifted));
  }
  return copied.is_subset(touched);
}

// What is copied is memory of the array: elements that are touched; or it lies in the box of all
// elements that the region touches, whose first and last are among them; or it lies in rows between
// those that are touched, which are there as a whole.
void KernelReader::checkCopy(const TileCopy &copy, const Frame &f) {
  AffineScope scope = *copy.scope;
  isl::set when = f.executed;
  for (size_t k = 0; k < copy.coordinates.size(); k++) {
    isl::pw_aff x = scope.addUnknown(copy.coordinates[k],
                                     fmt::format("{}@{}", copy.coordinates[k], unknowns++));
    when = meet(meet(when, x.ge_set(scope.constant(0))), x.lt_set(scope.constant(copy.extents[k])));
  }
  if (copy.guard) {
    std::optional<isl::set> c = scope.condition(copy.guard);
    if (!c)
      return unread("a condition cannot be read: " + print(copy.guard));
    when = meet(when, *c);
  }
  Unset<isl::set> touched;
  for (const Statement &s : p.statements)
    for (const Access &a : s.accesses)
      if (a.array == copy.array &&
          (a.isCertain ||
           !p.region.isOnDevice)) { // elsewhere the host has copied what might be touched
        isl::set range = unnamed(a.relation.range()).intersect_params(out.context);
        touched = touched.is_null() ? range : touched.unite(range);
      }
  if (touched.is_null() || dimsOf(touched) != int(copy.source.size()))
    return unread("the elements of " + copy.array + " that exist are not known");
  if (areTouched(copy, scope, when, touched))
    return;
  isl::set first = touched, last = touched;
  isl::space space = touched.get_space();
  bool inRows = true;
  const Array &shape = p.arrays.at(copy.array);
  for (int d = 0; d < int(copy.source.size()); d++) {
    std::optional<isl::pw_aff> at = scope.value(copy.source[size_t(d)]);
    if (!at)
      return unread("a subscript of a copy cannot be read: " + print(copy.source[size_t(d)]));
    if (!fits(*at, copy.source[size_t(d)]->type, when))
      out.findings.push_back({"widths", fmt::format("{}: {} may not fit into 32 bits", kernel.name,
                                                    print(copy.source[size_t(d)]))});
    isl::pw_aff low = isl::manage(isl_set_dim_min(touched.copy(), d)),
                high = isl::manage(isl_set_dim_max(touched.copy(), d));
    isl::set inside = meet(at->ge_set(low), at->le_set(high));
    std::optional<isl::pw_aff> extent = d > 0 && size_t(d) < shape.extents.size() &&
                                                shape.flatSizes.empty() && !isDelinearized(shape) &&
                                                shape.extents[size_t(d)]
                                            ? scope.value(shape.extents[size_t(d)])
                                            : std::nullopt;
    inRows &= d == 0 ||
              (extent && when.is_subset(meet(at->ge_set(scope.constant(0)), at->lt_set(*extent))));
    if (!when.is_subset(inside))
      out.findings.push_back(
          {"bounds", fmt::format("{}: a copy of {} reaches beyond its elements: {}", kernel.name,
                                 copy.array, inShort(when.subtract(inside)))});
    for (auto [corner, value] : {std::pair(&first, &low), std::pair(&last, &high)}) {
      isl_space *target =
          isl_space_align_params(space.copy(), isl_pw_aff_get_domain_space(value->get()));
      isl::pw_aff lifted = isl::manage(isl_pw_aff_insert_domain(value->copy(), target));
      *corner = meet(*corner, dimensionOn(space, d).eq_set(lifted));
    }
  }
  isl::set any = onlyParams(touched);
  if (!inRows && (!any.is_subset(onlyParams(first)) || !any.is_subset(onlyParams(last))))
    out.findings.push_back(
        {"bounds", fmt::format("{}: the elements of {} are not a box", kernel.name, copy.array)});
}

// Whether the position holds the element.
bool KernelReader::isTileElement(const ExprP &position, const ExprP &element, const TileCopy &copy,
                                 const Frame &f) {
  std::vector<ExprP> at, wanted;
  if (!elementOf(position, at) || at.size() != copy.coordinates.size())
    return false;
  const Expr *array = elementOf(element, wanted);
  if (!array || array->name != copy.array || wanted.size() != copy.source.size() ||
      !(position->type == element->type))
    return false;
  isl::set reached = f.reached.is_null() ? f.executed : f.reached;
  AffineScope scope = *copy.scope;
  for (size_t k = 0; k < at.size(); k++) {
    std::optional<isl::pw_aff> v = f.scope.value(at[k]);
    if (!v || !isWide(at[k]->type))
      return false;
    if (!reached.is_subset(
            meet(v->ge_set(scope.constant(0)), v->lt_set(scope.constant(copy.extents[k]))))) {
      out.findings.push_back({"bounds", fmt::format("{}: {} may lie outside the copied elements",
                                                    kernel.name, print(position))});
      return true;
    }
    scope.bind(copy.coordinates[k], *v);
  }
  for (size_t d = 0; d < wanted.size(); d++) {
    std::optional<isl::pw_aff> from = scope.value(copy.source[d]), to = f.scope.value(wanted[d]);
    if (!from || !to || !f.executed.is_disjoint(from->ne_set(*to)))
      return false;
  }
  std::optional<isl::set> copied =
      copy.guard ? scope.condition(copy.guard) : std::optional<isl::set>(f.executed);
  return copied && f.executed.is_subset(*copied);
}

// Where positions in copies are looked at inside an instance: conditions around them say more than
// the instance's own.
class StagedReads {
public:
  StagedReads(const StmtP &code, const Frame &f) : f(f) {
    walkStmts(code, [&](const StmtP &s) {
      if (s->kind == StmtKind::Declare)
        changing.insert(s->name);
      if (s->kind == StmtKind::For)
        changing.insert(s->loop.counter);
      if (const Expr *base = s->kind == StmtKind::Assign ? baseOf(s->exprs[0]) : nullptr)
        changing.insert(base->name);
    });
    stmt(code, {f.executed, f.reached.is_null() ? f.executed : f.reached});
  }

  // The frame for a position.
  Frame frameOf(const Expr *position) const {
    Frame own = f;
    if (auto found = reads.find(position); found != reads.end()) {
      own.executed = found->second.executed;
      own.reached = found->second.reached;
    }
    return own;
  }

private:
  struct When {
    isl::set executed, reached;
  };

  When where(const When &w, const ExprP &condition, bool holds) const {
    bool isKept = std::none_of(changing.begin(), changing.end(),
                               [&](const std::string &name) { return mentions(condition, name); });
    std::optional<isl::set> c = isKept ? f.scope.condition(condition) : std::nullopt;
    if (!c)
      return w;
    isl::set when = holds ? *c : c->complement();
    return {meet(w.executed, when), meet(w.reached, when)};
  }

  void stmt(const StmtP &s, const When &w) {
    for (const ExprP &e : s->exprs)
      expr(e, w);
    if (s->kind == StmtKind::For)
      for (const ExprP &e : {s->loop.start, s->loop.condition, s->loop.stride})
        if (e)
          expr(e, w);
    for (size_t n = 0; n < s->body.size(); n++)
      stmt(s->body[n],
           s->kind == StmtKind::If && !s->isSpeculated ? where(w, s->exprs[0], n == 0) : w);
  }

  void expr(const ExprP &e, const When &w) {
    if (e->kind == ExprKind::Staged) {
      auto [at, isNew] = reads.emplace(e.get(), w);
      if (!isNew)
        at->second = {at->second.executed.unite(w.executed), at->second.reached.unite(w.reached)};
      return;
    }
    bool isAnd = e->kind == ExprKind::Binary && e->name == "&&",
         isOr = e->kind == ExprKind::Binary && e->name == "||",
         isSelect = e->kind == ExprKind::Select;
    for (size_t n = 0; n < e->args.size(); n++)
      expr(e->args[n], n == 0 || !(isAnd || isOr || isSelect)
                           ? w
                           : where(w, e->args[0], isAnd || (isSelect && n == 1)));
  }

  const Frame &f;
  std::set<std::string> changing; // variables that the instance sets itself
  std::map<const Expr *, When> reads;
};

// The instance with elements in place of copies and registers.
StmtP KernelReader::unstaged(const StmtP &code, const Frame &f) {
  StagedReads reads(code, f);
  return rewriteExprs(code, [&](const ExprP &e) -> ExprP {
    if (e->kind != ExprKind::Staged)
      return e;
    const Expr *base = baseOf(e);
    const TileCopy *tile = nullptr;
    for (const std::map<std::string, TileCopy> *all : {&f.tiles, &f.stores})
      if (auto found = base ? all->find(base->name) : all->end(); found != all->end())
        tile = &found->second;
    bool is = tile ? isTileElement(e->args[0], e->args[1], *tile, reads.frameOf(e.get()))
                   : base && f.kept.count(base->name) &&
                         isKeptElement(base->name, e->args[0], e->args[1], f);
    if (!is)
      unread(fmt::format("{} does not hold {}", print(e->args[0]), print(e->args[1])));
    return e->args[1];
  });
}

// Between instances, only assignments whose role is known.
void KernelReader::nothingElse(const StmtP &body) {
  bool isTiled = false;
  walkExprs(body, [&](const ExprP &e) {
    isTiled |= e->kind == ExprKind::Staged;
    return !isTiled;
  });
  if (!isTiled)
    return;
  std::function<void(const StmtP &)> look = [&](const StmtP &s) {
    if (s->isInstance())
      return;
    if (s->kind == StmtKind::Assign && !understood.count(s.get()))
      unread(fmt::format("an assignment between instances that is not a copy: {}",
                         print(s->exprs[0])));
    for (const StmtP &b : s->body)
      look(b);
  };
  look(body);
}

} // namespace nw
