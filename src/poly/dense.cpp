// Sides of bands, and steps.
#include "poly/dense.h"
#include "poly/movement.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <isl/constraint.h>

namespace nw {

namespace {

// factor * d >= the rest: a bound of the last dimension of a set, from below where the factor is 1,
// from above where it is -1.
struct Bound {
  bool isLow;
  std::vector<long> along;  // factors of the dimensions before, in the constraint
  std::vector<long> others; // those of parameters and of loops around
  bool isExact = true;      // all factors are numbers of the machine, and no divisions

  bool dependsOnOthers() const {
    return std::any_of(along.begin(), along.end(), [](long factor) { return factor != 0; });
  }
};

long coefficient(isl_constraint *c, isl_dim_type kind, int k, bool &isExact) {
  std::optional<long> value = longOf(isl::manage(isl_constraint_get_coefficient_val(c, kind, k)));
  isExact &= value && std::abs(*value) < (1 << 20);
  return value.value_or(0);
}

// The set's dimensions: loops around the step, then parallel ones, of which the last is asked for.
std::vector<Bound> boundsOfLast(const isl::set &values, int around) {
  std::vector<Bound> bounds;
  isl_basic_set *hull = isl_set_simple_hull(isl_set_remove_divs(values.copy()));
  isl_constraint_list *all = isl_basic_set_get_constraint_list(hull);
  int last = dimsOf(values) - 1;
  for (int n = 0; n < isl_constraint_list_size(all); n++) {
    isl_constraint *c = isl_constraint_list_get_constraint(all, n);
    Bound bound;
    long factor = coefficient(c, isl_dim_set, last, bound.isExact);
    bound.isExact &= isl_constraint_dim(c, isl_dim_div) == 0 && std::abs(factor) <= 1;
    for (int k = 0; k < isl_constraint_dim(c, isl_dim_param); k++)
      bound.others.push_back(coefficient(c, isl_dim_param, k, bound.isExact));
    for (int k = 0; k < around; k++)
      bound.others.push_back(coefficient(c, isl_dim_set, k, bound.isExact));
    for (int k = around; k < last; k++)
      bound.along.push_back(coefficient(c, isl_dim_set, k, bound.isExact));
    for (int side = 1; side >= -1 && factor != 0; side -= 2)
      if (factor == side || isl_constraint_is_equality(c) == isl_bool_true) {
        Bound one = bound;
        one.isLow = side == 1;
        if (factor != side)
          for (std::vector<long> *factors : {&one.along, &one.others})
            std::ranges::transform(*factors, factors->begin(), std::negate<>());
        bounds.push_back(one);
      }
    isl_constraint_free(c);
  }
  isl_constraint_list_free(all);
  isl_basic_set_free(hull);
  return bounds;
}

bool cancel(const std::vector<long> &a, const std::vector<long> &b) {
  return std::ranges::equal(a, b, [](long x, long y) { return x == -y; });
}

// The side of the band that the last dimension runs along: factors of the others, or nothing where
// it has bounds of its own that are as good.
std::vector<long> sideOfBand(const isl::set &values, int around) {
  std::vector<Bound> bounds = boundsOfLast(values, around);
  if (!std::ranges::all_of(bounds, &Bound::isExact))
    return {};
  bool isInBox = !std::ranges::all_of(bounds, &Bound::dependsOnOthers);
  std::vector<long> side;
  for (const Bound &low : bounds)
    for (const Bound &high : bounds) {
      if (!low.isLow || high.isLow || !cancel(low.along, high.along))
        continue;
      bool isNarrow = cancel(low.others, high.others);
      if (isNarrow && !low.dependsOnOthers())
        return {};
      if (low.dependsOnOthers() && (isNarrow || !isInBox))
        side = low.along;
    }
  return side;
}

isl::set valuesOf(const Program &program, const Step &step, size_t parallel) {
  isl::set all;
  for (const Statement &s : program.statements) {
    if (!std::ranges::count(step.statements, s.name))
      continue;
    isl::map position = isl::manage(isl_map_from_domain_and_range(
        s.domain.copy(), isl_set_universe(anonymousSpace(s.domain.ctx(), 0).release())));
    auto add = [&](const Dimension &d) {
      for (const isl::map &m : mapsOf(d.value))
        if (inputTupleOf(m) == s.name)
          position = isl::manage(isl_map_flat_range_product(position.release(), m.copy()));
    };
    std::for_each(step.around.begin(), step.around.end(), add);
    std::for_each(step.parallel.begin(), step.parallel.begin() + long(parallel) + 1, add);
    isl::set values = position.range();
    all = all.is_null() ? values : all.unite(values);
  }
  return all.intersect_params(program.context.intersect(program.assumptions));
}

// The dimension's values, less so many times those of the dimensions before it.
Dimension countedFrom(const Step &step, size_t number, const std::vector<long> &along) {
  std::vector<std::string> names;
  std::string sum = fmt::format("x{}", number), name = step.parallel[number].name + "_from";
  isl::union_map all = step.parallel[0].value;
  for (size_t k = 0; k <= number; k++) {
    names.push_back(fmt::format("x{}", k));
    if (k > 0)
      all = isl::manage(
          isl_union_map_flat_range_product(all.release(), step.parallel[k].value.copy()));
    if (k < number && along[k]) {
      sum += fmt::format(" + {} * x{}", along[k], k);
      name += "_" + step.parallel[k].name;
    }
  }
  isl::union_map less(all.ctx(), fmt::format("{{ [{}] -> [{}] }}", fmt::join(names, ", "), sum));
  return {name, all.apply_range(less)};
}

// Values from a number on, which only parameters change, in steps that are longer than 1.
struct Steps {
  long length;
  isl::aff first;
};

std::optional<Steps> stepsOf(const isl::set &values) {
  isl_stride_info *info = isl_set_get_stride_info(values.get(), 0);
  std::optional<long> length = longOf(isl::manage(isl_stride_info_get_stride(info)));
  isl::aff first = isl::manage(isl_stride_info_get_offset(info));
  isl_stride_info_free(info);
  if (!length || *length <= 1 ||
      isl_aff_involves_dims(first.get(), isl_dim_in, 0, 1) == isl_bool_true)
    return std::nullopt;
  if (isl_aff_is_cst(first.get()) == isl_bool_true)
    first = isl::manage(isl_aff_mod_val(first.release(), intVal(values.ctx(), *length).release()));
  return Steps{*length, first};
}

Dimension countedIn(const Steps &steps, const Dimension &d) {
  isl_local_space *space = isl_aff_get_domain_local_space(steps.first.get());
  isl_val *length = isl_val_int_from_si(isl_aff_get_ctx(steps.first.get()), steps.length);
  isl::aff moved =
      isl::manage(isl_aff_scale_val(isl_aff_var_on_domain(space, isl_dim_set, 0), length));
  isl::map valueOf = isl::manage(isl_map_from_aff(moved.add(steps.first).release()));
  return {fmt::format("{}_by_{}", d.name, steps.length),
          d.value.apply_range(isl::union_map(valueOf.reverse()))};
}

// Whether the other dimensions say what the value of this one is, as those inside of a tile that
// the source has.
bool followsFromOthers(const isl::set &values, int dimension) {
  isl_map *byOthers = isl_map_from_range(values.copy());
  byOthers = isl_map_move_dims(byOthers, isl_dim_in, 0, isl_dim_out, 0, unsigned(dimension));
  isl::map all =
      isl::manage(isl_map_move_dims(byOthers, isl_dim_in, unsigned(dimension), isl_dim_out, 1,
                                    unsigned(dimsOf(values) - dimension - 1)));
  return all.is_single_valued();
}

bool isKnown(const Program &program, const Step &step, const std::string &name) {
  auto isCalled = [&](const Dimension &d) { return d.name == name; };
  return program.region.variables.count(name) ||
         std::any_of(step.around.begin(), step.around.end(), isCalled) ||
         std::any_of(step.parallel.begin(), step.parallel.end(), isCalled);
}

isl::set ownValues(const Program &program, const Step &step, size_t number) {
  return projectOut(valuesOf(program, step, number), 0, int(step.around.size() + number));
}

void dropTiles(const Program &program, Step &step) {
  for (size_t k = step.parallel.size(); k-- > 0 && step.parallel.size() > 1;)
    if (stepsOf(ownValues(program, step, k)) &&
        followsFromOthers(valuesOf(program, step, step.parallel.size() - 1),
                          int(step.around.size() + k)))
      step.parallel.erase(step.parallel.begin() + long(k));
}

// The times of a step's threads, without names, as one set.
isl::set timesOf(const Step &step) {
  isl::set all;
  for (const isl::set &one : setsOf(step.inside.range()))
    all = all.is_null() ? unnamed(one) : all.unite(unnamed(one));
  return all;
}

bool isConstant(const isl::set &times, int dimension) {
  isl::val value = isl::manage(isl_set_plain_get_val_if_fixed(times.get(), isl_dim_set, dimension));
  return value.is_int();
}

// Whether times are in the same order without the first of two dimensions, with nothing that
// changes between them.
bool isSameOrderWithout(const isl::set &times, int first, int second) {
  isl::set upTo = projectOut(times, second + 1, dimsOf(times) - second - 1);
  upTo = projectOut(upTo, first + 1, second - first - 1);
  isl_map *swapped = isl_map_from_domain_and_range(upTo.copy(), upTo.copy());
  for (int k = 0; k < first; k++)
    swapped = isl_map_equate(swapped, isl_dim_in, k, isl_dim_out, k);
  swapped = isl_map_order_lt(swapped, isl_dim_in, first, isl_dim_out, first);
  swapped = isl_map_order_ge(swapped, isl_dim_in, first + 1, isl_dim_out, first + 1);
  return isl::manage(swapped).is_empty();
}

// Strips of a thread's loops that the source has: k from kk on, for every kk.
void dropStrips(Step &step) {
  isl::set times = timesOf(step);
  for (int k = dimsOf(times) - 1; k-- > 0;) {
    if (isConstant(times, k) ||
        !stepsOf(projectOut(projectOut(times, k + 1, dimsOf(times) - k - 1), 0, k)))
      continue;
    int next = k + 1;
    while (next < dimsOf(times) - 1 && isConstant(times, next))
      next++;
    if (!isSameOrderWithout(times, k, next))
      continue;
    isl_map *without = isl_map_identity(isl_space_map_from_set(isl_set_get_space(times.get())));
    without = isl_map_drop_constraints_involving_dims(without, isl_dim_out, unsigned(k), 1);
    step.inside = step.inside.apply_range(
        isl::union_map(isl::manage(isl_map_fix_si(without, isl_dim_out, unsigned(k), 0))));
    times = timesOf(step);
  }
}

// Values of a dimension, where they are a few numbers one after the other whatever the sizes are.
struct Numbers {
  long first, many;
};

std::optional<Numbers> fewNumbers(const isl::set &own) {
  constexpr long kMost = 32;
  std::optional<long> low = longOf(isl::manage(isl_set_dim_min_val(own.copy(), 0))),
                      high = longOf(isl::manage(isl_set_dim_max_val(own.copy(), 0)));
  if (!low || !high || *high <= *low || *high - *low >= kMost)
    return std::nullopt;
  return Numbers{*low, *high - *low + 1};
}

// How far the element is in memory, where the sizes of the array say; a row is farther than any
// number of elements where they do not.
std::optional<int64_t> distanceOf(const Array &array, const std::vector<int64_t> &moved) {
  int64_t distance = 0, size = 1;
  for (size_t k = moved.size(); k-- > 0;) {
    if (size == 0 && moved[k] != 0)
      return std::nullopt;
    distance += moved[k] * size;
    bool isKnown =
        k < array.extents.size() && array.extents[k] && array.extents[k]->kind == ExprKind::Int;
    size *= isKnown ? array.extents[k]->integer : 0;
  }
  return distance;
}

// Whether the inner dimension runs through rows of elements that the step writes, and one step
// along the outer one leads to the next row.
bool areRows(const Program &program, const Step &step, size_t outer, size_t inner, long many) {
  bool writesNext = false;
  for (const std::string &name : step.statements) {
    const Statement &s = *program.find(name);
    for (const Access &a : s.accesses) {
      const Array &array = program.arrays.at(a.array);
      if (array.kind != ArrayKind::Memory || array.isScalar())
        continue;
      auto byOuter = movement(s, a, step, outer), byInner = movement(s, a, step, inner);
      if (!byOuter || !byInner)
        return false;
      std::vector<int64_t> rest;
      for (size_t k = 0; k < byOuter->size(); k++)
        rest.push_back((*byOuter)[k] - many * (*byInner)[k]);
      writesNext |= a.isWrite && distanceOf(array, rest) == 0 && distanceOf(array, *byInner) == 1;
    }
  }
  return writesNext;
}

// many * outer + inner - first, in the outer one's place.
void join(const Program &program, Step &step, size_t outer, size_t inner, Numbers numbers) {
  Dimension &to = step.parallel[outer], &from = step.parallel[inner];
  isl::union_map both =
      isl::manage(isl_union_map_flat_range_product(to.value.copy(), from.value.copy()));
  isl::union_map sum(both.ctx(),
                     fmt::format("{{ [a, b] -> [{} * a + b - {}] }}", numbers.many, numbers.first));
  Dimension joined{to.name + "_" + from.name, both.apply_range(sum)};
  while (isKnown(program, step, joined.name))
    joined.name += "_";
  to = joined;
  step.parallel.erase(step.parallel.begin() + long(inner));
}

// Whether threads run through loops.
bool hasLoops(const Step &step) {
  for (const isl::map &one : mapsOf(step.inside)) {
    isl::set times = one.range();
    for (int k = 0; k < dimsOf(times); k++)
      if (!isConstant(times, k))
        return true;
  }
  return false;
}

// Rows of a few values (x[n][3]) and the values in a row are one loop over memory. Where the values
// are an even number, rows have wide accesses instead.
void joinRows(const Program &program, Step &step) {
  for (size_t inner = 0; inner < step.parallel.size(); inner++) {
    std::optional<Numbers> numbers = fewNumbers(ownValues(program, step, inner));
    for (size_t outer = 0; numbers && numbers->many % 2 == 1 && outer < step.parallel.size();
         outer++)
      if (outer != inner && areRows(program, step, outer, inner, numbers->many))
        return join(program, step, outer, inner, *numbers);
  }
}

} // namespace

void countDensely(const Program &program, Step &step) {
  for (Step &child : step.children)
    countDensely(program, child);
  if (step.kind != StepKind::Parallel && step.kind != StepKind::Reduction)
    return;
  dropTiles(program, step);
  if (step.kind == StepKind::Parallel)
    dropStrips(step);
  // From the last one on: those before a dimension are as they were.
  for (size_t k = step.parallel.size(); k-- > 0;) {
    auto take = [&](Dimension counted) {
      while (isKnown(program, step, counted.name))
        counted.name += "_";
      step.parallel[k] = counted;
    };
    int around = int(step.around.size());
    if (std::vector<long> side = sideOfBand(valuesOf(program, step, k), around); !side.empty())
      take(countedFrom(step, k, side));
    if (std::optional<Steps> steps = stepsOf(ownValues(program, step, k)))
      take(countedIn(*steps, step.parallel[k]));
  }
  if (step.kind == StepKind::Parallel && !hasLoops(step))
    joinRows(program, step);
}

} // namespace nw
