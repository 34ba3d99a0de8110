// The shrinker. A reduction is a numbered change of one position; all of them are tried again and
// again.
#include "shrink.h"
#include "analyse.h"
#include "values.h"
#include <chrono>
#include <set>

namespace nw::fuzz {

namespace {

// Walks a program in a fixed order and makes the change with the given number; `done` tells whether
// it exists.
class Change {
public:
  Change(Program &p, int number) : program(p), left(number) {}

  bool apply() {
    body(program.body);
    for (Storage &s : program.storages)
      storage(s);
    if (!done && program.sizes.size() > 1 && turn())
      oneSize();
    return done;
  }

private:
  bool turn() {
    if (done || left-- > 0)
      return false;
    return done = true;
  }

  // Blocks of statements, large ones first, then each of them.
  void body(std::vector<Stmt> &list) {
    if (list.size() > 2 && turn()) {
      list.erase(list.begin(), list.begin() + long(list.size() / 2));
      return;
    }
    if (list.size() > 2 && turn()) {
      list.erase(list.begin() + long(list.size() / 2), list.end());
      return;
    }
    for (size_t k = 0; k < list.size(); k++) {
      if (turn()) {
        list.erase(list.begin() + long(k));
        return;
      }
      if ((list[k].kind == StmtKind::If || list[k].kind == StmtKind::For) && turn()) {
        unwrap(list, k);
        return;
      }
    }
    for (Stmt &s : list) {
      statement(s);
      if (done)
        return;
    }
  }

  // Puts the body in place of the statement; the counter of a loop becomes its first value.
  void unwrap(std::vector<Stmt> &list, size_t k) {
    Stmt outer = list[k];
    std::vector<Stmt> inner = outer.body;
    inner.insert(inner.end(), outer.otherwise.begin(), outer.otherwise.end());
    if (outer.kind == StmtKind::For)
      for (Stmt &s : inner)
        replace(s, outer.loop.counter, outer.loop.lower);
    list.erase(list.begin() + long(k));
    list.insert(list.begin() + long(k), inner.begin(), inner.end());
  }

  void replace(Affine &a, const std::string &name, const Affine &by) {
    auto term = a.terms.find(name);
    if (term == a.terms.end())
      return;
    int factor = term->second;
    a.terms.erase(term);
    a = a + factor * by;
  }
  void replace(Access &a, const std::string &name, const Affine &by) {
    for (Subscript &u : a.subscripts) {
      replace(u.affine, name, by);
      for (Expr &e : u.data)
        replace(e, name, by);
    }
  }
  void replace(Expr &e, const std::string &name, const Affine &by) {
    replace(e.affine, name, by);
    replace(e.access, name, by);
    for (Expr &a : e.args)
      replace(a, name, by);
  }
  void replace(Stmt &s, const std::string &name, const Affine &by) {
    replace(s.target, name, by);
    for (std::vector<Expr> *list : {&s.value, &s.condition})
      for (Expr &e : *list)
        replace(e, name, by);
    replace(s.loop.lower, name, by);
    for (Affine &u : s.loop.upper)
      replace(u, name, by);
    for (std::vector<Stmt> *list : {&s.body, &s.otherwise})
      for (Stmt &inner : *list)
        replace(inner, name, by);
  }

  void oneSize() {
    for (size_t k = 1; k < program.sizes.size(); k++)
      for (Stmt &s : program.body)
        replace(s, program.sizes[k], Affine(program.sizes[0], 0));
    program.sizes.resize(1);
  }

  void statement(Stmt &s) {
    if (!s.otherwise.empty() && turn())
      s.otherwise.clear();
    if (s.kind == StmtKind::Accumulate && s.form != 0 && turn())
      s.form = 0;
    if (s.kind == StmtKind::For)
      loop(s.loop);
    access(s.target);
    for (std::vector<Expr> *list : {&s.value, &s.condition})
      for (Expr &e : *list)
        expr(e);
    if (!done)
      body(s.body);
    if (!done && !s.otherwise.empty())
      body(s.otherwise);
  }

