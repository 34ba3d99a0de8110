// Access maps, and the shapes of arrays that all of their accesses agree with.
#include "frontend/affine/accesses.h"
#include "frontend/affine/polynomial.h"
#include "ir/flat_subscript.h"
#include "support/diagnostics.h"
#include "support/linear_sum.h"
#include <algorithm>
#include <climits>
#include <cstdlib>

namespace nw {

namespace {

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
std::vector<const Expr *> stepsOf(const ExprP &element) {
  std::vector<const Expr *> steps;
  for (const Expr *e = element.get(); e->kind == ExprKind::Index || e->kind == ExprKind::Member;
       e = e->args[0].get())
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
      Rows rows = flattened(array, list);
      for (const RawAccess *r : list)
        add(*r, array, rows);
    }
  }

private:
  // How a single, flattened subscript is taken apart; nothing for other arrays.
  struct Rows {
    std::vector<Monomial> strides; // products of parameters and other factors
    WholeFactors whole;            // that they are made of
    bool areConstant = false;      // rows of constant length: no strides, and nothing to assume
  };

  Rows flattened(Array &array, const std::vector<const RawAccess *> &list) {
    if (array.kind != ArrayKind::Memory || array.extents.size() != 1)
      return {};
    bool needed = false;
    for (const RawAccess *r : list) {
      auto steps = stepsOf(r->element);
      if (steps.empty())
        return {};
      needed |= !reader.value(steps[0]->args[1], r->scope).has_value();
    }
    if (!needed)
      return constantRows(array, list);
    // Sums as they are written, then multiplied out; numbers as sizes only where subscripts never
    // stay in their rows without.
    Rows first;
    for (bool withNumbers : {false, true})
      for (bool areWhole : {true, false}) {
        Rows rows = strided(list, areWhole, withNumbers);
        if (rows.strides.empty() || (withNumbers && !areWhole))
          continue;
        if (first.strides.empty())
          first = rows;
        array.flatSizes = sizesOf(rows);
        if (std::none_of(list.begin(), list.end(),
                         [&](const RawAccess *r) { return isHopeless(*r, array, rows); }))
          return rows;
      }
    array.flatSizes = sizesOf(first);
    return first;
  }

  Rows strided(const std::vector<const RawAccess *> &list, bool areWhole, bool withNumbers) {
    Rows rows;
    rows.whole.withNumbers = withNumbers;
    std::vector<Polynomial> polynomials;
    for (const RawAccess *r : list)
      if (auto p = readPolynomial(stepsOf(r->element)[0]->args[1], r->scope, reader,
                                  areWhole ? &rows.whole : nullptr))
        polynomials.push_back(*p);
    rows.strides = strideChain(polynomials);
    return rows;
  }

  // A sum of 64 bits without a sign is the same one with a sign: no row has as many elements that
  // it would matter.
  static ExprP withSign(const ExprP &sum) {
    return rewrite(sum, [](const ExprP &e) {
      return e->kind == ExprKind::Binary && e->type.scalar == Scalar::U64
                 ? binary(e->name, cast(e->args[0], kI64), cast(e->args[1], kI64), kI64)
                 : e;
    });
  }

  std::vector<ExprP> sizesOf(const Rows &rows) const {
    std::vector<ExprP> sizes;
    const std::vector<Monomial> &strides = rows.strides;
    for (size_t k = 0; k < strides.size(); k++) {
      Monomial size = k + 1 < strides.size() ? *quotient(strides[k], strides[k + 1]) : strides[k];
      ExprP product;
      for (const std::string &f : size) {
        ExprP factor;
        for (auto &p : reader.parameters)
          if (p.name == f)
            factor = cast(p.value, kI64);
        if (auto found = rows.whole.found.find(f); found != rows.whole.found.end())
          factor = cast(withSign(found->second), kI64);
        product = product ? binary("*", product, factor, kI64) : factor;
      }
      sizes.push_back(product);
    }
    return sizes;
  }

