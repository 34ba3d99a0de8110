// Region to Program. Loops with affine headers become dimensions and affine conditions become part
// of the domains; whatever is left is a statement, however complicated its inside.
#include "frontend/affine/build_program.h"
#include "frontend/affine/accesses.h"
#include "frontend/affine/logical_reductions.h"
#include "frontend/affine/own_reductions.h"
#include "frontend/affine/reductions.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

bool containsLoop(const StmtP &s) {
  bool found = false;
  walkStmts(s, [&](const StmtP &x) { found |= x->kind == StmtKind::For; });
  return found;
}

// Whether a break or continue in the body belongs to the loop itself.
bool leavesEarly(const StmtP &body) {
  if (body->kind == StmtKind::Break || body->kind == StmtKind::Continue)
    return true;
  if (body->kind == StmtKind::For || body->kind == StmtKind::While ||
      body->kind == StmtKind::DoWhile)
    return false;
  return std::any_of(body->body.begin(), body->body.end(), leavesEarly);
}

std::set<std::string> namesIn(const StmtP &s) {
  std::set<std::string> names;
  walkExprs(s, [&](const ExprP &e) {
    if (e->kind == ExprKind::Var)
      names.insert(e->name);
    return true;
  });
  walkStmts(s, [&](const StmtP &x) {
    if (x->kind == StmtKind::Declare)
      names.insert(x->name);
  });
  return names;
}

std::set<std::string> writtenScalars(const Region &region) {
  std::set<std::string> names;
  for (const StmtP &root : region.body)
    walkStmts(root, [&](const StmtP &s) {
      if (s->kind == StmtKind::Assign)
        if (const Expr *base = baseOf(s->exprs[0]))
          if (auto v = region.variables.find(base->name);
              v != region.variables.end() && !v->second.isArray())
            names.insert(base->name);
      if (s->kind == StmtKind::Declare)
        names.insert(s->name);
      if (s->kind == StmtKind::For)
        names.insert(s->loop.counter);
    });
  return names;
}

double operationsIn(const StmtP &s, double weight = 1) {
  double total = 0;
  auto count = [&](const ExprP &e) {
    if (e)
      walk(e, [&](const ExprP &x) {
        if (x->kind == ExprKind::Call)
          total += 8 * weight;
        else if (x->kind == ExprKind::Binary || x->kind == ExprKind::Index ||
                 x->kind == ExprKind::Select)
          total += weight;
        return true;
      });
  };
  for (const ExprP &e : s->exprs)
    count(e);
  bool isLoop =
      s->kind == StmtKind::For || s->kind == StmtKind::While || s->kind == StmtKind::DoWhile;
  for (const StmtP &b : s->body)
    total += operationsIn(b, isLoop ? weight * 16 : weight);
  return total + weight;
}

class Builder {
public:
  Builder(const Region &region, std::shared_ptr<IslContext> given)
      : written(writtenScalars(region)), isl(std::move(given)),
        reader(isl->get(), program.region.variables, written, region.wraps) {
    program.isl = isl;
    program.region = region;
  }

  Program run() {
    checkCounters();
    for (auto &[name, v] : program.region.variables)
      if (v.isArray() || v.type.isStruct() || written.count(name))
        program.arrays.emplace(name, arrayFor(v));
    Scope scope;
    scope.domain = isl::set::universe(anonymousSpace(reader.ctx, 0));
    int position = 0;
    visitList(program.region.body, scope, {}, {{}, position});
    resolveAccesses(program, raw, reader);
    for (Statement &s : program.statements)
      s.reduction = validReduction(s);
    dropUnused();
    for (auto &p : reader.parameters)
      program.parameters.push_back({p.name, p.value, p.type});
    program.context = reader.context();
    program.assumptions = reader.assumptions();
    collectValueScalars();
    for (StmtP &s : program.region.body)
      s = withEagerReductions(s);
    return std::move(program);
  }

private:
  // A counter that is read outside its loop, within the region, has a value that the loop left
  // behind.
  void checkCounters() {
    std::set<std::string> counters;
    for (const StmtP &root : program.region.body)
      walkStmts(root, [&](const StmtP &s) {
        if (s->kind == StmtKind::For)
          counters.insert(s->loop.counter);
      });
    std::function<void(const StmtP &, std::set<std::string>)> check =
        [&](const StmtP &s, std::set<std::string> open) {
          auto see = [&](const ExprP &e) {
            if (e)
              walk(e, [&](const ExprP &x) {
                if (x->kind == ExprKind::Var && counters.count(x->name) && !open.count(x->name))
                  throw Diagnostic{"NW0112", Severity::Remark, x->at.line ? x->at : s->at,
                                   "the counter '" + x->name + "' is read outside its loop",
                                   "use a separate variable"};
                return true;
              });
          };
          for (const ExprP &e : s->exprs)
            see(e);
          if (s->kind == StmtKind::For) {
            if (open.count(s->loop.counter))
              throw Diagnostic{"NW0112", Severity::Remark, s->at,
                               "the counter '" + s->loop.counter +
                                   "' is the counter of two nested loops",
                               "use two counters"};
            see(s->loop.start);
            open.insert(s->loop.counter);
            see(s->loop.condition);
          }
          for (const StmtP &b : s->body)
            check(b, open);
        };
    for (const StmtP &root : program.region.body)
      check(root, {});
  }

