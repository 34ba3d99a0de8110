// The generator: storages, loops, and nests after a dozen patterns that exercise different parts of
// the compiler.
// Over 500 lines: one generator; every choice depends on those before.
#include "generate.h"
#include "values.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::fuzz {

namespace {

class Generator {
public:
  Generator(uint64_t seed, const Program &flags, const std::string &name)
      : random(seed), values(random, program) {
    program.name = name;
    program.charIsUnsigned = flags.charIsUnsigned;
    program.wraps = flags.wraps;
    program.storages.reserve(64); // patterns hold pointers into it
  }

  Program run() {
    maximumDepth = random.pick(std::vector<int>{1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3});
    program.largestSize = std::vector<int>{70, 20, 10}[maximumDepth - 1];
    program.sizes =
        maximumDepth == 1 ? std::vector<std::string>{"n"} : std::vector<std::string>{"n", "m"};
    if (random.chance(15))
      program.sizes.push_back("w");
    makeStorages();
    int nests = random.pick(std::vector<int>{1, 1, 1, 2, 2, 3});
    for (int k = 0; k < nests; k++) {
      if (k > 0 && random.chance(12))
        betweenNests();
      values.avoided.clear();
      program.body.push_back(nest());
    }
    return program;
  }

private:
  ElementType type() {
    static const std::vector<ElementType> all = {
        ElementType::Int,      ElementType::Int,      ElementType::Int,    ElementType::Float,
        ElementType::Float,    ElementType::Float,    ElementType::Double, ElementType::Double,
        ElementType::Unsigned, ElementType::LongLong, ElementType::Short,  ElementType::SignedChar};
    if (random.chance(10))
      return program.charIsUnsigned ? ElementType::CharWithoutSign : ElementType::CharWithSign;
    return random.pick(all);
  }

  void makeStorages() {
    static const std::vector<Layout> layouts = {Layout::Fixed,    Layout::Global,  Layout::Variable,
                                                Layout::Variable, Layout::Pointer, Layout::Flat,
                                                Layout::Flat};
    int arrays = random.between(3, 5);
    for (int k = 0; k < arrays; k++) {
      Storage s;
      s.name = std::string(1, char('A' + k));
      s.type = type();
      s.dimensions =
          k == 0
              ? 1
              : random.between(
                    1, std::min(3, maximumDepth +
                                       (random.chance(15) ? 1 : 0))); // one of them fits everywhere
      s.layout = random.pick(layouts);
      s.accumulates = random.chance(40);
      if (random.chance(10)) {
        s.fields = {{"a", s.type}, {"b", type()}};
        s.accumulates = false;
        if (random.chance(40))
          s.fields.push_back({"c", type()});
        if (s.layout == Layout::Pointer && s.dimensions > 1)
          s.layout = Layout::Variable;
      }
      program.storages.push_back(s);
    }
    if (random.chance(25)) {
      Storage s{"index",
                ElementType::Int,
                random.chance(50) ? Layout::Variable : Layout::Pointer,
                1,
                {},
                false,
                true,
                0};
      program.storages.push_back(s);
    }
    int scalars = random.between(random.below(2), 2);
    for (int k = 0; k < scalars; k++) {
      Storage s{std::string(1, "sv"[k]),
                type(),
                random.pick(std::vector<Layout>{Layout::Local, Layout::Local, Layout::Local,
                                                Layout::Pointer, Layout::Global}),
                0,
                {},
                random.chance(60),
                false,
                0};
      program.storages.push_back(s);
    }
  }

  const Storage *array(int least, int most, bool accumulating = false) {
    std::vector<const Storage *> fits;
    for (const Storage &s : program.storages)
      if (s.layout != Layout::Private && !s.isIndex && s.dimensions >= least &&
          s.dimensions <= most && (!accumulating || s.accumulates))
        fits.push_back(&s);
    if (fits.empty())
      return nullptr;
    const Storage *chosen = random.pick(fits);
    values.avoided.insert(chosen->name);
    return chosen;
  }

  // --- loops ---

