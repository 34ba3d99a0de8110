// Registers of rows.
// Over 500 lines: one form, read as a whole. It goes with that form (docs/roadmap.md).
#include "verify/readers/row_registers.h"
#include "verify/readers/forwarded_results.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

bool isWhole(const Type &t) { return t.isInteger() && bitsOf(t.scalar) >= 32; }

bool isVariable(const StmtP &s) {
  return s->kind == StmtKind::Declare && s->extents.empty() && s->exprs.empty();
}

bool isRegisterArray(const StmtP &s) {
  return s->kind == StmtKind::Declare && s->extents.size() == 1 && s->exprs.empty();
}

// for (turn = 0; turn < many; turn++)
std::optional<int64_t> turnsOf(const Stmt &s) {
  const Loop &l = s.loop;
  if (s.kind != StmtKind::For || l.stride || l.step != 1 || !isWhole(l.type) ||
      l.start->kind != ExprKind::Int || l.start->integer != 0)
    return std::nullopt;
  const ExprP &c = l.condition;
  bool isPlain = c->kind == ExprKind::Binary && c->name == "<" && isVar(c->args[0], l.counter) &&
                 c->args[1]->kind == ExprKind::Int && c->args[1]->integer > 0;
  return isPlain ? std::optional(c->args[1]->integer) : std::nullopt;
}

// A loop over the columns of a thread.
struct ColumnLoop {
  std::string turn;
  int64_t many;
  const Stmt *declaration; // of the column
  ExprP first;             // null: 0
  StmtP code;              // what is inside of guards
  std::vector<ExprP> guards;
  std::vector<ExprP> unasked; // those of them that are not asked
};

// The code inside of guards, which are added to the list, and those that nobody asks to the other.
StmtP insideGuards(StmtP s, std::vector<ExprP> &guards, std::vector<ExprP> *unasked = nullptr) {
  for (;;) {
    if (s->kind == StmtKind::Block && !s->isInstance() && s->body.size() == 1)
      s = s->body[0];
    else if (s->kind == StmtKind::If && s->body.size() == 1 && (!s->isSpeculated || unasked)) {
      guards.push_back(s->exprs[0]);
      if (s->isSpeculated)
        unasked->push_back(s->exprs[0]);
      s = s->body[0];
    } else
      return s;
  }
}

class RowRegisters {
public:
  RowRegisters(const StmtP &body, int width) : body(body), width(width) {}

  // The same without registers; nothing where the code is another.
  StmtP run() {
    rows = loopOverRows(body);
    if (!rows || body->kind != StmtKind::Block || rows->body[0]->kind != StmtKind::Block)
      return nullptr;
    walkStmts(body, [&](const StmtP &s) {
      if (s->kind == StmtKind::Declare || s->kind == StmtKind::Shared)
        declared[s->name]++;
      if (s->kind == StmtKind::For)
        declared[s->loop.counter]++;
      if (s->kind == StmtKind::Assign && baseOf(s->exprs[0]))
        assigned.insert(baseOf(s->exprs[0])->name);
      failed |= s->kind == StmtKind::Window; // which may write, too
    });
    for (const StmtP &s : body->body)
      if (isRegisterArray(s))
        sums[s->name] = s->extents[0];
    if (!loadedRegisters() || !areHarmless())
      return nullptr;
    std::vector<StmtP> all;
    for (const StmtP &s : body->body)
      all.push_back(isRegisterArray(s) ? arrayOfBlock(*s) : rewritten(s));
    return failed ? nullptr : block(all);
  }

private:
  // The loop, where it is one over the columns of a thread; all of them are alike.
  std::optional<ColumnLoop> columnLoop(const StmtP &s) {
    std::optional<int64_t> many = turnsOf(*s);
    if (!many || s->body[0]->kind != StmtKind::Block || s->body[0]->isInstance() ||
        s->body[0]->body.size() != 2)
      return std::nullopt;
    const Stmt &d = *s->body[0]->body[0];
    if (d.kind != StmtKind::Declare || d.exprs.size() != 1 || !d.extents.empty() ||
        !isWhole(d.type))
      return std::nullopt;
    auto isPosition = [&](const ExprP &e) {
      return e->kind == ExprKind::Binary && e->name == "+" &&
             e->args[0]->kind == ExprKind::Builtin && e->args[0]->name == "local.x" &&
             e->args[1]->kind == ExprKind::Binary && e->args[1]->name == "*" &&
             isVar(e->args[1]->args[0], s->loop.counter) &&
             e->args[1]->args[1]->kind == ExprKind::Int && e->args[1]->args[1]->integer == width;
    };
    const ExprP &value = d.exprs[0];
    ColumnLoop out{s->loop.counter, *many, &d, nullptr, nullptr, {}, {}};
    if (!isPosition(value)) {
      if (value->kind != ExprKind::Binary || value->name != "+" || !isPosition(value->args[1]) ||
          !isOfArguments(value->args[0]))
        return std::nullopt;
      out.first = value->args[0];
    }
    std::string text =
        fmt::format("{} {} {}", out.turn, out.many, print(std::make_shared<Stmt>(d), 0));
    if (alike.empty())
      alike = text;
    if (alike != text)
      return std::nullopt;
    out.code = insideGuards(s->body[0]->body[1], out.guards, &out.unasked);
    return out;
  }