  Array arrayFor(const Variable &v) {
    Array a;
    a.name = v.name;
    a.variable = v;
    a.extents = v.extents;
    a.elementBytes = bytesOf(v.type.scalar);
    for (const Struct &s : program.region.structs)
      if (s.name == v.type.structName)
        a.elementBytes = s.size;
    return a;
  }

  // Where the next statement of a loop's body stands: the positions of the loops around, and a
  // running number.
  struct TextPosition {
    std::vector<int> around;
    int &next;
    std::vector<int> take() const {
      std::vector<int> here = around;
      here.push_back(next++);
      return here;
    }
  };

  void visitList(const std::vector<StmtP> &given, const Scope &scope, const std::vector<int> &loops,
                 TextPosition textPosition) {
    std::vector<StmtP> list;
    std::function<void(const StmtP &)> flatten = [&](const StmtP &s) {
      if (s->kind == StmtKind::Block)
        for (const StmtP &b : s->body)
          flatten(b);
      else
        list.push_back(s);
    };
    for (const StmtP &s : given)
      flatten(s);
    for (StmtP &s : list)
      for (const ReductionClause &f : logicalReductions)
        s = reductionOfBits(s, f).value_or(s);
    list = merged(list);
    for (int id : loops)
      for (const ReductionClause &f : program.loop(id).reductions)
        list = withOwnReductions(list, f.variable);
    for (const StmtP &s : list)
      visit(s, scope, loops, textPosition);
  }

  // Neighbouring statements that share temporaries declared beside them become one statement.
  std::vector<StmtP> merged(const std::vector<StmtP> &list) {
    std::set<std::string> declared;
    for (const StmtP &s : list)
      if (s->kind == StmtKind::Declare)
        declared.insert(s->name);
    std::map<std::string, std::pair<size_t, size_t>>
        span; // first and last statement that mentions a temporary
    std::vector<std::set<std::string>> names;
    for (size_t k = 0; k < list.size(); k++) {
      names.push_back(namesIn(list[k]));
      for (const std::string &n : names[k])
        if (declared.count(n)) {
          auto [at, isNew] = span.emplace(n, std::make_pair(k, k));
          at->second.second = k;
        }
    }
    std::vector<StmtP> out;
    for (size_t k = 0; k < list.size();) {
      size_t last = k;
      if (!containsLoop(list[k]))
        for (size_t j = k; j <= last; j++)
          for (const std::string &n : names[j])
            if (auto s = span.find(n); s != span.end() && s->second.second > last) {
              size_t reach = s->second.second;
              bool straight = true;
              for (size_t m = k; m <= reach; m++)
                straight &= !containsLoop(list[m]);
              if (straight)
                last = reach;
            }
      // What is used behind them, in a loop, is no temporary of theirs.
      for (size_t j = k; j <= last; j++)
        if (auto s = span.find(list[j]->kind == StmtKind::Declare ? list[j]->name : "");
            s != span.end() && s->second.second > last)
          last = k;
      if (last == k)
        out.push_back(list[k]);
      else
        out.push_back(block(std::vector<StmtP>(list.begin() + k, list.begin() + last + 1)));
      k = last + 1;
    }
    return out;
  }

  // A reduction that a clause of a loop around names stands alone, so that the loop can be a
  // reduction.
  static std::vector<StmtP> withOwnReductions(const std::vector<StmtP> &list,
                                              const std::string &variable) {
    std::vector<StmtP> out;
    for (const StmtP &s : list)
      for (const StmtP &part :
           containsLoop(s) ? std::vector<StmtP>{s} : withOwnReduction(s, variable))
        out.push_back(part);
    return out;
  }