  Loop loop(bool plain = false) {
    Loop l;
    size_t depth = values.scope.loops.size();
    l.counter = std::string(1, "ijklpq"[depth]) + (random.chance(10) ? "2" : "");
    const std::string size =
        program.sizes[random.chance(70) ? std::min(depth, program.sizes.size() - 1)
                                        : random.below(int(program.sizes.size()))];
    l.lower = Affine(random.pick(std::vector<int>{0, 0, 0, 1, 1, 2}));
    l.upper = {Affine(size, 0)};
    if (plain)
      return l;
    int how = random.below(100);
    if (depth > 0 && how < 10)
      l.lower = Affine(values.scope.loops[random.below(int(depth))].counter, random.between(0, 1));
    else if (depth > 0 && how < 22)
      l.upper = {
          Affine(values.scope.loops[random.below(int(depth))].counter, random.between(0, 2))};
    else if (how < 28)
      l.upper = {Affine(random.between(2, 6))};
    else if (how < 40)
      l.upper = {Affine(size, random.between(-2, 1))};
    else if (how < 43 && depth > 0)
      l.lower = Affine(3) + -1 * Affine(values.scope.loops.back().counter, 0);
    if (random.chance(8))
      l.upper.push_back(depth > 0 && random.chance(60)
                            ? Affine(values.scope.loops.back().counter, random.between(1, 4))
                            : Affine(random.pick(program.sizes), random.between(-1, 2)));
    l.step = random.pick(std::vector<int>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, -1, -1, -2});
    if (depth > 0 && l.step > 0)
      bandOrTile(l, size);
    if (l.step < 0 && l.upper.size() > 1)
      l.upper[1] = depth > 0 ? Affine(values.scope.loops.back().counter, -random.between(0, 4))
                             : Affine(random.between(0, 2));
    l.inclusive = random.chance(20);
    l.isOutside = random.chance(8);
    if (!l.isOutside && random.chance(8))
      l.type = random.chance(60) ? "long" : "unsigned";
    return l;
  }

  // A loop that stays close to one around it, or runs through a tile of the next one.
  void bandOrTile(Loop &l, const std::string &size) {
    const Loop &near = values.scope.loops.back(),
               &any = values.scope.loops[random.below(int(values.scope.loops.size()))];
    if (near.step > 1 && random.chance(60)) {
      l.lower = Affine(near.counter, 0);
      l.upper = {Affine(near.counter, random.chance(80) ? near.step : near.step + 1)};
    } else if (random.chance(6)) {
      int from = random.between(-1, 2);
      l.lower = Affine(any.counter, from);
      l.upper = {Affine(any.counter, from + random.between(1, 4))};
    } else
      return;
    if (random.chance(70))
      l.upper.push_back(Affine(size, 0));
  }

  // A loop with the body that `fill` makes inside of it.
  template <class Fill> Stmt inLoop(const Loop &l, Fill fill) {
    Stmt s;
    s.kind = StmtKind::For;
    s.loop = l;
    values.scope.loops.push_back(l);
    size_t visible = values.privates.size();
    fill(s.body);
    values.privates.resize(visible);
    values.scope.loops.pop_back();
    return s;
  }

  template <class Fill> Stmt nestOf(int depth, Fill fill, bool plain = false) {
    return inLoop(loop(plain), [&](std::vector<Stmt> &body) {
      if (depth <= 1)
        fill(body);
      else
        body.push_back(nestOf(depth - 1, fill, plain));
    });
  }

  int depthOf(const Storage &s) {
    return std::clamp(s.dimensions + (random.chance(25) ? 1 : 0), 1,
                      std::max(maximumDepth, s.dimensions));
  }

  // --- statements ---

  Stmt assignment(const Access &target, Expr e) {
    Stmt s;
    s.kind = StmtKind::Assign;
    s.target = target;
    s.value = {values.fitting(std::move(e), typeOfElement(program, target))};
    return s;
  }