  // Whether it has the same value everywhere in the kernel.
  bool isOfArguments(const ExprP &e) const {
    bool is = true;
    walk(e, [&](const ExprP &x) {
      is &= x->kind == ExprKind::Int || x->kind == ExprKind::Cast || x->kind == ExprKind::Binary ||
            x->kind == ExprKind::Unary || x->kind == ExprKind::Min || x->kind == ExprKind::Max ||
            x->kind == ExprKind::FloorDiv || (x->kind == ExprKind::Var && !declared.count(x->name));
      return is;
    });
    return is;
  }

  // ---- columns that are none ----

  // Where nobody asks whether a column is there, sums of its registers alone are computed, and
  // whoever takes a sum asks for it.
  bool areHarmless() {
    bool are = true;
    std::vector<ColumnLoop> all;
    walkStmts(body, [&](const StmtP &s) {
      if (std::optional<ColumnLoop> loop = columnLoop(s))
        all.push_back(*loop);
    });
    for (const ColumnLoop &loop : all)
      for (const ExprP &g : loop.unasked) {
        are &= loop.code->isInstance() && mentions(g, loop.declaration->name) &&
               std::all_of(loop.code->body.begin(), loop.code->body.end(),
                           [&](const StmtP &s) { return isSumOfRegisters(s, loop); });
        for (const ColumnLoop &other : all)
          if (other.unasked.empty() && takesSums(other.code))
            are &= std::any_of(other.guards.begin(), other.guards.end(),
                               [&](const ExprP &o) { return sameTree(o, g); });
      }
    return are;
  }

  bool isSumOfRegisters(const StmtP &s, const ColumnLoop &loop) const {
    if (s->kind != StmtKind::Assign || !isSum(s->exprs[0], loop.turn, loop.many) ||
        !s->exprs[0]->type.isFloat())
      return false;
    bool are = true;
    walk(s->exprs[1], [&](const ExprP &e) {
      if (isSum(e, loop.turn, loop.many))
        return false;
      if (e->kind == ExprKind::Staged) {
        are &= baseOf(e) && declared.count(baseOf(e)->name); // a variable of the thread
        return false;
      }
      if (e->kind == ExprKind::Index && !mentions(e, loop.declaration->name) &&
          !mentions(e, loop.turn))
        return false; // the same for the columns that are there
      are &= e->type.isFloat() && (e->kind == ExprKind::Binary || e->kind == ExprKind::Unary ||
                                   e->kind == ExprKind::Float || e->kind == ExprKind::Cast);
      return are;
    });
    return are;
  }

  bool takesSums(const StmtP &code) const {
    return std::any_of(sums.begin(), sums.end(),
                       [&](const auto &one) { return countOf(code, one.first) > 0; });
  }

  // ---- elements that wait in registers ----

  struct Load {
    ExprP element;
    std::vector<ExprP> guards;
    bool isOfRow = false; // one for all columns
    size_t at = 0;        // among the statements of the loop over rows
    int uses = 0;
    bool isRead = false; // by an instance, whatever its data are
  };

