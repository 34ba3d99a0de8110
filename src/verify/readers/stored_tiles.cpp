// Reading tiles that are stored: points write to shared memory, and behind a barrier the block's
// threads bring a box of it to the array. A write of a position counts as one of the element that
// the position is brought to, once it is certain that all that is brought was written in this
// round. (lite)
#include "verify/readers/kernel_reader.h"
#include "verify/readers/unknowns.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// Shared arrays that instances in the code write.
std::set<std::string> writtenTiles(const StmtP &code) {
  std::set<std::string> all;
  walkStmts(code, [&](const StmtP &s) {
    if (s->kind == StmtKind::Assign && s->exprs[0]->kind == ExprKind::Staged)
      if (const Expr *base = baseOf(s->exprs[0]))
        all.insert(base->name);
  });
  return all;
}

} // namespace

// barrier; code that writes tiles; barrier; stores. Whether the code at `at` is such, with what its
// writes stand for; the last of the stores is returned.
size_t KernelReader::enterStores(const std::vector<StmtP> &body, size_t at, Frame &f) {
  std::set<std::string> tiles;
  for (const std::string &name : writtenTiles(body[at]))
    if (tileExtents.count(name) && !f.stores.count(name)) // else it is in the midst of such code
      tiles.insert(name);
  if (tiles.empty() || !f.stores.empty() || at == 0 || body[at - 1]->kind != StmtKind::Barrier ||
      at + 2 >= body.size() || body[at + 1]->kind != StmtKind::Barrier)
    return at; // then the writes are not understood
  size_t last = at + 1;
  while (last + 1 < body.size() && body[last + 1]->kind == StmtKind::For &&
         !containsInstance(body[last + 1]) && readStore(body[last + 1], f))
    last++;
  if (f.stores.size() != tiles.size() ||
      !std::all_of(tiles.begin(), tiles.end(),
                   [&](const std::string &name) { return f.stores.count(name) == 1; }))
    return at;
  storedElements.clear();
  barrier(*body[at + 1], f);
  return last;
}

// A loop over a box with array[…] = tile[…].
bool KernelReader::readStore(const StmtP &s, Frame &f) {
  std::optional<BoxMoves> moves = boxMoves(s);
  if (!moves)
    return false;
  const Stmt *move = moves->move;
  TileCopy store;
  store.guard = moves->guard;
  std::vector<ExprP> from;
  const Expr *tile = elementOf(move->exprs[1], from),
             *array = elementOf(move->exprs[0], store.source);
  if (!tile || !array || !tileExtents.count(tile->name) || f.stores.count(tile->name) ||
      f.tiles.count(tile->name) || from.size() != tileExtents.at(tile->name).size() ||
      from.size() != moves->counts.size() || !(move->exprs[0]->type == move->exprs[1]->type))
    return false;
  store.array = array->name;
  bool isBuffer = std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                              [&](const KernelParameter &q) {
                                return q.name == store.array && q.buffer >= 0 && !q.isConst &&
                                       q.extents.size() == store.source.size();
                              });
  if (!isBuffer || !isOnlyStored(store.array, tile->name))
    return false;
  std::map<std::string, int64_t> counts = moves->counts;
  for (size_t k = 0; k < from.size(); k++) {
    auto count = from[k]->kind == ExprKind::Var ? counts.find(from[k]->name) : counts.end();
    if (count == counts.end() || count->second > tileExtents.at(tile->name)[k])
      return false;
    store.coordinates.push_back(from[k]->name);
    store.extents.push_back(count->second);
    counts.erase(count);
  }
  store.scope = std::make_shared<AffineScope>(f.scope);
  understood.insert(move);
  f.stores.insert_or_assign(tile->name, store);
  return true;
}