  Stmt accumulation(const Access &target, const std::string &op, Expr e) {
    Stmt s;
    s.kind = StmtKind::Accumulate;
    s.target = target;
    s.op = op;
    s.form = random.below(3);
    ElementType t = typeOfElement(program, target);
    e = values.fitting(std::move(e), t);
    bool wraps = program.mayWrap(t);
    if (op == "+" || op == "-") {
      if (!wraps) {
        long long quota = wideRange(t, program).high / 8 / std::max(1ll, instancesOf(values.scope));
        e = values.narrowed(std::move(e), std::clamp(quota, 1ll, 1000ll));
      }
    } else if (op == "*" && (!wraps || isPromoted(t))) {
      Expr one = literal(1), less = literal(-1);
      Expr choice;
      choice.kind = ExprKind::Select;
      choice.args = {binary("<", std::move(e), literal(3)), one, less};
      e = choice;
    } else if (op == "min" || op == "max") {
      if (rangeOf(e, values.scope)->type != t)
        e = castTo(t, std::move(e));
    }
    s.value = {e};
    return s;
  }

  std::string reductionOf(ElementType t, bool accumulates) {
    std::vector<std::string> ops = {"min", "max", "*"};
    if (accumulates || program.mayWrap(t))
      ops.insert(ops.end(), {"+", "+", "+", "+", "-"});
    if (!isFloat(t) && !accumulates)
      ops.insert(ops.end(), {"&", "|", "^"});
    return random.pick(ops);
  }

  Expr valueFor(const Access &target, int depth) {
    return values.value(depth, isFloat(typeOfElement(program, target)) || random.chance(5));
  }

  // One statement that writes an element; in place or from elsewhere, or a reduction.
  Stmt simple() {
    const Storage *s = array(0, 3);
    if (!s || (s->dimensions == 0 && random.chance(50)))
      s = array(1, 3);
    Access target = values.written(*s);
    bool reduces =
        s->dimensions < int(values.scope.loops.size()) ? random.chance(80) : random.chance(20);
    if (reduces)
      return accumulation(target, reductionOf(typeOfElement(program, target), s->accumulates),
                          valueFor(target, 2));
    Expr e = valueFor(target, random.between(1, 3));
    if (random.chance(20)) {
      Expr self = values.narrowed(readOf(values.nearby(target)), 500);
      e = binary("+", values.narrowed(std::move(e), 500), self);
    }
    return assignment(target, e);
  }

  Stmt guarded(Stmt inner) {
    Stmt s;
    s.kind = StmtKind::If;
    s.condition = {values.condition()};
    s.body = {std::move(inner)};
    if (random.chance(25))
      s.otherwise = {simple()};
    return s;
  }

  Stmt statement() {
    Stmt s = simple();
    return random.chance(18) ? guarded(std::move(s)) : s;
  }

  Stmt privateScalar() {
    Storage s{fmt::format("t{}", counterOfPrivates++),
              type(),
              Layout::Private,
              0,
              {},
              random.chance(40),
              false,
              0};
    Stmt d;
    d.kind = StmtKind::Declare;
    d.target.storage = s.name;
    d.value = {values.fitting(values.value(2, isFloat(s.type)), s.type)};
    program.storages.push_back(s);
    values.privates.push_back(s.name);
    return d;
  }

  Stmt privateArray() {
    Storage s{fmt::format("u{}", counterOfPrivates++),
              type(),
              Layout::Private,
              1,
              {},
              false,
              false,
              random.between(2, 5)};
    Stmt d;
    d.kind = StmtKind::DeclareArray;
    d.target = {s.name, {Subscript{}}, ""};
    d.loop.counter = "z";
    d.loop.upper = {Affine(s.privateExtent)};
    d.target.subscripts[0].affine = Affine("z", 0);
    values.scope.loops.push_back(d.loop);
    d.value = {values.fitting(values.value(2, isFloat(s.type)), s.type)};
    values.scope.loops.pop_back();
    program.storages.push_back(s);
    values.privates.push_back(s.name);
    return d;
  }

  Stmt toPrivate() {
    std::string name = random.pick(values.privates);
    const Storage &s = *program.find(name);
    Access target = values.read(s);
    if (random.chance(60))
      return accumulation(target, reductionOf(s.type, s.accumulates), valueFor(target, 1));
    return assignment(target, valueFor(target, 2));
  }

