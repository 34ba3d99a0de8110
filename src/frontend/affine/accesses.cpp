// Access collection and resolution.
#include "frontend/affine/accesses.h"
#include "frontend/affine/polynomial.h"
#include "support/diagnostics.h"
#include <algorithm>

namespace nw {

std::optional<Scope> enterLoop(const Loop &loop, const Scope &scope, AffineReader &reader) {
  isl::ctx ctx = reader.ctx;
  auto start = reader.value(loop.start, scope);
  if (!start)
    return std::nullopt;
  Scope inner = scope;
  int depth = dimsOf(scope.domain);
  inner.counters.push_back(loop.counter);
  isl::set outer = addDims(scope.domain, 1);
  isl::pw_aff first = addInputDims(*start, 1);
  isl::pw_aff counter = dimensionOn(outer.get_space(), depth);
  bool up = loop.step > 0;
  isl::set range = outer.intersect(up ? counter.ge_set(first) : counter.le_set(first));
  if (std::abs(loop.step) > 1) {
    isl::pw_aff zero = constantOn(outer.get_space(), intVal(ctx, 0L));
    range = range.intersect(counter.sub(first).mod(intVal(ctx, std::abs(loop.step))).eq_set(zero));
  }
  inner.domain = range;
  const ExprP &c = loop.condition;
  isl::set taken = range;
  if (c->kind == ExprKind::Binary && c->name == "!=" && std::abs(loop.step) == 1) {
    // i != end: counts up to the end, provided that it starts on the right side of it.
    auto left = reader.value(c->args[0], inner), right = reader.value(c->args[1], inner);
    if (!left || !right)
      return std::nullopt;
    isl::pw_aff distance = left->sub(*right);
    isl::set below = distance.lt_set(constantOn(range.get_space(), intVal(ctx, 0L)));
    isl::set above = distance.gt_set(constantOn(range.get_space(), intVal(ctx, 0L)));
    // The side on which the start lies must shrink with the counter.
    isl::set wanted = up ? below : above;
    isl::set other = up ? above : below;
    isl::set wrong = range.intersect(counter.eq_set(first)).intersect(other);
    if (!mentions(c->args[0], loop.counter) || mentions(c->args[1], loop.counter) || !reader.assumeEmpty(wrong))
      return std::nullopt;
    taken = range.intersect(wanted);
  } else {
    auto holds = reader.condition(c, inner);
    if (!holds)
      return std::nullopt;
    taken = range.intersect(*holds);
    isl::set after = range.subtract(*holds).apply(laterInLast(ctx, depth + 1, up));
    if (!taken.intersect(after).is_empty())
      taken = taken.subtract(after);
  }
  if (!isBoundedDim(taken, depth, true) || !isBoundedDim(taken, depth, false))
    return std::nullopt;
  inner.domain = taken.coalesce();
  // The counter must not wrap: the value after the last one must fit its type. For int that is the user's promise.
  bool promised = loop.type.scalar == Scalar::I32 || loop.type.scalar == Scalar::I64;
  if (!promised) {
    isl::pw_aff next = counter.add(constantOn(outer.get_space(), intVal(ctx, (long)loop.step)));
    isl::pw_aff low = constantOn(outer.get_space(), intVal(ctx, lowestOf(loop.type.scalar)));
    isl::pw_aff high = constantOn(outer.get_space(), intVal(ctx, loop.type.scalar == Scalar::U64 ? highestOf(Scalar::I64) : highestOf(loop.type.scalar)));
    isl::set wraps = next.lt_set(low).unite(next.gt_set(high)).intersect(inner.domain);
    if (!up && isUnsigned(loop.type.scalar)) // i > 0; i-- may step to the type's end only after the last iteration
      wraps = wraps.intersect(next.lt_set(low));
    if (!reader.assumeEmpty(wraps))
      return std::nullopt;
  }
  return inner;
}

namespace {

class Collector {
public:
  Collector(size_t statement, const StmtP &root, const Program &program, const std::set<std::string> &written, AffineReader &reader, int outerDims)
      : statement(statement), program(program), written(written), reader(reader), outerDims(outerDims) {
    walkStmts(root, [&](const StmtP &s) {
      if (s->kind == StmtKind::Declare)
        own.insert(s->name);
    });
  }