  void visit(const StmtP &s, const Scope &scope, const std::vector<int> &loops,
             TextPosition textPosition) {
    switch (s->kind) {
    case StmtKind::For:
      if (!leavesEarly(s->body[0]) && !assigns(s->body[0], s->loop.counter))
        if (auto inner = enterLoop(s->loop, scope, reader)) {
          int id = program.loops.size();
          program.loops.push_back({id, s->loop.counter, s->loop.type, s->loop.step, s->at,
                                   s->loop.promise, s->loop.reductions});
          std::vector<int> deeper = loops;
          deeper.push_back(id);
          int position = 0;
          size_t known = logicalReductions.size();
          std::vector<Truth> truths = beginLogicalReductions(s, loops, textPosition);
          visitList(s->body, *inner, deeper, {textPosition.take(), position});
          logicalReductions.resize(known);
          for (const Truth &t : truths)
            finish(t, scope, loops.size());
          return;
        }
      leaf(s, scope, loops, textPosition);
      return;
    case StmtKind::If:
      if (auto c = reader.condition(s->exprs[0], scope)) {
        Scope yes = scope, no = scope;
        yes.domain = scope.domain.intersect(*c).coalesce();
        no.domain = scope.domain.subtract(*c).coalesce();
        if (!yes.domain.is_empty())
          visitList({s->body[0]}, yes, loops, textPosition);
        if (s->body.size() > 1 && !no.domain.is_empty())
          visitList({s->body[1]}, no, loops, textPosition);
        return;
      }
      leaf(s, scope, loops, textPosition);
      return;
    case StmtKind::Declare:
      declareHere(s, loops);
      for (const StmtP &a : initialiser(s))
        leaf(a, scope, loops, textPosition);
      return;
    default:
      leaf(s, scope, loops, textPosition);
    }
  }

  // x = x != 0 in front of a loop that reduces into x with && or ||. Its domain is known when the
  // loop's is: where anything is reduced.
  struct Truth {
    size_t statement;
    ReductionClause clause;
  };

  std::vector<Truth> beginLogicalReductions(const StmtP &loop, const std::vector<int> &around,
                                            TextPosition textPosition) {
    std::vector<Truth> made;
    for (const ReductionClause &f : loop->loop.reductions) {
      bool isKnown =
          std::any_of(logicalReductions.begin(), logicalReductions.end(),
                      [&](const ReductionClause &g) { return g.variable == f.variable; });
      if (isKnown || !isLogicalReduction(loop->body[0], f))
        continue;
      logicalReductions.push_back(f);
      if (std::optional<StmtP> truth = madeTruth(loop->body[0], f)) {
        made.push_back({program.statements.size(), f});
        addStatement(*truth, around, textPosition);
      }
    }
    return made;
  }

  void finish(const Truth &t, Scope scope, size_t dimensions) {
    isl::set domain = scope.domain.subtract(scope.domain);
    bool isAlone = true;
    for (size_t k = t.statement + 1; k < program.statements.size(); k++) {
      const Statement &s = program.statements[k];
      if (!namesIn(s.body).count(t.clause.variable))
        continue;
      walkStmts(s.body, [&](const StmtP &x) {
        isAlone &= x->kind == StmtKind::Block || x->kind == StmtKind::Declare ||
                   x->kind == StmtKind::Assign;
      });
      isl::set reduced = isl::manage(isl_set_reset_tuple_id(s.domain.copy()));
      unsigned inner = unsigned(isl_set_dim(reduced.get(), isl_dim_set)) - unsigned(dimensions);
      domain = domain.unite(isl::manage(
          isl_set_project_out(reduced.release(), isl_dim_set, unsigned(dimensions), inner)));
    }
    if (!isAlone) // under a condition that the model cannot see: whether anything is reduced is not
                  // known
      throw Diagnostic{
          "NW0302", Severity::Remark, program.statements[t.statement].at,
          "reduction(" + t.clause.op + ": " +
              program.arrays.at(t.clause.variable).variable.spelling +
              ") is reduced under a condition that depends on data, or in a loop that is not "
              "affine",
          "move the condition into the reduced expression: x = x && (!c || e), x = x || (c && e)"};
    scope.domain = domain.coalesce();
    Statement &made = program.statements[t.statement];
    made.domain = named(scope.domain, made.name);
    auto found = collectAccesses(t.statement, made.body, scope, program, written, reader);
    raw.insert(raw.end(), found.begin(), found.end());
  }

  static bool assigns(const StmtP &s, const std::string &name) {
    bool found = false;
    walkStmts(s, [&](const StmtP &x) {
      if (x->kind == StmtKind::Assign)
        if (const Expr *base = baseOf(x->exprs[0]))
          found |= base->name == name;
    });
    return found;
  }