  // Anything: loops beside statements, private variables, guards.
  void anyBody(std::vector<Stmt> &body, int depth) {
    if (random.chance(30))
      body.push_back(random.chance(70) ? privateScalar() : privateArray());
    if (random.chance(5)) {
      Stmt s;
      s.kind = StmtKind::Continue;
      s.condition = {values.condition()};
      body.push_back(s);
    }
    int count = random.between(1, depth > 0 ? 2 : 3);
    for (int k = 0; k < count; k++) {
      if (depth > 0 && (k == 0 || random.chance(40)))
        body.push_back(
            inLoop(loop(), [&](std::vector<Stmt> &inner) { anyBody(inner, depth - 1); }));
      else if (!values.privates.empty() && random.chance(35))
        body.push_back(toPrivate());
      else
        body.push_back(statement());
    }
  }

  // --- patterns of nests ---

  Stmt elementwise() {
    const Storage &s = *array(1, maximumDepth);
    return nestOf(std::min(depthOf(s), maximumDepth), [&](std::vector<Stmt> &body) {
      Access target = values.written(s);
      Stmt one = assignment(target, valueFor(target, random.between(1, 3)));
      body.push_back(random.chance(15) ? guarded(std::move(one)) : std::move(one));
      if (random.chance(30))
        body.push_back(statement());
    });
  }

  Stmt reduction() {
    const Storage *s = random.chance(50) ? array(0, 0) : array(1, maximumDepth - 1);
    if (!s)
      s = array(0, maximumDepth - 1);
    if (!s)
      return any();
    return nestOf(
        std::min(maximumDepth, s->dimensions + random.between(1, 2)), [&](std::vector<Stmt> &body) {
          Access target = values.written(*s);
          if (s->dimensions == 1 && random.chance(10) && program.find("index")) {
            target.subscripts[0] = Subscript{
                SubscriptKind::Data, {}, 1, {readOf(values.read(*program.find("index")))}};
          }
          Stmt one =
              accumulation(target, reductionOf(typeOfElement(program, target), s->accumulates),
                           valueFor(target, 2));
          body.push_back(random.chance(15) ? guarded(std::move(one)) : std::move(one));
        });
  }

  Stmt recurrence() {
    const Storage &s = *array(1, maximumDepth);
    return nestOf(
        std::clamp(s.dimensions + (random.chance(30) ? 1 : 0), 1, maximumDepth),
        [&](std::vector<Stmt> &body) {
          Access target = values.written(s);
          Expr e = values.narrowed(readOf(values.nearby(target)), 500);
          int more = random.between(0, 2);
          for (int k = 0; k < more; k++)
            e = binary("+", e,
                       values.narrowed(random.chance(70) ? readOf(values.nearby(target))
                                                         : valueFor(target, 1),
                                       60));
          if (rangeOf(e, values.scope))
            body.push_back(assignment(target, e));
          else
            body.push_back(statement());
        },
        random.chance(50));
  }

  Stmt timeLoop() {
    Loop t;
    t.counter = "t";
    t.upper = {random.chance(50) ? Affine(random.between(2, 4)) : Affine(program.sizes[0], 0)};
    return inLoop(t, [&](std::vector<Stmt> &body) {
      int count = random.between(1, 3);
      for (int k = 0; k < count; k++) {
        const Storage &s = *array(1, std::max(1, maximumDepth - 1));
        body.push_back(nestOf(
            std::min(s.dimensions, std::max(1, maximumDepth - 1)),
            [&](std::vector<Stmt> &inner) {
              Access target{s.name, {}, ""};
              if (!s.fields.empty())
                target.field = s.fields[0].name;
              for (int d = 0; d < s.dimensions; d++) {
                Subscript u;
                size_t at = values.scope.loops.size() -
                            std::min<size_t>(s.dimensions, values.scope.loops.size() - 1) + d;
                u.affine = at < values.scope.loops.size()
                               ? Affine(values.scope.loops[at].counter, 0)
                               : Affine(0);
                target.subscripts.push_back(u);
              }
              inner.push_back(assignment(target, valueFor(target, 2)));
            },
            random.chance(60)));
      }
      if (random.chance(20))
        body.push_back(statement());
    });
  }