// Whether the kernel touches the array in no other way, and the tile is read by such stores alone.
bool KernelReader::isOnlyStored(const std::string &array, const std::string &tile) const {
  bool is = true;
  std::function<void(const ExprP &)> reads = [&](const ExprP &e) {
    if (e->kind == ExprKind::Staged) {
      is &= !mentions(e->args[0], tile) && !mentions(e->args[1], array);
      return;
    }
    is &= e->kind != ExprKind::Var || (e->name != array && e->name != tile);
    for (const ExprP &a : e->args)
      reads(a);
  };
  auto subscripts = [&](const ExprP &target) {
    for (const Expr *x = target.get(); x->kind == ExprKind::Index; x = x->args[0].get())
      reads(x->args[1]);
  };
  walkStmts(kernel.body, [&](const StmtP &s) {
    if (s->kind == StmtKind::Window)
      is &= s->exprs.empty() || !mentions(s->exprs[0], array);
    else if (s->kind == StmtKind::Assign) {
      const ExprP &target = s->exprs[0];
      if (target->kind == ExprKind::Staged) { // the tile, in place of the array
        subscripts(target->args[0]);
        subscripts(target->args[1]);
        is &= (baseOf(target->args[0]) && baseOf(target->args[0])->name == tile) ==
              (baseOf(target->args[1]) && baseOf(target->args[1])->name == array);
      } else {
        const Expr *base = baseOf(target), *source = baseOf(s->exprs[1]);
        subscripts(target);
        bool isStore = base && base->name == array && source && source->name == tile &&
                       s->exprs[1]->kind == ExprKind::Index;
        if (isStore) {
          subscripts(s->exprs[1]);
          return;
        }
        is &= !base || (base->name != array && base->name != tile);
      }
      reads(s->exprs[1]);
    } else
      for (const ExprP &e : s->exprs)
        if (e)
          reads(e);
  });
  return is;
}

// The positions that an instance writes: in every case, and not under a condition of its own.
void KernelReader::noteStored(const StmtP &code, const Frame &f) {
  std::function<void(const StmtP &, bool)> look = [&](const StmtP &s, bool isCertain) {
    if (s->kind == StmtKind::Assign && s->exprs[0]->kind == ExprKind::Staged)
      if (const Expr *base = baseOf(s->exprs[0]); base && f.stores.count(base->name) && isCertain) {
        std::vector<ExprP> subscripts;
        elementOf(s->exprs[0]->args[0], subscripts);
        ElementUse use{{}, f.executed};
        for (const ExprP &e : subscripts)
          if (std::optional<isl::pw_aff> v = f.scope.value(e))
            use.subscripts.push_back(*v);
        if (use.subscripts.size() == subscripts.size())
          storedElements[base->name].push_back(use);
      }
    for (const StmtP &b : s->body)
      look(b, isCertain && (s->kind == StmtKind::Block));
  };
  look(code, true);
}

// All that is stored was written in this round, by this block.
void KernelReader::checkStores(const Frame &f) {
  // What all threads of the block agree on.
  std::vector<std::string> all = paramNames(f.executed.get_space());
  std::set<std::string> around(all.begin(), all.end());
  auto isKept = [&](const std::string &unknown) {
    return around.count(unknown) && !unknown.starts_with("thread.") &&
           !unknown.starts_with("local.");
  };
  for (const auto &[name, store] : f.stores) {
    AffineScope scope = *store.scope;
    isl::set when = f.executed;
    std::vector<isl::pw_aff> positions;
    for (size_t k = 0; k < store.coordinates.size(); k++) {
      isl::pw_aff x = scope.addUnknown(store.coordinates[k],
                                       fmt::format("{}@{}", store.coordinates[k], unknowns++));
      when =
          meet(meet(when, x.ge_set(scope.constant(0))), x.lt_set(scope.constant(store.extents[k])));
      positions.push_back(x);
    }
    if (store.guard) {
      std::optional<isl::set> c = scope.condition(store.guard);
      if (!c) {
        unread("a condition cannot be read: " + print(store.guard));
        continue;
      }
      when = meet(when, *c);
    }
    for (const ExprP &e : store.source)
      if (std::optional<isl::pw_aff> v = scope.value(e); !v)
        unread("a subscript of a store cannot be read: " + print(e));
      else if (!fits(*v, e->type, when))
        out.findings.push_back(
            {"widths", fmt::format("{}: {} may not fit into 32 bits", kernel.name, print(e))});
    isl::set stored = valuesAs(positions, when, isKept), written = stored.subtract(stored);
    for (const ElementUse &u : storedElements[name])
      written = written.unite(valuesAs(u.subscripts, u.executed, isKept));
    if (!stored.is_subset(written))
      out.findings.push_back(
          {"positions",
           fmt::format("{}: elements of {} are stored that no instance has written: {}",
                       kernel.name, store.array, inShort(stored.subtract(written)))});
  }
}

} // namespace nw
