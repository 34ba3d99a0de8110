// Reductions as statements of their own.
#include "frontend/affine/own_reductions.h"
#include "frontend/affine/reductions.h"
#include <algorithm>
#include <set>

namespace nw {

namespace {

using Names = std::set<std::string>;

// What one statement of a list does, by names of variables. Names that it declares for itself
// deeper inside are among them, which does no harm: nobody else has them.
struct Touched {
  Names mentioned, written;
  bool isKnown = true; // else it assigns to something that is not a variable
};

Touched touchedBy(const StmtP &s) {
  Touched t;
  walkExprs(s, [&](const ExprP &e) {
    if (e->kind == ExprKind::Var)
      t.mentioned.insert(e->name);
    return true;
  });
  walkStmts(s, [&](const StmtP &x) {
    if (x->kind == StmtKind::Declare)
      t.mentioned.insert(x->name), t.written.insert(x->name);
    if (x->kind == StmtKind::For)
      t.mentioned.insert(x->loop.counter), t.written.insert(x->loop.counter);
    if (x->kind != StmtKind::Assign)
      return;
    const Expr *base = baseOf(x->exprs[0]);
    t.isKnown &= base != nullptr;
    if (base)
      t.written.insert(base->name);
  });
  return t;
}

bool meet(const Names &a, const Names &b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string &n) { return b.count(n) != 0; });
}

bool isReduction(const StmtP &s, const std::string &variable) {
  std::optional<Reduction> r = findReduction(s);
  return r && r->array == variable;
}

// A list of statements with locals that its declarations make.
class List {
public:
  explicit List(std::vector<StmtP> given) : all(std::move(given)) {
    for (const StmtP &s : all) {
      touched.push_back(touchedBy(s));
      if (s->kind == StmtKind::Declare)
        locals.insert(s->name);
    }
  }

  bool isKnown() const {
    return std::all_of(touched.begin(), touched.end(), [](const Touched &t) { return t.isKnown; });
  }

  // The one statement that mentions the variable, if there is one.
  std::optional<size_t> only(const std::string &variable) const {
    std::optional<size_t> found;
    for (size_t k = 0; k < all.size(); k++)
      if (touched[k].mentioned.count(variable)) {
        if (found)
          return std::nullopt;
        found = k;
      }
    return found;
  }

  // Whether statement `from` may stand in front of the statement at `to`, or right behind it if
  // that is a later one.
  bool mayMove(size_t from, size_t to) const {
    for (size_t k = std::min(from, to); k <= std::max(from, to) && k < all.size(); k++)
      if (k != from && meet(touched[k].written, touched[from].mentioned))
        return false;
    return true;
  }

  List moved(size_t from, size_t to) const {
    std::vector<StmtP> made = all;
    made.erase(made.begin() + long(from));
    made.insert(made.begin() + long(to), all[from]);
    return List(made);
  }

  // Statements first..last with what computes their locals in front, taken from statements before
  // them; nothing where that would not compute the same again.
  std::optional<StmtP> repeated(size_t first, size_t last) const {
    Names needed;
    for (size_t k = first; k <= last; k++)
      for (const std::string &n : touched[k].mentioned)
        if (locals.count(n))
          needed.insert(n);
    std::vector<StmtP> made(all.begin() + long(first), all.begin() + long(last) + 1);
    Names changed; // by statements between the one that is looked at and the first
    for (size_t k = first; k-- > 0;) {
      if (meet(touched[k].written, needed)) {
        if (writesMore(k))
          return std::nullopt;
        for (const std::string &n : touched[k].mentioned)
          if (locals.count(n))
            needed.insert(n);
          else if (changed.count(n))
            return std::nullopt;
        made.insert(made.begin(), all[k]);
      }
      for (const std::string &n : touched[k].written)
        if (!locals.count(n))
          changed.insert(n);
    }
    return made.size() == 1 ? made[0] : block(made);
  }