  // for i { private; for j { … } use; for j { … } }
  Stmt imperfect() {
    return inLoop(loop(), [&](std::vector<Stmt> &body) {
      body.push_back(random.chance(75) ? privateScalar() : privateArray());
      std::string mine = values.privates.back();
      auto inner = [&](bool writes) {
        return inLoop(loop(), [&](std::vector<Stmt> &list) {
          if (random.chance(writes ? 70 : 20))
            list.push_back(toPrivate());
          if (list.empty() || random.chance(50))
            list.push_back(statement());
        });
      };
      if (maximumDepth > 1)
        body.push_back(inner(true));
      const Storage &s = *array(1, 1 + (maximumDepth > 1));
      Access target = values.written(s);
      Expr e = values.narrowed(readOf(values.read(*program.find(mine))), 400);
      if (isFloat(rangeOf(e, values.scope)->type) && !isFloat(typeOfElement(program, target)))
        e = castTo(ElementType::Int, e);
      body.push_back(assignment(target, binary("+", e, values.narrowed(valueFor(target, 1), 400))));
      if (maximumDepth > 1 && random.chance(50))
        body.push_back(inner(false));
    });
  }

  // D[i][j] = f(D[i][k], D[k][j]): wants index-set splitting.
  Stmt closure() {
    const Storage *s = array(2, 2);
    if (!s || maximumDepth < 3 || !s->fields.empty())
      return any();
    Loop k = loop(true), i = k, j = k;
    k.counter = "k", i.counter = "i", j.counter = "j";
    k.lower = i.lower = j.lower = Affine(0);
    auto element = [&](const char *a, const char *b) {
      Access x{s->name, {Subscript{}, Subscript{}}, ""};
      x.subscripts[0].affine = Affine(a, 0);
      x.subscripts[1].affine = Affine(b, 0);
      return x;
    };
    return inLoop(k, [&](std::vector<Stmt> &outer) {
      outer.push_back(inLoop(i, [&](std::vector<Stmt> &middle) {
        middle.push_back(inLoop(j, [&](std::vector<Stmt> &body) {
          Expr sum = binary("+", values.narrowed(readOf(element("i", "k")), 400),
                            values.narrowed(readOf(element("k", "j")), 400));
          if (random.chance(60))
            body.push_back(accumulation(element("i", "j"), random.chance(50) ? "min" : "max", sum));
          else
            body.push_back(assignment(element("i", "j"), sum));
        }));
      }));
    });
  }

  // An array of two dimensions that nothing else writes.
  std::string matrix(bool accumulates) {
    static const std::vector<Layout> layouts = {
        Layout::Fixed,    Layout::Global,  Layout::Variable, Layout::Variable,
        Layout::Variable, Layout::Pointer, Layout::Flat};
    Storage s{fmt::format("M{}", counterOfMatrices++),
              type(),
              random.pick(layouts),
              2,
              {},
              accumulates,
              false,
              0};
    program.storages.push_back(s);
    return s.name;
  }

  Access elementOf(const std::string &storage, const std::string &row, const std::string &column) {
    Access x{storage, {Subscript{}, Subscript{}}, ""};
    x.subscripts[0].affine = Affine(row, random.chance(20) ? random.between(0, 2) : 0);
    x.subscripts[1].affine = Affine(column, random.chance(20) ? random.between(0, 2) : 0);
    return x;
  }

  // Loops of a nest that tiles suit: rectangular, as a rule.
  Loop tileLoop() {
    Loop l = loop(random.chance(80));
    if (std::abs(l.step) > 1)
      l.step = l.step > 0 ? 1 : -1;
    return l;
  }