  std::vector<RawAccess> found;

  void visit(const StmtP &s, const Scope &scope, bool must) {
    switch (s->kind) {
    case StmtKind::Assign:
      read(s->exprs[1], scope);
      readSubscripts(s->exprs[0], scope);
      access(s->exprs[0], scope, true, must);
      break;
    case StmtKind::Declare:
      for (const ExprP &e : s->exprs)
        read(e, scope);
      break;
    case StmtKind::Block:
      for (const StmtP &b : s->body)
        visit(b, scope, must);
      break;
    case StmtKind::If: {
      read(s->exprs[0], scope);
      Scope yes = scope, no = scope;
      bool known = narrow(s->exprs[0], scope, yes, no);
      guards += !known;
      visit(s->body[0], yes, false);
      if (s->body.size() > 1)
        visit(s->body[1], no, false);
      guards -= !known;
      break;
    }
    case StmtKind::For: {
      read(s->loop.start, scope);
      auto inner = enterLoop(s->loop, scope, reader);
      Scope body = scope;
      if (inner)
        body = *inner;
      else
        body.unknown.insert(s->loop.counter);
      bool known = inner.has_value() && !leavesEarly(s->body[0]);
      guards += !known;
      read(s->loop.condition, body);
      visit(s->body[0], body, false);
      guards -= !known;
      break;
    }
    case StmtKind::While: case StmtKind::DoWhile:
      guards++;
      read(s->exprs[0], scope);
      visit(s->body[0], scope, false);
      guards--;
      break;
    default: break;
    }
  }

private:
  // Splits the scope by a condition; false where the model cannot see it.
  bool narrow(const ExprP &condition, const Scope &scope, Scope &yes, Scope &no) {
    auto c = reader.condition(condition, scope);
    if (!c)
      return false;
    yes.domain = scope.domain.intersect(*c);
    no.domain = scope.domain.subtract(*c);
    return true;
  }

  static bool leavesEarly(const StmtP &s) {
    bool found = false;
    walkStmts(s, [&](const StmtP &x) { found |= x->kind == StmtKind::Break || x->kind == StmtKind::Continue; });
    return found;
  }

  void read(const ExprP &e, const Scope &scope) {
    switch (e->kind) {
    case ExprKind::Var: case ExprKind::Index: case ExprKind::Member:
      readSubscripts(e, scope);
      access(e, scope, false, false);
      return;
    case ExprKind::Select: {
      read(e->args[0], scope);
      Scope yes = scope, no = scope;
      bool known = narrow(e->args[0], scope, yes, no);
      guards += !known;
      read(e->args[1], yes);
      read(e->args[2], no);
      guards -= !known;
      return;
    }
    case ExprKind::Binary:
      if (e->name == "&&" || e->name == "||") {
        read(e->args[0], scope);
        Scope yes = scope, no = scope;
        bool known = narrow(e->args[0], scope, yes, no);
        guards += !known;
        read(e->args[1], e->name == "&&" ? yes : no);
        guards -= !known;
        return;
      }
      [[fallthrough]];
    default:
      for (const ExprP &a : e->args)
        read(a, scope);
    }
  }

  void readSubscripts(const ExprP &place, const Scope &scope) {
    for (const Expr *e = place.get(); e->kind == ExprKind::Index || e->kind == ExprKind::Member; e = e->args[0].get())
      if (e->kind == ExprKind::Index)
        read(e->args[1], scope);
  }

  void access(const ExprP &place, const Scope &scope, bool isWrite, bool isMust) {
    const Expr *base = baseOf(place);
    if (!base || own.count(base->name))
      return;
    auto v = program.region.variables.find(base->name);
    if (v == program.region.variables.end())
      return; // a counter
    bool counter = std::find(scope.counters.begin(), scope.counters.end(), base->name) != scope.counters.end() || scope.unknown.count(base->name);
    if (counter)
      return;
    bool memory = v->second.isArray() || v->second.type.isStruct() || written.count(base->name);
    if (memory)
      found.push_back({statement, base->name, place, scope, outerDims, isWrite, isMust, guards == 0});
  }

