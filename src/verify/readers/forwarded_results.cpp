// Results in registers.
#include "verify/readers/forwarded_results.h"
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace nw {

namespace {

int mentionsIn(const StmtP &code, const std::string &name) {
  int many = 0;
  walkExprs(code, [&](const ExprP &e) {
    many += isVar(e, name);
    return true;
  });
  return many;
}

bool isConstant(const ExprP &e) {
  bool is = true;
  walk(e, [&](const ExprP &x) {
    return is &= x->kind == ExprKind::Int || x->kind == ExprKind::Float ||
                 x->kind == ExprKind::Cast || x->kind == ExprKind::Unary,
           is;
  });
  return is;
}

void conjuncts(const ExprP &e, std::vector<ExprP> &out) {
  if (e->kind == ExprKind::Binary && e->name == "&&") {
    conjuncts(e->args[0], out);
    conjuncts(e->args[1], out);
  } else
    out.push_back(e);
}

bool isFirstLane(const ExprP &e) {
  return e->kind == ExprKind::Binary && e->name == "==" && e->args[0]->kind == ExprKind::Builtin &&
         e->args[0]->name == "local.x" && e->args[1]->kind == ExprKind::Int &&
         e->args[1]->integer == 0;
}

// if (local.x == 0 && conditions) code: the code, and the conditions.
const Stmt *ofFirstLane(const StmtP &s, std::vector<ExprP> &conditions) {
  if (s->kind != StmtKind::If || s->body.size() != 1 || s->isSpeculated)
    return nullptr;
  std::vector<ExprP> all;
  conjuncts(s->exprs[0], all);
  if (std::none_of(all.begin(), all.end(), isFirstLane))
    return nullptr;
  std::erase_if(all, isFirstLane);
  conditions = all;
  const Stmt *code = s->body[0].get();
  while (code->kind == StmtKind::Block && code->body.size() == 1 && code->values.empty() &&
         code->name.empty())
    code = code->body[0].get();
  return code;
}

// element = constant; element = element op reduced: both by the first lane, in statements of the
// loop over rows.
struct Result {
  ExprP element, value; // value: constant op reduced
  std::vector<ExprP> conditions;
  std::string start; // the statement that sets it to the constant
  size_t at;         // of the second, among the statements of the loop
};

class Forwarded {
public:
  Forwarded(const StmtP &body, const StmtP &rows)
      : body(body), rows(rows), inside(rows->body[0]->body) {}

  // The same with barriers; nothing where that would not be the same.
  StmtP run() {
    walkStmts(body, [&](const StmtP &s) {
      if (s->kind == StmtKind::Declare || s->kind == StmtKind::Shared)
        declared[s->name]++;
      if (s->kind == StmtKind::For)
        declared[s->loop.counter]++;
      if (s->kind == StmtKind::Assign && s->exprs[0]->kind == ExprKind::Var)
        assigned.insert(s->exprs[0]->name);
    });
    for (size_t a = 0; a < inside.size(); a++)
      for (size_t b = a + 1; b < inside.size(); b++)
        notePair(a, b);
    for (size_t n = 0; n < inside.size(); n++)
      noteRegister(*inside[n], n);
    if (known.empty() || !isEachOfOnePair() || !isAllThatIsWritten() || !areUsesRight())
      return nullptr;
    return withBarriers();
  }

private:
  void notePair(size_t a, size_t b) {
    std::vector<ExprP> first, second;
    const Stmt *start = ofFirstLane(inside[a], first), *end = ofFirstLane(inside[b], second);
    if (!start || !end || !start->isInstance() || start->body.size() != 1 ||
        start->body[0]->kind != StmtKind::Assign || end->kind != StmtKind::Assign ||
        !areSame(first, second))
      return;
    const ExprP &element = start->body[0]->exprs[0], &constant = start->body[0]->exprs[1];
    if (element->kind != ExprKind::Index || !baseOf(element) ||
        declared.count(baseOf(element)->name) || !sameTree(element, end->exprs[0]) ||
        !isConstant(constant) || !(constant->type == element->type))
      return;
    bool areSteady =
        isSteady(element, a) &&
        std::all_of(first.begin(), first.end(), [&](const ExprP &c) { return isSteady(c, a); });
    if (!areSteady || !takesReduction(end->exprs[1], element, b))
      return;
    pairs.push_back({element,
                     rewrite(end->exprs[1],
                             [&](const ExprP &e) { return sameTree(e, element) ? constant : e; }),
                     first, start->name, b});
    written.insert({start->body[0].get(), end});
  }

  static bool areSame(const std::vector<ExprP> &a, const std::vector<ExprP> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const ExprP &x, const ExprP &y) { return sameTree(x, y); });
  }

  // Made of the element and of a variable that all threads of the block have put together before,
  // and that has not changed since.
  bool takesReduction(const ExprP &e, const ExprP &element, size_t at) const {
    std::set<std::string> names;
    bool isPlain = true;
    walk(e, [&](const ExprP &x) {
      if (sameTree(x, element))
        return false;
      if (x->kind == ExprKind::Var)
        names.insert(x->name);
      isPlain &=
          x->kind != ExprKind::Index && x->kind != ExprKind::Builtin && x->kind != ExprKind::Staged;
      return true;
    });
    auto declaration = names.size() == 1 ? declared.find(*names.begin()) : declared.end();
    if (!isPlain || declaration == declared.end() || declaration->second != 1)
      return false;
    const std::string &reduced = *names.begin();
    auto put = std::find_if(inside.begin(), inside.begin() + long(at), [&](const StmtP &s) {
      return s->kind == StmtKind::Reduce && s->name == reduced && s->collective.axis == 0;
    });
    if (put == inside.begin() + long(at))
      return false;
    bool changes = false;
    for (auto s = put + 1; s != inside.end(); s++)
      walkStmts(*s, [&](const StmtP &x) {
        changes |= (x->kind == StmtKind::Assign && x->exprs[0]->kind == ExprKind::Var &&
                    x->exprs[0]->name == reduced) ||
                   (x->kind == StmtKind::Reduce && x->name == reduced);
      });
    return !changes;
  }

  // Arguments, and variables that were declared once, before, in the loop.
  bool isSteady(const ExprP &e, size_t at) const {
    bool is = true;
    walk(e, [&](const ExprP &x) {
      if (x->kind == ExprKind::Call || x->kind == ExprKind::Staged || x->kind == ExprKind::Builtin)
        is = false;
      if (x->kind != ExprKind::Var)
        return is;
      bool isOfRow = std::any_of(inside.begin(), inside.begin() + long(at), [&](const StmtP &s) {
        return s->kind == StmtKind::Declare && s->name == x->name && s->extents.empty();
      });
      is &= !assigned.count(x->name) &&
            (!declared.count(x->name) || (isOfRow && declared.at(x->name) == 1));
      return is;
    });
    return is;
  }

  // T known = constant op reduced
  void noteRegister(const Stmt &s, size_t at) {
    if (s.kind != StmtKind::Declare || s.exprs.size() != 1 || !s.extents.empty() ||
        declared.at(s.name) != 1 || assigned.count(s.name))
      return;
    for (const Result &r : pairs)
      if (r.at < at && sameTree(r.value, s.exprs[0]) && s.type == r.element->type)
        known.insert_or_assign(s.name, std::pair(r, at));
  }

  // Between its start and its end, and after that, nothing else changes an element: each statement
  // is of one pair, and elements of one array are those of one statement's instances.
  bool isEachOfOnePair() const {
    bool is = written.size() == 2 * pairs.size();
    for (size_t a = 0; a < pairs.size(); a++)
      for (size_t b = 0; b < a; b++)
        if (baseOf(pairs[a].element)->name == baseOf(pairs[b].element)->name)
          is &= pairs[a].start == pairs[b].start && !sameTree(pairs[a].element, pairs[b].element);
    return is;
  }

  // Of memory, the loop writes those elements and nothing else, and reads none of their arrays
  // beside the registers: nobody waits for another thread's writing.
  bool isAllThatIsWritten() const {
    bool isAll = true;
    std::set<std::string> arrays;
    for (const Result &r : pairs)
      arrays.insert(baseOf(r.element)->name);
    int inPairs = 0, inLoop = 0, forwarded = 0;
    walkStmts(rows, [&](const StmtP &s) {
      if (s->kind == StmtKind::Assign && !written.count(s.get()))
        isAll &= baseOf(s->exprs[0]) && declared.count(baseOf(s->exprs[0])->name);
      isAll &= s->kind != StmtKind::Window && s->kind != StmtKind::GridBarrier;
    });
    for (const std::string &array : arrays) {
      inLoop += mentionsIn(rows, array);
      for (const Stmt *s : written)
        inPairs += mentionsIn(std::make_shared<Stmt>(*s), array);
      walkExprs(rows, [&](const ExprP &e) {
        if (e->kind != ExprKind::Staged || e->args[0]->kind != ExprKind::Var ||
            !known.count(e->args[0]->name))
          return true;
        walk(e->args[1], [&](const ExprP &x) { return forwarded += isVar(x, array), true; });
        return false;
      });
    }
    return isAll && inLoop == inPairs + forwarded;
  }

  // Each is used by instances, after its declaration, in place of its element, and only under the
  // conditions under which that was written.
  bool areUsesRight() {
    for (size_t n = 0; n < inside.size(); n++)
      look(inside[n], n, {});
    for (const auto &[name, one] : known)
      isRight &= uses[name] == mentionsIn(body, name);
    return isRight;
  }

  void look(const StmtP &s, size_t at, std::vector<ExprP> conditions) {
    if (s->isInstance()) {
      walkExprs(s, [&](const ExprP &e) {
        auto one = e->kind == ExprKind::Staged && e->args[0]->kind == ExprKind::Var
                       ? known.find(e->args[0]->name)
                       : known.end();
        if (one == known.end())
          return true;
        const auto &[result, declaredAt] = one->second;
        isRight &= at > declaredAt && sameTree(e->args[1], result.element);
        for (const ExprP &wanted : result.conditions)
          isRight &= std::any_of(conditions.begin(), conditions.end(),
                                 [&](const ExprP &c) { return sameTree(c, wanted); });
        uses[one->first]++;
        return false;
      });
      return;
    }
    if (s->kind == StmtKind::If && s->body.size() == 1 && !s->isSpeculated)
      conjuncts(s->exprs[0], conditions);
    for (const StmtP &b : s->body)
      look(b, at, conditions);
  }

  StmtP withBarriers() const {
    std::vector<StmtP> code;
    for (const StmtP &s : inside)
      code.push_back(
          s->kind == StmtKind::Declare && known.count(s->name) ? marker(StmtKind::Barrier) : s);
    StmtP changed = rewriteExprs(block(code), [&](const ExprP &e) {
      return e->kind == ExprKind::Staged && e->args[0]->kind == ExprKind::Var &&
                     known.count(e->args[0]->name)
                 ? e->args[1]
                 : e;
    });
    auto loop = std::make_shared<Stmt>(*rows);
    loop->body = {changed};
    std::vector<StmtP> all;
    for (const StmtP &s : body->body)
      all.push_back(s == rows ? StmtP(loop) : s);
    return block(all);
  }

  const StmtP &body, &rows;
  const std::vector<StmtP> &inside;
  std::map<std::string, int> declared, uses;
  std::set<std::string> assigned;
  std::vector<Result> pairs;
  std::set<const Stmt *> written;
  std::map<std::string, std::pair<Result, size_t>> known; // by register; and where it is declared
  bool isRight = true;
};

} // namespace

// The loop over rows, whose values are dealt out to blocks: for (rows = block.x; …; rows +=
// blocks.x). Null where there is none.
static StmtP loopOverRows(const StmtP &body) {
  StmtP found;
  int many = 0;
  if (body->kind == StmtKind::Block)
    for (const StmtP &s : body->body)
      if (s->kind == StmtKind::For && s->loop.stride && isBuiltin(s->loop.stride, "blocks.x")) {
        found = s;
        many++;
      }
  return many == 1 ? found : nullptr;
}

StmtP withoutForwardedResults(const StmtP &body) {
  StmtP rows = loopOverRows(body);
  if (!rows || rows->body[0]->kind != StmtKind::Block)
    return body;
  StmtP made = Forwarded(body, rows).run();
  return made ? made : body;
}

} // namespace nw