  void declareHere(const StmtP &s, const std::vector<int> &loops) {
    Array &a = program.arrays.at(s->name);
    a.kind = ArrayKind::Private;
    a.privateDepth = loops.size();
    a.privateLoops = loops;
  }

  // The declaration's initial values as assignments.
  std::vector<StmtP> initialiser(const StmtP &s) {
    std::vector<StmtP> out;
    ExprP base = var(s->name, s->type);
    if (s->exprs.empty())
      return out;
    if (s->extents.empty() && !s->type.isStruct()) {
      out.push_back(assign(base, s->exprs[0], s->at));
      return out;
    }
    if (s->type.isStruct() && s->extents.empty()) {
      const Struct *type = nullptr;
      for (const Struct &x : program.region.structs)
        if (x.name == s->type.structName)
          type = &x;
      if (s->exprs.size() == 1 && s->exprs[0]->type.isStruct())
        out.push_back(assign(base, s->exprs[0], s->at));
      else
        for (size_t k = 0; k < s->exprs.size(); k++)
          out.push_back(
              assign(member(base, type->fields[k].name, type->fields[k].type), s->exprs[k], s->at));
      std::vector<StmtP> all = {block(out)};
      return all;
    }
    if (s->type.isStruct())
      throw Diagnostic{"NW0104", Severity::Remark, s->at,
                       "an array of structs is initialised inside the nest",
                       "assign its fields one by one"};
    for (size_t k = 0; k < s->exprs.size(); k++) {
      ExprP textPosition = base;
      size_t rest = k, inner = s->exprs.size();
      for (int64_t x : s->extents) {
        inner /= x;
        textPosition = index(textPosition, intConst(rest / inner), s->type);
        rest %= inner;
      }
      out.push_back(assign(textPosition, s->exprs[k], s->at));
    }
    return {block(out)};
  }

  // A statement whose domain is still to be set.
  size_t addStatement(const StmtP &s, const std::vector<int> &loops, TextPosition textPosition) {
    Statement made;
    made.domain = isl::set::universe(anonymousSpace(reader.ctx, 0));
    made.name = fmt::format("S{}", program.statements.size());
    made.loops = loops;
    made.order = textPosition.take();
    made.body = s;
    made.at = s->at.line || s->body.empty() ? s->at : s->body[0]->at;
    made.operations = operationsIn(s);
    program.statements.push_back(made);
    return program.statements.size() - 1;
  }

  // One statement, whatever is inside.
  void leaf(const StmtP &s, const Scope &scope, const std::vector<int> &loops,
            TextPosition textPosition) {
    if (scope.domain.is_empty())
      return;
    size_t number = addStatement(s, loops, textPosition);
    program.statements[number].domain = named(scope.domain, program.statements[number].name);
    auto found = collectAccesses(number, s, scope, program, written, reader);
    raw.insert(raw.end(), found.begin(), found.end());
  }

  std::optional<Reduction> validReduction(const Statement &s) {
    auto r = findReduction(s.body);
    if (!r || !program.arrays.count(r->array))
      return std::nullopt;
    return r;
  }

  // Variables that live only inside one statement's body are no arrays of the program.
  void dropUnused() {
    std::set<std::string> used;
    for (const Statement &s : program.statements)
      for (const Access &a : s.accesses)
        used.insert(a.array);
    std::erase_if(program.arrays, [&](const auto &entry) { return !used.count(entry.first); });
  }

  void collectValueScalars() {
    std::set<std::string> names;
    for (const Statement &s : program.statements) {
      std::set<std::string> own;
      walkStmts(s.body, [&](const StmtP &x) {
        if (x->kind == StmtKind::Declare)
          own.insert(x->name);
        if (x->kind == StmtKind::For)
          own.insert(x->loop.counter);
      });
      for (const std::string &n : namesIn(s.body)) {
        bool counter = std::any_of(s.loops.begin(), s.loops.end(),
                                   [&](int id) { return program.loops[id].counter == n; });
        if (!own.count(n) && !counter && !program.arrays.count(n) &&
            program.region.variables.count(n))
          names.insert(n);
      }
    }
    program.valueScalars.assign(names.begin(), names.end());
  }

  Program program;
  std::set<std::string> written;
  std::shared_ptr<IslContext> isl;
  AffineReader reader;
  std::vector<RawAccess> raw;
  std::vector<ReductionClause> logicalReductions; // of the loops that are open
};

} // namespace

Program buildProgram(const Region &region, std::shared_ptr<IslContext> isl) {
  return Builder(region, std::move(isl)).run();
}

} // namespace nw