  // C[i][j] += A[i][k] * B[k][j] and its relatives: points share what they read along the innermost
  // loop.
  Stmt product() {
    if (maximumDepth < 3)
      return crossing();
    std::string c = matrix(true), a = matrix(false), b = random.chance(25) ? a : matrix(false);
    Loop i = tileLoop();
    return inLoop(i, [&](std::vector<Stmt> &outer) {
      Loop j = tileLoop();
      outer.push_back(inLoop(j, [&](std::vector<Stmt> &middle) {
        Access target = elementOf(c, i.counter, j.counter);
        if (random.chance(10))
          std::swap(target.subscripts[0], target.subscripts[1]);
        bool isPrivate = random.chance(35);
        Access sum = target;
        if (isPrivate) {
          middle.push_back(privateScalar());
          sum = {middle.back().target.storage, {}, ""};
        } else if (random.chance(50)) {
          middle.push_back(assignment(target, valueFor(target, 1)));
        }
        Loop k = tileLoop();
        middle.push_back(inLoop(k, [&](std::vector<Stmt> &body) {
          bool leftTurned = random.chance(30), rightTurned = random.chance(30);
          Expr left = values.narrowed(readOf(leftTurned ? elementOf(a, k.counter, i.counter)
                                                        : elementOf(a, i.counter, k.counter)),
                                      20);
          Expr right = values.narrowed(readOf(rightTurned ? elementOf(b, j.counter, k.counter)
                                                          : elementOf(b, k.counter, j.counter)),
                                       20);
          Expr both =
              binary(random.pick(std::vector<std::string>{"*", "*", "+", "-"}), left, right);
          if (random.chance(15))
            both = binary("+", values.narrowed(both, 500), values.narrowed(valueFor(sum, 1), 20));
          ElementType t = typeOfElement(program, sum);
          Stmt one = accumulation(sum,
                                  isPrivate ? reductionOf(t, program.find(sum.storage)->accumulates)
                                  : random.chance(80) ? "+"
                                                      : reductionOf(t, true),
                                  both);
          body.push_back(random.chance(10) ? guarded(std::move(one)) : std::move(one));
        }));
        if (isPrivate) {
          Expr e = values.narrowed(readOf(sum), 400);
          if (isFloat(rangeOf(e, values.scope)->type) && !isFloat(typeOfElement(program, target)))
            e = castTo(ElementType::Int, e);
          middle.push_back(assignment(target, e));
        }
      }));
    });
  }

  // B[j][i] = A[i][j], and more of the kind.
  Stmt crossing() {
    std::string to = matrix(false), from = matrix(false);
    if (maximumDepth < 2)
      return any();
    Loop i = tileLoop();
    return inLoop(i, [&](std::vector<Stmt> &outer) {
      Loop j = tileLoop();
      outer.push_back(inLoop(j, [&](std::vector<Stmt> &body) {
        Access target = elementOf(to, j.counter, i.counter);
        Expr e = values.narrowed(readOf(elementOf(from, i.counter, j.counter)), 200);
        if (random.chance(40))
          e = binary("+", e, values.narrowed(readOf(elementOf(from, i.counter, j.counter)), 200));
        if (isFloat(rangeOf(e, values.scope)->type) && !isFloat(typeOfElement(program, target)))
          e = castTo(ElementType::Int, e);
        body.push_back(assignment(target, e));
      }));
    });
  }

  // B[i][j] += A[k][i] * B[k][j] for k from i + 1 on, and the like: values from before the nest
  // that are overwritten later.
  Stmt inPlace() {
    if (maximumDepth < 3)
      return recurrence();
    std::string b = matrix(true), a = matrix(false);
    Loop i = loop(true);
    return inLoop(i, [&](std::vector<Stmt> &outer) {
      Loop j = tileLoop();
      outer.push_back(inLoop(j, [&](std::vector<Stmt> &middle) {
        Access target{b, {Subscript{}, Subscript{}}, ""};
        target.subscripts[0].affine = Affine(i.counter, 0);
        target.subscripts[1].affine = Affine(j.counter, 0);
        Loop k = loop(true);
        k.lower = Affine(i.counter, random.pick(std::vector<int>{1, 1, 1, 1, 2, 0}));
        k.upper = i.upper;
        middle.push_back(inLoop(k, [&](std::vector<Stmt> &body) {
          Expr left = values.narrowed(readOf(elementOf(a, k.counter, i.counter)), 20),
               right = values.narrowed(readOf(elementOf(b, k.counter, j.counter)), 20);
          Stmt one = accumulation(
              target, random.chance(80) ? "+" : reductionOf(typeOfElement(program, target), true),
              binary("*", left, right));
          body.push_back(random.chance(10) ? guarded(std::move(one)) : std::move(one));
        }));
        if (random.chance(40))
          middle.push_back(assignment(target, binary("+", values.narrowed(readOf(target), 400),
                                                     values.narrowed(valueFor(target, 1), 60))));
      }));
    });
  }