  // Rows of constant length, A[i * 1024 + j], where no subscript leaves them: as one subscript all
  // are affine too, so that there is nothing to be gained from assuming it.
  Rows constantRows(Array &array, const std::vector<const RawAccess *> &list) {
    std::set<int64_t, std::greater<int64_t>> strides;
    bool hasElement = false; // some subscript runs along a row
    for (const RawAccess *r : list) {
      auto value = reader.value(stepsOf(r->element)[0]->args[1], r->scope);
      if (isl_pw_aff_n_piece(value->get()) != 1 || (array.extents[0] && !r->isCertain))
        return {};
      isl::aff aff = isl::manage(isl_pw_aff_as_aff(value->copy()));
      std::optional<std::vector<int64_t>> factors = coefficientsOf(aff, isl_dim_in);
      if (!factors || std::count(factors->begin(), factors->end(), LONG_MIN))
        return {};
      for (int64_t factor : *factors) {
        if (std::abs(factor) > 1)
          strides.insert(std::abs(factor));
        hasElement |= std::abs(factor) == 1;
      }
    }
    if (!hasElement || strides.empty())
      return {};
    std::vector<ExprP> sizes;
    for (auto s = strides.begin(); s != strides.end(); s++) {
      int64_t next = std::next(s) == strides.end() ? 1 : *std::next(s);
      if (*s % next != 0)
        sizes.clear();
      else
        sizes.push_back(intConst(*s / next));
    }
    while (!sizes.empty() && !std::all_of(list.begin(), list.end(), [&](const RawAccess *r) {
      return constantSubscripts(*r, sizes).has_value();
    }))
      sizes.erase(sizes.begin());
    array.flatSizes = sizes;
    Rows rows;
    rows.areConstant = !sizes.empty();
    return rows;
  }

  // Nothing where one leaves its row.
  std::optional<std::vector<isl::pw_aff>> constantSubscripts(const RawAccess &r,
                                                             const std::vector<ExprP> &sizes) {
    std::vector<isl::pw_aff> parts;
    isl::set valid =
        r.scope.domain.intersect_params(reader.context()).intersect_params(reader.assumptions());
    for (const ExprP &e : splitSubscript(stepsOf(r.element)[0]->args[1], sizes)) {
      auto part = reader.value(e, r.scope);
      if (!part)
        return std::nullopt;
      if (!parts.empty()) {
        isl::pw_aff zero = constantOn(r.scope.domain.get_space(), intVal(reader.ctx, 0L)),
                    size = constantOn(r.scope.domain.get_space(),
                                      intVal(reader.ctx, long(sizes[parts.size() - 1]->integer)));
        if (!valid.is_subset(part->ge_set(zero).intersect(part->lt_set(size))))
          return std::nullopt;
      }
      parts.push_back(*part);
    }
    return parts;
  }

  std::optional<std::vector<isl::pw_aff>> flatSubscripts(const RawAccess &r, const Array &array,
                                                         const Rows &rows, const ExprP &subscript) {
    if (rows.areConstant)
      return constantSubscripts(r, array.flatSizes);
    auto parts = stridedSubscripts(r, rows, subscript);
    if (!parts)
      return std::nullopt;
    for (size_t k = 1; k < parts->size(); k++) {
      auto bad = outsideOf((*parts)[k], array.flatSizes[k - 1], r);
      if (!bad || !reader.assumeEmpty(*bad))
        return std::nullopt;
    }
    return parts;
  }

  std::optional<std::vector<isl::pw_aff>> stridedSubscripts(const RawAccess &r, const Rows &rows,
                                                            const ExprP &subscript) {
    WholeFactors again;
    again.withNumbers = rows.whole.withNumbers;
    auto whole =
        readPolynomial(subscript, r.scope, reader, rows.whole.found.empty() ? nullptr : &again);
    auto p =
        whole ? multipliedOut(*whole, rows.strides, rows.whole, r.scope, reader) : std::nullopt;
    return p ? split(*p, rows.strides, r.scope) : std::nullopt;
  }

  // The points at which a subscript leaves a row of this length.
  std::optional<isl::set> outsideOf(const isl::pw_aff &subscript, const ExprP &size,
                                    const RawAccess &r) {
    auto most = reader.value(size, r.scope);
    if (!most)
      return std::nullopt;
    isl::pw_aff zero = constantOn(r.scope.domain.get_space(), intVal(reader.ctx, 0L));
    return subscript.lt_set(zero).unite(subscript.ge_set(*most)).intersect(r.scope.domain);
  }