  size_t statement;
  const Program &program;
  const std::set<std::string> &written;
  AffineReader &reader;
  int outerDims;
  int guards = 0;            // conditions around that the model cannot see
  std::set<std::string> own; // declared in the body itself
};

int slotsOf(const Program &program, const Type &type);

int slotsOf(const Program &program, const Field &f) {
  int count = slotsOf(program, f.type);
  for (int64_t x : f.extents)
    count *= x;
  return count;
}

int slotsOf(const Program &program, const Type &type) {
  if (!type.isStruct())
    return 1;
  int count = 0;
  for (const Struct &s : program.region.structs)
    if (s.name == type.structName)
      for (const Field &f : s.fields)
        count += slotsOf(program, f);
  return count;
}

// The steps of A[i][j].f[k] from the base outwards.
std::vector<const Expr *> stepsOf(const ExprP &place) {
  std::vector<const Expr *> steps;
  for (const Expr *e = place.get(); e->kind == ExprKind::Index || e->kind == ExprKind::Member; e = e->args[0].get())
    steps.push_back(e);
  std::reverse(steps.begin(), steps.end());
  return steps;
}

class Resolver {
public:
  Resolver(Program &program, AffineReader &reader) : program(program), reader(reader) {}

  void resolve(const std::vector<RawAccess> &raw) {
    std::map<std::string, std::vector<const RawAccess *>> byArray;
    for (const RawAccess &r : raw)
      byArray[r.array].push_back(&r);
    for (auto &[name, list] : byArray) {
      Array &array = program.arrays.at(name);
      std::vector<Monomial> strides = flattened(array, list);
      for (const RawAccess *r : list)
        add(*r, array, strides);
    }
  }

private:
  // Strides of an array that is indexed with a single, flattened subscript; empty when it is not.
  std::vector<Monomial> flattened(Array &array, const std::vector<const RawAccess *> &list) {
    if (array.kind != ArrayKind::Memory || array.extents.size() != 1)
      return {};
    std::vector<Polynomial> polynomials;
    bool needed = false;
    for (const RawAccess *r : list) {
      auto steps = stepsOf(r->place);
      if (steps.empty())
        return {};
      needed |= !reader.value(steps[0]->args[1], r->scope).has_value();
      if (auto p = readPolynomial(steps[0]->args[1], r->scope, reader))
        polynomials.push_back(*p);
    }
    if (!needed || polynomials.empty())
      return {};
    std::vector<Monomial> strides = strideChain(polynomials);
    if (strides.empty())
      return {};
    for (size_t k = 0; k < strides.size(); k++) {
      Monomial size = k + 1 < strides.size() ? *quotient(strides[k], strides[k + 1]) : strides[k];
      ExprP product;
      for (const std::string &f : size) {
        ExprP factor;
        for (auto &p : reader.parameters)
          if (p.name == f)
            factor = cast(p.value, kI64);
        product = product ? binary("*", product, factor, kI64) : factor;
      }
      array.flatSizes.push_back(product);
    }
    return strides;
  }

  std::optional<std::vector<isl::pw_aff>> flatSubscripts(const RawAccess &r, const Array &array, const std::vector<Monomial> &strides,
                                                         const ExprP &subscript) {
    auto p = readPolynomial(subscript, r.scope, reader);
    auto parts = p ? split(*p, strides, r.scope) : std::nullopt;
    if (!parts)
      return std::nullopt;
    for (size_t k = 1; k < parts->size(); k++) {
      auto size = reader.value(array.flatSizes[k - 1], r.scope);
      if (!size)
        return std::nullopt;
      isl::pw_aff zero = constantOn(r.scope.domain.get_space(), intVal(reader.ctx, 0L));
      isl::set bad = (*parts)[k].lt_set(zero).unite((*parts)[k].ge_set(*size)).intersect(r.scope.domain);
      if (!reader.assumeEmpty(bad))
        return std::nullopt;
    }
    return parts;
  }

  static isl::map oneDimension(const isl::set &domain, const std::optional<isl::pw_aff> &value) {
    if (value)
      return isl::manage(isl_map_from_pw_aff(value->copy())).intersect_domain(domain);
    isl::set line = isl::set::universe(anonymousSpace(domain.ctx(), 1));
    return isl::manage(isl_map_from_domain_and_range(domain.copy(), line.release()));
  }