  // Whether a statement changes anything but locals and what it declares itself.
  bool writesMore(size_t k) const {
    Names own;
    walkStmts(all[k], [&](const StmtP &x) {
      if (x->kind == StmtKind::Declare)
        own.insert(x->name);
    });
    return std::any_of(touched[k].written.begin(), touched[k].written.end(),
                       [&](const std::string &n) { return !locals.count(n) && !own.count(n); });
  }

  // In parts, with the reduction at `at`. What stands before it and changes only locals is left
  // out: those that need them compute them.
  std::optional<std::vector<StmtP>> parts(size_t at) const {
    std::vector<StmtP> made;
    bool hasEffect = false;
    for (size_t k = 0; k < at; k++)
      hasEffect |= writesMore(k);
    if (hasEffect)
      made.push_back(block(std::vector<StmtP>(all.begin(), all.begin() + long(at))));
    std::optional<StmtP> reduction = repeated(at, at), rest = at + 1 < all.size()
                                                                  ? repeated(at + 1, all.size() - 1)
                                                                  : std::nullopt;
    if (!reduction || (!rest && at + 1 < all.size()))
      return std::nullopt;
    made.push_back(*reduction);
    if (rest)
      made.push_back(*rest);
    return made;
  }

  std::vector<StmtP> all;

private:
  std::vector<Touched> touched;
  Names locals;
};

void flatten(const StmtP &s, std::vector<StmtP> &out) {
  if (s->kind == StmtKind::Block)
    for (const StmtP &b : s->body)
      flatten(b, out);
  else
    out.push_back(s);
}

std::vector<StmtP> ofBlock(const StmtP &s, const std::string &variable) {
  std::vector<StmtP> flat;
  flatten(s, flat);
  List list(flat);
  std::optional<size_t> at = list.only(variable);
  if (!at)
    return {s};
  if (std::vector<StmtP> inner = withOwnReduction(flat[*at], variable);
      inner.size() > 1) { // a condition around more than the reduction
    flat.erase(flat.begin() + long(*at));
    flat.insert(flat.begin() + long(*at), inner.begin(), inner.end());
    list = List(flat);
    at = list.only(variable);
  }
  if (!at || !list.isKnown() || !isReduction(list.all[*at], variable))
    return {s};
  // Last, if nothing behind it changes what it reads; else as early as it may be; else where it is.
  if (list.mayMove(*at, list.all.size() - 1))
    if (std::optional<std::vector<StmtP>> made =
            list.moved(*at, list.all.size() - 1).parts(list.all.size() - 1))
      return *made;
  for (size_t to = 0; to <= *at; to++)
    if (list.mayMove(*at, to))
      if (std::optional<std::vector<StmtP>> made = list.moved(*at, to).parts(to))
        return *made;
  return {s};
}

// if (c) { a; b; } is if (c) a; if (c) b; where a does not change what c is made of.
std::vector<StmtP> ofCondition(const StmtP &s, const std::string &variable) {
  if (s->body.size() != 1 || mentions(s->exprs[0], variable))
    return {s};
  std::vector<StmtP> inner = withOwnReduction(s->body[0], variable), made;
  if (inner.size() == 1)
    return {s};
  Names asked;
  walk(s->exprs[0], [&](const ExprP &e) {
    if (e->kind == ExprKind::Var)
      asked.insert(e->name);
    return true;
  });
  for (const StmtP &part : inner) {
    if (Touched t = touchedBy(part); !t.isKnown || meet(t.written, asked))
      return {s};
    made.push_back(ifElse(s->exprs[0], part, nullptr, s->at));
  }
  return made;
}

} // namespace

std::vector<StmtP> withOwnReduction(const StmtP &s, const std::string &variable) {
  if (isReduction(s, variable))
    return {s};
  if (s->kind == StmtKind::Block)
    return ofBlock(s, variable);
  if (s->kind == StmtKind::If)
    return ofCondition(s, variable);
  return {s};
}

} // namespace nw