  // T held[many]; …; [if (row)] for (turn …) { column = …; [if (guard)] held[turn] = element; },
  // once, and after it only instances that take the element for the same row and column, under the
  // same guards.
  bool loadedRegisters() {
    const std::vector<StmtP> &inside = rows->body[0]->body;
    for (size_t n = 0; n < inside.size(); n++)
      if (isRegisterArray(inside[n])) {
        held[inside[n]->name] = inside[n]->extents[0];
      }
    walkExprs(rows, [&](const ExprP &e) {
      if (e->kind == ExprKind::Staged && e->args[0]->kind == ExprKind::Var &&
          std::any_of(inside.begin(), inside.end(),
                      [&](const StmtP &s) { return isVariable(s) && s->name == e->args[0]->name; }))
        held[e->args[0]->name] = 0;
      return true;
    });
    for (const auto &[name, many] : held)
      if (declared.at(name) != 1)
        return false;
    if (held.empty())
      return true;
    for (size_t n = 0; n < inside.size(); n++) {
      std::vector<ExprP> guards;
      StmtP s = insideGuards(inside[n], guards);
      std::optional<ColumnLoop> loop = columnLoop(s);
      if (s->kind == StmtKind::Assign && s->exprs[0]->kind == ExprKind::Var &&
          held.count(s->exprs[0]->name))
        noteLoadOfRow(*s, guards, n);
      if (!loop)
        continue;
      guards.insert(guards.end(), loop->guards.begin(), loop->guards.end());
      if (loop->code->kind == StmtKind::Assign)
        noteLoad(*loop, guards, n);
      else if (loop->code->isInstance())
        noteUses(*loop, guards, n);
    }
    for (auto &[name, many] : held) {
      auto load = loads.find(name);
      if (load == loads.end() || !load->second.isRead ||
          countOf(body, name) != load->second.uses + 1)
        return false;
    }
    return !failed;
  }

  void noteLoad(const ColumnLoop &loop, const std::vector<ExprP> &guards, size_t at) {
    const ExprP &to = loop.code->exprs[0], &from = loop.code->exprs[1];
    if (to->kind != ExprKind::Index || to->args[0]->kind != ExprKind::Var ||
        !held.count(to->args[0]->name))
      return;
    const std::string &name = to->args[0]->name;
    const Expr *array = baseOf(from);
    failed |= loads.count(name) || !isVar(to->args[1], loop.turn) || held.at(name) != loop.many ||
              from->kind != ExprKind::Index || !array || declared.count(array->name) ||
              assigned.count(array->name) || !(from->type == to->type) ||
              !isSteady(from, loop.declaration->name, at);
    for (const ExprP &g : guards)
      failed |= !isSteady(isSureForFirst(g, loop) ? g->args[1] : g, loop.declaration->name, at);
    loads[name] = {from, guards, false, at, 0, false};
  }

  // T held; …; [if (row)] [if (first + local.x <= last)] held = element
  void noteLoadOfRow(const Stmt &s, const std::vector<ExprP> &guards, size_t at) {
    const ExprP &from = s.exprs[1];
    const std::string &name = s.exprs[0]->name;
    const Expr *array = baseOf(from);
    failed |= loads.count(name) || held.at(name) != 0 || from->kind != ExprKind::Index || !array ||
              declared.count(array->name) || assigned.count(array->name) ||
              !(from->type == s.exprs[0]->type) || !isSteady(from, "", at);
    loads[name] = {from, guards, true, at, 0, false};
  }

  // turn < number || …: a question that the thread's first column need not be asked.
  static bool isSureForFirst(const ExprP &guard, const ColumnLoop &loop) {
    return guard->kind == ExprKind::Binary && guard->name == "||" &&
           isEarlyTurn(guard->args[0], loop.turn) && guard->args[0]->args[1]->integer > 0;
  }

  // Whether what is loaded once for a row is there for every column of the thread: it asks for the
  // first of them what the use asks for its own, column <= last, so that it is loaded if any has a
  // use, and the first column has one then.
  bool isGuardOfFirst(const ExprP &load, const ExprP &use, const ColumnLoop &loop,
                      size_t at) const {
    const Stmt &d = *loop.declaration;
    if (use->kind != ExprKind::Binary || use->name != "<=" || !isVar(use->args[0], d.name) ||
        !isSteady(use->args[1], "", at))
      return false;
    ExprP lane = node(ExprKind::Builtin, {}, d.type, "local.x"),
          first = loop.first ? binary("+", loop.first, lane, d.type) : lane;
    return sameTree(load, binary("<=", first, use->args[1], use->type));
  }