  void loop(Loop &l) {
    if (l.upper.size() > 1 && turn())
      l.upper.pop_back();
    if (l.step != 1 && turn())
      l.step = 1;
    if (l.step < -1 && turn())
      l.step = -1;
    if (l.inclusive && turn())
      l.inclusive = false;
    if (l.isOutside && turn())
      l.isOutside = false;
    if (l.type != "int" && turn())
      l.type = "int";
    if (!(l.lower == Affine(0)) && turn())
      l.lower = Affine(0);
    if (!(l.upper[0] == Affine(program.sizes[0], 0)) && turn())
      l.upper[0] = Affine(program.sizes[0], 0);
    if (!l.upper[0].terms.empty() && turn())
      l.upper[0] = Affine(3);
    for (Affine *a : {&l.lower, &l.upper[0]})
      affine(*a);
  }

  void affine(Affine &a) {
    if (a.constant != 0 && turn())
      a.constant = 0;
    if (a.terms.size() > 1)
      for (auto term = a.terms.begin(); term != a.terms.end(); ++term)
        if (turn()) {
          a.terms.erase(term);
          return;
        }
    for (auto &[name, factor] : a.terms)
      if (factor != 1 && turn())
        factor = 1;
  }

  void access(Access &a) {
    for (Subscript &u : a.subscripts) {
      if (u.kind != SubscriptKind::Plain && turn()) {
        u = Subscript{SubscriptKind::Plain, u.affine, 1, {}};
        return;
      }
      if (!u.affine.terms.empty() && turn())
        u.affine = Affine(0);
      affine(u.affine);
      for (Expr &e : u.data)
        expr(e);
    }
  }

  void expr(Expr &e) {
    if (e.kind != ExprKind::Literal && turn()) {
      e = literal(1);
      return;
    }
    for (size_t k = 0; k < e.args.size(); k++)
      if (turn()) {
        Expr argument = e.args[k];
        e = argument;
        return;
      }
    if (e.kind == ExprKind::Counter)
      affine(e.affine);
    if (e.kind == ExprKind::Read)
      access(e.access);
    for (Expr &a : e.args)
      expr(a);
  }

  void storage(Storage &s) {
    if (s.type != ElementType::Int && turn())
      s.type = ElementType::Int;
    if (!s.fields.empty() && turn())
      dropField(s);
    if (s.layout != Layout::Private && s.layout != Layout::Local && s.layout != Layout::Variable &&
        s.dimensions > 0 && turn())
      s.layout = Layout::Variable;
    if (s.dimensions > 0 && s.layout != Layout::Private)
      for (int d = 0; d < s.dimensions; d++)
        if (turn()) {
          s.dimensions--;
          eachAccess(program.body, [&](Access &a) {
            if (a.storage == s.name && int(a.subscripts.size()) > d)
              a.subscripts.erase(a.subscripts.begin() + d);
          });
          return;
        }
  }

  void dropField(Storage &s) {
    s.fields.clear();
    eachAccess(program.body, [&](Access &a) {
      if (a.storage == s.name)
        a.field.clear();
    });
  }

public:
  template <class Visit> static void eachAccess(std::vector<Stmt> &list, Visit visit) {
    for (Stmt &s : list) {
      eachAccess(s.target, visit);
      for (std::vector<Expr> *some : {&s.value, &s.condition})
        for (Expr &e : *some)
          eachAccess(e, visit);
      eachAccess(s.body, visit);
      eachAccess(s.otherwise, visit);
    }
  }
  template <class Visit> static void eachAccess(Expr &e, Visit visit) {
    if (e.kind == ExprKind::Read)
      eachAccess(e.access, visit);
    for (Expr &a : e.args)
      eachAccess(a, visit);
  }
  template <class Visit> static void eachAccess(Access &a, Visit visit) {
    visit(a);
    for (Subscript &u : a.subscripts)
      for (Expr &e : u.data)
        eachAccess(e, visit);
  }

private:
  Program &program;
  int left;
  bool done = false;
};

void dropUnused(Program &p) {
  std::set<std::string> used;
  Change::eachAccess(p.body, [&](Access &a) { used.insert(a.storage); });
  std::erase_if(p.storages, [&](const Storage &s) { return !used.count(s.name); });
}

} // namespace

Program shrink(const Program &program, const std::function<bool(const Program &)> &fails,
               int seconds) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  Program best = program;
  for (bool progress = true; progress;) {
    progress = false;
    for (int number = 0;; number++) {
      if (std::chrono::steady_clock::now() > end)
        return best;
      Program candidate = best;
      if (!Change(candidate, number).apply())
        break;
      dropUnused(candidate);
      if (analyse(candidate).problem.empty() && fails(candidate)) {
        best = candidate;
        progress = true;
        number--; // the same position again
      }
    }
  }
  return best;
}

} // namespace nw::fuzz