  // D -> [x] with low <= x < high.
  static isl::map interval(const isl::set &domain, const isl::pw_aff &low, const isl::pw_aff &high) {
    isl::map all = oneDimension(domain, std::nullopt);
    isl::map from = isl::manage(isl_map_from_pw_aff(low.copy())), to = isl::manage(isl_map_from_pw_aff(high.copy()));
    isl::map le(domain.ctx(), "{ [a] -> [b] : b >= a }"), lt(domain.ctx(), "{ [a] -> [b] : b < a }");
    return all.intersect(from.apply_range(le)).intersect(to.apply_range(lt));
  }

  void add(const RawAccess &r, Array &array, const std::vector<Monomial> &strides) {
    const isl::set &domain = r.scope.domain;
    isl::space space = domain.get_space();
    isl::map relation = isl::manage(isl_map_from_domain_and_range(domain.copy(), isl_set_universe(anonymousSpace(reader.ctx, 0).release())));
    bool exact = true;
    auto append = [&](const isl::map &m) { relation = isl::manage(isl_map_flat_range_product(relation.copy(), m.copy())); };
    for (int k = 0; k < array.privateDepth; k++)
      append(oneDimension(domain, dimensionOn(space, k)));
    auto steps = stepsOf(r.place);
    size_t used = 0;
    if (!strides.empty()) {
      auto parts = flatSubscripts(r, array, strides, steps[0]->args[1]);
      for (size_t k = 0; k <= strides.size(); k++) {
        append(oneDimension(domain, parts ? std::optional((*parts)[k]) : std::nullopt));
        exact &= parts.has_value();
      }
      used = 1;
    } else {
      for (size_t k = 0; k < array.extents.size(); k++) {
        std::optional<isl::pw_aff> subscript;
        bool given = used < steps.size() && steps[used]->kind == ExprKind::Index;
        if (given)
          subscript = reader.value(steps[used++]->args[1], r.scope);
        exact &= subscript.has_value();
        std::optional<isl::pw_aff> extent;
        if (array.extents[k] && (!subscript || k > 0))
          extent = reader.value(array.extents[k], r.scope);
        if (subscript && extent && array.kind == ArrayKind::Memory && r.isCertain)
          keepInRow(*subscript, *extent, r, array);
        if (subscript)
          extent.reset();
        if (extent)
          append(interval(domain, constantOn(space, intVal(reader.ctx, 0L)), *extent));
        else
          append(oneDimension(domain, subscript));
      }
    }
    if (array.slots)
      append(slotRange(r, array, steps, used, exact));
    relation = namedOutput(relation, array.name);
    int inner = dimsOf(domain) - r.outerDims;
    if (inner > 0)
      relation = projectOutInputs(relation, r.outerDims, inner);
    Statement &s = program.statements[r.statement];
    relation = namedInput(relation, s.name).intersect_domain(s.domain).coalesce();
    bool must = r.isMust && exact && inner == 0;
    for (Access &a : s.accesses)
      if (a.array == array.name && a.isWrite == r.isWrite && a.isMust == must && a.isCertain == r.isCertain && a.relation.is_equal(relation)) {
        a.places.push_back(r.place);
        return;
      }
    s.accesses.push_back({array.name, relation, r.isWrite, r.isCertain, must, {r.place}});
  }

  // An inner subscript beyond its extent would name an element of another row: the model takes rows for separate.
  void keepInRow(const isl::pw_aff &subscript, const isl::pw_aff &extent, const RawAccess &r, const Array &array) {
    isl::pw_aff zero = constantOn(r.scope.domain.get_space(), intVal(reader.ctx, 0L));
    isl::set outside = subscript.lt_set(zero).unite(subscript.ge_set(extent)).intersect(r.scope.domain);
    if (!reader.assumeEmpty(outside))
      throw Diagnostic{"NW0207", Severity::Remark, r.place->at, "a subscript of '" + array.variable.spelling + "' leaves its row", "index the row that is meant, or declare the array with one dimension"};
  }