  // for i { for j: R[j] = ...; for j: M[i][j] = R[j]; }: a row that every iteration sets anew, as a
  // rule.
  Stmt rowByRow() {
    if (maximumDepth < 2)
      return recurrence();
    std::string m = matrix(false);
    static const std::vector<Layout> layouts = {Layout::Fixed,    Layout::Global,  Layout::Variable,
                                                Layout::Variable, Layout::Pointer, Layout::Flat};
    Storage row{fmt::format("R{}", counterOfMatrices++),
                type(),
                random.pick(layouts),
                1,
                {},
                random.chance(50),
                false,
                0};
    program.storages.push_back(row);
    Loop i = loop(random.chance(70));
    auto ofRow = [&](const std::string &counter) {
      Access x{row.name, {Subscript{}}, ""};
      x.subscripts[0].affine = Affine(counter, random.chance(10) ? random.between(0, 1) : 0);
      return x;
    };
    return inLoop(i, [&](std::vector<Stmt> &outer) {
      Loop j = loop(true);
      bool isShort = random.chance(15);
      outer.push_back(inLoop(j, [&](std::vector<Stmt> &body) {
        Access target = ofRow(j.counter);
        Stmt one =
            assignment(target, values.narrowed(readOf(elementOf(m, i.counter, j.counter)), 200));
        body.push_back(random.chance(10) ? guarded(std::move(one)) : std::move(one));
        if (maximumDepth > 2 && random.chance(60)) {
          Loop k = tileLoop();
          body.push_back(inLoop(k, [&](std::vector<Stmt> &inner) {
            inner.push_back(accumulation(target, reductionOf(row.type, row.accumulates),
                                         readOf(elementOf(m, i.counter, k.counter))));
          }));
        }
      }));
      if (random.chance(20))
        outer.push_back(statement());
      Loop again = j;
      if (isShort)
        again.upper = {Affine(random.between(2, 6))};
      outer.push_back(inLoop(again, [&](std::vector<Stmt> &body) {
        Access target = random.chance(80) ? elementOf(m, i.counter, again.counter)
                                          : values.written(*array(1, maximumDepth));
        Expr e = values.narrowed(readOf(ofRow(again.counter)), 200);
        if (isFloat(rangeOf(e, values.scope)->type) && !isFloat(typeOfElement(program, target)))
          e = castTo(ElementType::Int, e);
        body.push_back(assignment(target, e));
      }));
    });
  }

  Stmt any() {
    return inLoop(loop(), [&](std::vector<Stmt> &body) { anyBody(body, maximumDepth - 1); });
  }

  Stmt nest() {
    int how = random.below(100);
    if (random.chance(20))
      return random.chance(75) ? product() : crossing();
    if (random.chance(12))
      return random.chance(60) ? rowByRow() : inPlace();
    if (how < 24)
      return elementwise();
    if (how < 42)
      return reduction();
    if (how < 54)
      return recurrence();
    if (how < 64 && maximumDepth > 1)
      return timeLoop();
    if (how < 78)
      return imperfect();
    if (how < 82)
      return closure();
    return any();
  }

  void betweenNests() {
    const Storage *s = array(0, 0);
    if (s)
      program.body.push_back(assignment({s->name, {}, ""}, values.value(1, isFloat(s->type))));
  }

  Random random;
  Program program;
  Values values;
  int maximumDepth = 2;
  int counterOfPrivates = 0, counterOfMatrices = 0;
};

} // namespace

// Programs of neighbouring seeds have the same flags, so that one file can hold several.
static Program withFlags(uint64_t seed) {
  constexpr uint64_t kTogether = 64;
  Random random(Random::mixed(seed / kTogether ^ 0x666c616773));
  Program p;
  p.charIsUnsigned = random.chance(50);
  p.wraps = random.chance(40);
  return p;
}

Program generate(uint64_t seed, const std::string &name) {
  for (uint64_t attempt = 0;; attempt++) {
    Program p = Generator(Random::mixed(seed) + attempt, withFlags(seed), name).run();
    p.seed = seed;
    if (analyse(p).problem.empty())
      return p;
  }
}

} // namespace nw::fuzz