  // Whether the expression has one value for a row and a column: all that it mentions are
  // arguments, the column, and variables that were declared once, before, in the loop over rows.
  bool isSteady(const ExprP &e, const std::string &column, size_t at) const {
    const std::vector<StmtP> &inside = rows->body[0]->body;
    bool is = true;
    walk(e, [&](const ExprP &x) {
      if (x->kind == ExprKind::Call || x->kind == ExprKind::Staged || x->kind == ExprKind::Builtin)
        is = false;
      if (x->kind != ExprKind::Var || x->name == column)
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

  void noteUses(const ColumnLoop &loop, const std::vector<ExprP> &all, size_t at) {
    std::vector<ExprP> ofFirst = all; // what the first column of a thread is asked
    std::erase_if(ofFirst, [&](const ExprP &g) { return isSureForFirst(g, loop); });
    walkStmts(loop.code,
              [&](const StmtP &s) { // nothing in the instance hides what the names stand for
                const std::string &name = s->kind == StmtKind::For ? s->loop.counter : s->name;
                failed |= (s->kind == StmtKind::For || s->kind == StmtKind::Declare) &&
                          (name == loop.declaration->name || name == loop.turn);
              });
    walkExprs(loop.code, [&](const ExprP &e) {
      const Expr *base = e->kind == ExprKind::Staged ? baseOf(e) : nullptr;
      auto load = base ? loads.find(base->name) : loads.end();
      if (load == loads.end())
        return true;
      const ExprP &position = e->args[0];
      const Load &l = load->second;
      const std::vector<ExprP> &guards = l.isOfRow ? ofFirst : all;
      bool isSame = l.isOfRow
                        ? position->kind == ExprKind::Var
                        : position->kind == ExprKind::Index && isVar(position->args[1], loop.turn);
      isSame &= sameTree(e->args[1], l.element) && at > l.at && guards.size() >= l.guards.size();
      if (isSame && guards.size() > l.guards.size()) { // loaded for more rows than this one
        isSame = !l.isOfRow && std::all_of(l.guards.begin(), l.guards.end(), [&](const ExprP &g) {
          return std::any_of(guards.begin(), guards.end(),
                             [&](const ExprP &o) { return sameTree(o, g); });
        });
        failed |= !isSame;
        load->second.uses++;
        return false;
      }
      for (size_t n = 0; isSame && n < guards.size(); n++) {
        bool isOfColumn = mentions(guards[n], loop.declaration->name);
        isSame = l.isOfRow && isOfColumn ? isGuardOfFirst(l.guards[n], guards[n], loop, l.at)
                                         : sameTree(guards[n], l.guards[n]) &&
                                               (!l.isOfRow || isSteady(guards[n], "", l.at));
      }
      failed |= !isSame;
      load->second.uses++;
      return false;
    });
    for (const StmtP &s : loop.code->body) // executed in every case
      for (size_t n = 0; s->kind == StmtKind::Assign && n < s->exprs.size(); n++)
        walk(s->exprs[n], [&](const ExprP &e) {
          const Expr *base = e->kind == ExprKind::Staged ? baseOf(e) : nullptr;
          auto load = base ? loads.find(base->name) : loads.end();
          if (load != loads.end() &&
              load->second.guards.size() == (load->second.isOfRow ? ofFirst : all).size())
            load->second.isRead = true;
          return e->kind != ExprKind::Select &&
                 !(e->kind == ExprKind::Binary && (e->name == "&&" || e->name == "||"));
        });
  }

  static int countOf(const StmtP &code, const std::string &name) {
    int many = 0;
    walkExprs(code, [&](const ExprP &e) {
      many += isVar(e, name);
      return true;
    });
    return many;
  }

  // ---- the code without them ----

  StmtP rewritten(const StmtP &s) {
    if (s->isInstance())
      return withoutHeld(s);
    if (std::optional<ColumnLoop> loop = columnLoop(s))
      return overColumns(s, *loop);
    if (StmtP start = startOfSums(s))
      return start;
    auto copy = std::make_shared<Stmt>(*s);
    copy->body.clear();
    for (const StmtP &b : s->body)
      if (!((isRegisterArray(b) || isVariable(b)) && held.count(b->name)) && !isLoad(b))
        copy->body.push_back(rewritten(b));
    return copy;
  }

  bool isLoad(const StmtP &s) {
    std::vector<ExprP> guards;
    StmtP code = insideGuards(s, guards);
    if (code->kind == StmtKind::Assign && code->exprs[0]->kind == ExprKind::Var &&
        held.count(code->exprs[0]->name))
      return true;
    std::optional<ColumnLoop> loop = columnLoop(code);
    return loop && loop->code->kind == StmtKind::Assign && baseOf(loop->code->exprs[0]) &&
           held.count(baseOf(loop->code->exprs[0])->name);
  }

  StmtP withoutHeld(const StmtP &s) {
    return rewriteExprs(s, [&](const ExprP &e) {
      return e->kind == ExprKind::Staged && baseOf(e) && held.count(baseOf(e)->name) ? e->args[1]
                                                                                     : e;
    });
  }

  StmtP overColumns(const StmtP &s, const ColumnLoop &loop) {
    const Stmt &d = *loop.declaration;
    ExprP column = var(d.name, d.type), lane = node(ExprKind::Builtin, {}, d.type, "local.x"),
          end = intConst(loop.many * width, d.type);
    ExprP position = loop.first ? binary("-", column, loop.first, d.type) : column;
    StmtP code = asked(withoutHeld(s->body[0]->body[1]));
    code = rewriteExprs(code, [&](const ExprP &e) {
      return isSum(e, loop.turn, loop.many) ? index(e->args[0], position, e->type) : e;
    });
    code = rewriteExprs(code, [&](const ExprP &e) {
      return isEarlyTurn(e, loop.turn)
                 ? binary("<", position, intConst(e->args[1]->integer * width, d.type), e->type)
                 : e;
    });
    failed |= countOf(code, loop.turn) > 0;
    ExprP start = loop.first ? binary("+", loop.first, lane, d.type) : lane,
          last = loop.first ? binary("+", loop.first, end, d.type) : end;
    return forLoop(d.name, d.type, start, binary("<", column, last, kI32), intConst(width),
                   block({code}));
  }

  // turn < number: then the column is below that many widths.
  static bool isEarlyTurn(const ExprP &e, const std::string &turn) {
    return e->kind == ExprKind::Binary && e->name == "<" && isVar(e->args[0], turn) &&
           e->args[1]->kind == ExprKind::Int;
  }

  // With questions where they were left out.
  static StmtP asked(const StmtP &s) {
    auto copy = std::make_shared<Stmt>(*s);
    copy->isSpeculated = false;
    if (!s->isInstance())
      for (StmtP &b : copy->body)
        b = asked(b);
    return copy;
  }

  bool isSum(const ExprP &e, const std::string &turn, int64_t many) const {
    auto sum = e->kind == ExprKind::Index && e->args[0]->kind == ExprKind::Var
                   ? sums.find(e->args[0]->name)
                   : sums.end();
    return sum != sums.end() && isVar(e->args[1], turn) && sum->second == many;
  }

  // for (turn …) sums[turn] = constant
  StmtP startOfSums(const StmtP &s) {
    std::optional<int64_t> many = turnsOf(*s);
    std::vector<ExprP> guards;
    StmtP code = many ? insideGuards(s->body[0], guards) : nullptr;
    if (!code || !guards.empty() || code->kind != StmtKind::Assign ||
        !isSum(code->exprs[0], s->loop.counter, *many) ||
        (code->exprs[1]->kind != ExprKind::Int && code->exprs[1]->kind != ExprKind::Float))
      return nullptr;
    const Type &type = s->loop.type;
    return forLoop(s->loop.counter, type, node(ExprKind::Builtin, {}, type, "local.x"),
                   binary("<", var(s->loop.counter, type), intConst(*many * width, type), kI32),
                   intConst(width), code);
  }

  StmtP arrayOfBlock(const Stmt &s) const {
    auto copy = std::make_shared<Stmt>(s);
    copy->extents = {s.extents[0] * width};
    return copy;
  }

  const StmtP &body;
  int width;
  StmtP rows;
  std::map<std::string, int> declared;
  std::set<std::string> assigned;
  std::map<std::string, int64_t> sums, held; // and how many registers of a thread
  std::map<std::string, Load> loads;
  std::string alike; // what all loops over columns have in common
  bool failed = false;
};

} // namespace

StmtP loopOverRows(const StmtP &body) {
  StmtP found;
  int many = 0;
  if (body->kind == StmtKind::Block)
    for (const StmtP &s : body->body)
      if (s->kind == StmtKind::For && s->loop.stride && s->loop.stride->kind == ExprKind::Builtin &&
          s->loop.stride->name == "blocks.x") {
        found = s;
        many++;
      }
  return many == 1 ? found : nullptr;
}

bool isColumnSum(const Kernel &kernel, const std::string &variable) {
  return loopOverRows(kernel.body) &&
         std::any_of(kernel.body->body.begin(), kernel.body->body.end(),
                     [&](const StmtP &s) { return isRegisterArray(s) && s->name == variable; });
}

StmtP withoutRowRegisters(const StmtP &body, const std::array<int, 3> &shape) {
  if (shape[1] != 1 || shape[2] != 1)
    return body;
  StmtP plain = withoutForwardedResults(body, loopOverRows(body)),
        made = RowRegisters(plain, shape[0]).run();
  return made ? made : plain;
}

} // namespace nw