  // The scalars of the struct that the rest of the steps reach.
  isl::map slotRange(const RawAccess &r, const Array &array, const std::vector<const Expr *> &steps, size_t used, bool &exact) {
    isl::space space = r.scope.domain.get_space();
    isl::pw_aff first = constantOn(space, intVal(reader.ctx, 0L));
    Type type = array.variable.type;
    const Field *field = nullptr;
    size_t fieldDim = 0;
    int width = slotsOf(program, type);
    for (; used < steps.size(); used++) {
      if (steps[used]->kind == ExprKind::Member) {
        int offset = 0;
        for (const Struct &s : program.region.structs)
          if (s.name == type.structName)
            for (const Field &f : s.fields) {
              if (f.name == steps[used]->name) {
                field = &f;
                break;
              }
              offset += slotsOf(program, f);
            }
        first = first.add(constantOn(space, intVal(reader.ctx, (long)offset)));
        type = field->type;
        width = slotsOf(program, *field);
        fieldDim = 0;
      } else {
        width /= field->extents[fieldDim++];
        auto subscript = reader.value(steps[used]->args[1], r.scope);
        if (!subscript) { // anywhere in the field
          exact = false;
          width *= field->extents[fieldDim - 1];
          for (size_t k = fieldDim; k < field->extents.size(); k++)
            used++;
          used = std::min(used, steps.size());
          break;
        }
        first = first.add(isl::manage(isl_pw_aff_scale_val(subscript->copy(), intVal(reader.ctx, (long)width).release())));
      }
    }
    exact &= width == 1;
    if (width == 1)
      return oneDimension(r.scope.domain, first);
    return interval(r.scope.domain, first, first.add(constantOn(space, intVal(reader.ctx, (long)width))));
  }

  Program &program;
  AffineReader &reader;
};

} // namespace

// Whether the body may read the scalar before it has assigned it. `assigned` is updated to the end of the statement.
static bool readsFirst(const StmtP &s, const std::string &name, bool &assigned) {
  auto reads = [&](const ExprP &e) { return e && !assigned && mentions(e, name); };
  switch (s->kind) {
  case StmtKind::Assign: {
    bool isTarget = s->exprs[0]->kind == ExprKind::Var && s->exprs[0]->name == name;
    if (reads(s->exprs[1]) || (!isTarget && reads(s->exprs[0])))
      return true;
    assigned |= isTarget;
    return false;
  }
  case StmtKind::If: {
    if (reads(s->exprs[0]))
      return true;
    bool yes = assigned, no = assigned;
    if (readsFirst(s->body[0], name, yes) || (s->body.size() > 1 && readsFirst(s->body[1], name, no)))
      return true;
    assigned = yes && no;
    return false;
  }
  case StmtKind::For: case StmtKind::While: case StmtKind::DoWhile: {
    if (reads(s->loop.start) || reads(s->loop.condition))
      return true;
    for (const ExprP &e : s->exprs)
      if (reads(e))
        return true;
    bool inside = assigned; // perhaps the body never runs: nothing is certain after it
    return readsFirst(s->body[0], name, inside);
  }
  default:
    for (const ExprP &e : s->exprs)
      if (reads(e))
        return true;
    for (const StmtP &b : s->body)
      if (readsFirst(b, name, assigned))
        return true;
    return false;
  }
}

std::vector<RawAccess> collectAccesses(size_t statement, const StmtP &body, const Scope &scope, const Program &program,
                                       const std::set<std::string> &written, AffineReader &reader) {
  Collector c(statement, body, program, written, reader, dimsOf(scope.domain));
  c.visit(body, scope, true);
  // A scalar that the body always sets before it reads it takes nothing over from elsewhere.
  std::erase_if(c.found, [&](const RawAccess &a) {
    bool assigned = false;
    return !a.isWrite && a.place->kind == ExprKind::Var && !a.place->type.isStruct() && !readsFirst(body, a.array, assigned);
  });
  return c.found;
}

void resolveAccesses(Program &program, const std::vector<RawAccess> &raw, AffineReader &reader) {
  for (const RawAccess &r : raw) {
    Array &array = program.arrays.at(r.array);
    if (array.variable.type.isStruct())
      array.slots = slotsOf(program, array.variable.type);
  }
  Resolver(program, reader).resolve(raw);
}

} // namespace nw