  // Whether the access leaves its rows whatever the sizes, if there is any.
  bool isHopeless(const RawAccess &r, const Array &array, const Rows &rows) {
    auto parts = stridedSubscripts(r, rows, stepsOf(r.element)[0]->args[1]);
    for (size_t k = 1; parts && k < parts->size(); k++)
      if (auto bad = outsideOf((*parts)[k], array.flatSizes[k - 1], r);
          bad && onlyParams(r.scope.domain).intersect(reader.context()).is_subset(onlyParams(*bad)))
        return true;
    return false;
  }

  static isl::map oneDimension(const isl::set &domain, const std::optional<isl::pw_aff> &value) {
    if (value)
      return isl::manage(isl_map_from_pw_aff(value->copy())).intersect_domain(domain);
    isl::set line = isl::set::universe(anonymousSpace(domain.ctx(), 1));
    return isl::manage(isl_map_from_domain_and_range(domain.copy(), line.release()));
  }

  // D -> [x] with low <= x < high.
  static isl::map interval(const isl::set &domain, const isl::pw_aff &low,
                           const isl::pw_aff &high) {
    isl::map all = oneDimension(domain, std::nullopt);
    isl::map from = isl::manage(isl_map_from_pw_aff(low.copy())),
             to = isl::manage(isl_map_from_pw_aff(high.copy()));
    isl::map le(domain.ctx(), "{ [a] -> [b] : b >= a }"),
        lt(domain.ctx(), "{ [a] -> [b] : b < a }");
    return all.intersect(from.apply_range(le)).intersect(to.apply_range(lt));
  }

  void add(const RawAccess &r, Array &array, const Rows &rows) {
    const isl::set &domain = r.scope.domain;
    isl::space space = domain.get_space();
    isl::map relation = isl::manage(isl_map_from_domain_and_range(
        domain.copy(), isl_set_universe(anonymousSpace(reader.ctx, 0).release())));
    bool exact = true;
    auto append = [&](const isl::map &m) {
      relation = isl::manage(isl_map_flat_range_product(relation.copy(), m.copy()));
    };
    for (int k = 0; k < array.privateDepth; k++)
      append(oneDimension(domain, dimensionOn(space, k)));
    auto steps = stepsOf(r.element);
    size_t used = 0;
    if (!array.flatSizes.empty()) {
      auto parts = flatSubscripts(r, array, rows, steps[0]->args[1]);
      for (size_t k = 0; k <= array.flatSizes.size(); k++) {
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
      if (a.array == array.name && a.isWrite == r.isWrite && a.isMust == must &&
          a.isCertain == r.isCertain && a.relation.is_equal(relation)) {
        a.spellings.push_back(r.element);
        return;
      }
    s.accesses.push_back({array.name, relation, r.isWrite, r.isCertain, must, {r.element}});
  }

  // An inner subscript beyond its extent would name an element of another row: the model takes rows
  // for separate.
  void keepInRow(const isl::pw_aff &subscript, const isl::pw_aff &extent, const RawAccess &r,
                 const Array &array) {
    isl::pw_aff zero = constantOn(r.scope.domain.get_space(), intVal(reader.ctx, 0L));
    isl::set outside =
        subscript.lt_set(zero).unite(subscript.ge_set(extent)).intersect(r.scope.domain);
    if (!reader.assumeEmpty(outside))
      throw Diagnostic{"NW0207", Severity::Remark, r.element->at,
                       "a subscript of '" + array.variable.spelling + "' leaves its row",
                       "index the row that is meant, or declare the array with one dimension"};
  }

  // The scalars of the struct that the rest of the steps reach.
  isl::map slotRange(const RawAccess &r, const Array &array, const std::vector<const Expr *> &steps,
                     size_t used, bool &exact) {
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
        first = first.add(isl::manage(
            isl_pw_aff_scale_val(subscript->copy(), intVal(reader.ctx, (long)width).release())));
      }
    }
    exact &= width == 1;
    if (width == 1)
      return oneDimension(r.scope.domain, first);
    return interval(r.scope.domain, first,
                    first.add(constantOn(space, intVal(reader.ctx, (long)width))));
  }

  Program &program;
  AffineReader &reader;
};

} // namespace

void resolveAccesses(Program &program, const std::vector<RawAccess> &raw, AffineReader &reader) {
  for (const RawAccess &r : raw) {
    Array &array = program.arrays.at(r.array);
    if (array.variable.type.isStruct())
      array.slots = slotsOf(program, array.variable.type);
  }
  Resolver(program, reader).resolve(raw);
}

} // namespace nw
