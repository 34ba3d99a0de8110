// Ranges, transfers and aliases.
#include "lower/buffers.h"
#include "ir/flat_subscript.h"
#include "lower/views.h"
#include "poly/parameter_sizes.h"
#include "support/diagnostics.h"
#include <fmt/format.h>

namespace nw {

namespace {

constexpr int64_t kMostBytes = int64_t(1) << 60;

ExprP times(const ExprP &a, const ExprP &b) {
  if (a->kind == ExprKind::Int && a->integer == 1)
    return b;
  if (b->kind == ExprKind::Int && b->integer == 1)
    return a;
  int64_t value = 0;
  if (a->kind == ExprKind::Int && b->kind == ExprKind::Int &&
      !__builtin_mul_overflow(a->integer, b->integer, &value))
    return intConst(value);
  if ((a->kind == ExprKind::Int && a->integer == 0) ||
      (b->kind == ExprKind::Int && b->integer == 0))
    return intConst(0);
  return binary("*", cast(a, kI64), cast(b, kI64), kI64);
}

ExprP plus(const ExprP &a, const ExprP &b) {
  if (a->kind == ExprKind::Int && a->integer == 0)
    return b;
  if (b->kind == ExprKind::Int && b->integer == 0)
    return a;
  int64_t value = 0;
  if (a->kind == ExprKind::Int && b->kind == ExprKind::Int &&
      !__builtin_add_overflow(a->integer, b->integer, &value))
    return intConst(value);
  return binary("+", cast(a, kI64), cast(b, kI64), kI64);
}

class BufferLowering {
public:
  BufferLowering(const Program &p, const Dependences &d, const AstReader &reader, Kernels &out)
      : p(p), dependences(d), reader(reader), out(out),
        context(p.context.intersect(p.assumptions)) {}

  void run() {
    for (auto &[name, array] : p.arrays)
      if (array.kind == ArrayKind::Memory)
        add(array);
    aliases();
  }

private:
  // In the source: rows at the ends of what is touched need not be whole.
  static bool isFlat(const Array &array) {
    return !array.flatSizes.empty() || isDelinearized(array);
  }

  // Of a flattened array: how many elements its rows have, and so on inwards.
  static std::vector<ExprP> rowsOf(const Array &array) {
    return isDelinearized(array)
               ? std::vector<ExprP>(array.extents.begin() + 1, array.extents.end())
               : array.flatSizes;
  }

  isl::set touchedBy(const Array &array, bool writesOnly, bool mustOnly) {
    isl::set all;
    for (const Statement &s : p.statements)
      for (const Access &a : s.accesses)
        if (a.array == array.name && (!writesOnly || a.isWrite) && (!mustOnly || a.isMust)) {
          isl::set r = a.relation.range();
          all = all.is_null() ? r : all.unite(r);
        }
    if (all.is_null())
      return isl::set();
    return all.intersect_params(context).coalesce();
  }

  void add(const Array &array) {
    Buffer b;
    b.name = array.name;
    b.array = array.isOwn() ? "" : array.name;
    b.isArray = array.isOwn();
    b.element = array.variable.type;
    b.elementBytes = array.elementBytes;
    b.isScalar = array.isScalar();
    if (b.isScalar && array.variable.isRegister)
      throw Diagnostic{"NW0102", Severity::Remark, p.region.at,
                       fmt::format("'{}' is a register variable, whose address cannot be taken",
                                   array.variable.spelling),
                       "remove the word 'register'"};
    isl::set touched = unnamed(touchedBy(array, false, false));
    if (array.slots)
      touched = projectOut(touched, dimsOf(touched) - 1, 1);
    if (touched.is_empty()) {
      b.low = b.high = intConst(0);
      out.buffers.push_back(b);
      return;
    }
    b.touched = reader.condition(onlyParams(touched), context);
    if (b.isScalar) {
      b.low = intConst(0);
      b.high = intConst(1);
    } else if (isFlat(array)) {
      flatRange(array, touched, b);
    } else {
      rowRange(array, touched, b);
    }
    for (const ExprP &bound : {b.low, b.high})
      if (bound->kind == ExprKind::Int &&
          std::abs(bound->integer / 2) > kMostBytes / b.elementBytes)
        throw Diagnostic{
            "NW0206", Severity::Remark, p.region.at,
            fmt::format(
                "the elements of '{}' that this nest touches need addresses of more than 64 bits",
                array.variable.spelling),
            "it stays on the host"};
    isl::set written = touchedBy(array, true, false);
    bool isWritten = !written.is_null() && !written.is_empty();
    bool isLocal = array.variable.storage == Storage::Local && !array.variable.isPointer;
    bool isByValue = array.variable.storage == Storage::Parameter && !array.variable.isPointer;
    b.copyOut =
        isWritten && !array.isOwn() && (array.variable.liveAfter || !(isLocal || isByValue));
    bool liveIn = false;
    for (const isl::map &m : mapsOf(dependences.liveIn))
      liveIn |= outputTupleOf(m) == array.name && !m.intersect_params(context).is_empty();
    // What is copied out but not certainly written must keep its old value.
    b.copyIn = (liveIn && !array.isOwn()) || (b.copyOut && !isWholeRangeWritten(array));
    out.buffers.push_back(b);
  }

  // Rows of the first dimension, first to last.
  void rowRange(const Array &array, const isl::set &touched, Buffer &b) {
    ExprP row = intConst(1);
    for (size_t k = 1; k < array.extents.size(); k++)
      row = times(row, array.extents[k]);
    bool bounded = isBoundedDim(touched, 0, true) && isBoundedDim(touched, 0, false);
    if (!bounded) {
      if (!array.extents[0])
        throw Diagnostic{"NW0204", Severity::Remark, p.region.at,
                         fmt::format("nestwarp cannot tell how much of '{}' the nest touches: a "
                                     "subscript is not affine and the extent is unknown",
                                     array.variable.spelling),
                         sayExtent(array)};
      b.low = intConst(0);
      b.high = times(array.extents[0], row);
      return;
    }
    ExprP first = reader.value(lowest(touched, 0), context),
          last = plus(reader.value(highest(touched, 0), context), intConst(1));
    if (array.variable.isPointer && !array.extents[0])
      refuseUncertain(array);
    else if (array.extents[0]) { // subscripts that are guarded by data may lie outside on paper
      first = clipped(ExprKind::Max, first, intConst(0));
      last = clipped(ExprKind::Min, last, array.extents[0]);
    }
    b.low = times(first, row);
    b.high = times(last, row);
  }

  static ExprP clipped(ExprKind kind, const ExprP &a, const ExprP &b) {
    if (a->kind == ExprKind::Int && b->kind == ExprKind::Int)
      return intConst(kind == ExprKind::Max ? std::max(a->integer, b->integer)
                                            : std::min(a->integer, b->integer));
    return node(kind, {cast(a, kI64), cast(b, kI64)}, kI64);
  }

  // Copying what is touched only where the data say so could reach beyond the user's memory: memory
  // exists between elements that are certainly touched.
  void refuseUncertain(const Array &array) {
    if (p.region.isOnDevice)
      return; // nothing is copied; that a range is too large only makes it overlap others sooner
    isl::set certain, all;
    for (const Statement &s : p.statements)
      for (const Access &a : s.accesses)
        if (a.array == array.name) {
          isl::set r = unnamed(a.relation.range()).intersect_params(context);
          all = all.is_null() ? r : all.unite(r);
          if (a.isCertain)
            certain = certain.is_null() ? r : certain.unite(r);
        }
    if (!certain.is_null()) {
      if (!isFlat(array)) { // rows exist as a whole
        certain = projectOut(certain, 1, dimsOf(certain) - 1);
        all = projectOut(all, 1, dimsOf(all) - 1);
      }
      isl::set after = isl::manage(isl_map_domain(isl_set_lex_ge_set(all.copy(), certain.copy()))),
               before = isl::manage(isl_map_domain(isl_set_lex_le_set(all.copy(), certain.copy())));
      if (all.is_subset(after) && all.is_subset(before))
        return;
    }
    throw Diagnostic{"NW0208", Severity::Remark, p.region.at,
                     fmt::format("'{}' is touched only under conditions that depend on data, so "
                                 "nestwarp cannot tell that all the memory in between exists",
                                 array.variable.spelling),
                     sayExtent(array)};
  }

  std::string sayExtent(const Array &array) const {
    const std::string &name = array.variable.spelling;
    return p.region.isOnDevice
               ? fmt::format(
                     "give its extent before the kernel, as in #pragma nestwarp array({}[n])", name)
               : fmt::format("declare the parameter with its extent, as in {}[n]", name);
  }

  void flatRange(const Array &array, const isl::set &touched, Buffer &b) {
    refuseUncertain(array);
    for (int k = 0; k < dimsOf(touched); k++)
      if (!isBoundedDim(touched, k, true) || !isBoundedDim(touched, k, false))
        throw Diagnostic{
            "NW0204", Severity::Remark, p.region.at,
            fmt::format(
                "nestwarp cannot tell how much of '{}' the nest touches: a subscript is not affine",
                array.variable.spelling),
            p.region.isOnDevice ? sayExtent(array) : "declare the array with its extents"};
    // Subscripts after the first lie inside their sizes, so that the first element in memory is the
    // first in order. Nothing before it or after the last is known to exist.
    isl::pw_multi_aff first = isl::manage(isl_set_lexmin_pw_multi_aff(touched.copy())),
                      last = isl::manage(isl_set_lexmax_pw_multi_aff(touched.copy()));
    auto subscript = [&](const isl::pw_multi_aff &slot, int k) {
      return reader.value(
          isl::manage(isl_pw_aff_coalesce(isl_pw_multi_aff_get_pw_aff(slot.get(), k))), context);
    };
    std::vector<ExprP> rows = rowsOf(array);
    ExprP stride = intConst(1), low = intConst(0), high = intConst(1);
    for (int k = dimsOf(touched) - 1; k >= 0; k--) {
      low = plus(low, times(subscript(first, k), stride));
      high = plus(high, times(subscript(last, k), stride));
      if (k > 0)
        stride = times(stride, rows[size_t(k) - 1]);
    }
    b.low = low;
    b.high = high;
  }

  // Whether every element of the copied range is certainly written, so that nothing old shows
  // through.
  bool isWholeRangeWritten(const Array &array) {
    isl::set must = touchedBy(array, true, true);
    if (must.is_null())
      return false;
    if (array.isScalar() && !array.slots)
      return onlyParams(touchedBy(array, false, false)).is_subset(onlyParams(must));
    if (!array.flatSizes.empty() || array.slots)
      return false;
    // Rows between the first and the last touched, all columns; in flattened arrays from the first
    // element to the last.
    isl::set touched = touchedBy(array, false, false);
    if (!isBoundedDim(touched, 0, true) || !isBoundedDim(touched, 0, false))
      return false;
    isl::set first = projectOut(unnamed(touched), 1, dimsOf(touched) - 1);
    isl::set box = between(touched, 0, lowest(first, 0), highest(first, 0));
    if (isDelinearized(array)) {
      auto part = [&](isl_map *(*order)(isl_set *, isl_set *)) {
        return isl::manage(isl_map_domain(order(box.copy(), touched.copy())));
      };
      box = part(isl_set_lex_ge_set).intersect(part(isl_set_lex_le_set));
    }
    for (size_t k = 1; k < array.extents.size(); k++) {
      if (!array.extents[k])
        return false;
      std::optional<isl::pw_aff> extent = ParameterSizes(p).value(array.extents[k]);
      if (!extent)
        return false;
      isl::pw_aff zero = isl::manage(isl_pw_aff_from_aff(isl_aff_zero_on_domain(
          isl_local_space_from_space(isl_space_params_alloc(p.isl->get().get(), 0)))));
      isl::pw_aff one = isl::manage(isl_pw_aff_from_aff(isl_aff_val_on_domain(
          isl_local_space_from_space(isl_space_params_alloc(p.isl->get().get(), 0)),
          intVal(p.isl->get(), 1L).release())));
      box = box.intersect(between(touched, int(k), zero, extent->sub(one)));
    }
    return box.intersect_params(context).is_subset(must);
  }

  // { x : low <= x[position] <= high } in the space of `like`; the bounds are functions of the
  // parameters.
  isl::set between(const isl::set &like, int position, const isl::pw_aff &low,
                   const isl::pw_aff &high) {
    isl::space space = like.get_space();
    auto lifted = [&](const isl::pw_aff &a) {
      isl_space *target =
          isl_space_align_params(space.copy(), isl_pw_aff_get_domain_space(a.get()));
      return isl::manage(isl_pw_aff_insert_domain(a.copy(), target));
    };
    isl::pw_aff x = dimensionOn(space, position);
    return x.ge_set(lifted(low)).intersect(x.le_set(lifted(high)));
  }

  void aliases() {
    auto isWritten = [&](const Buffer &b) {
      isl::set w = touchedBy(p.arrays.at(b.name), true, false);
      return !w.is_null() && !w.is_empty();
    };
    std::vector<bool> written;
    for (const Buffer &b : out.buffers)
      written.push_back(isWritten(b));
    for (size_t a = 0; a < out.buffers.size(); a++)
      for (size_t b = a + 1; b < out.buffers.size(); b++) {
        const Variable &x = p.arrays.at(out.buffers[a].name).variable,
                       &y = p.arrays.at(out.buffers[b].name).variable;
        if (out.buffers[a].array.empty() || out.buffers[b].array.empty())
          continue; // memory of our own
        // Also for restrict: q = p + 1 may be based on p, and what is copied out covers elements in
        // between.
        if ((written[a] || written[b]) && (x.isPointer || y.isPointer))
          out.mayAlias.push_back({int(a), int(b)});
      }
    // Scalars are read once, before the region: a write through a pointer must not change them
    // meanwhile.
    std::set<std::string> scalars(p.valueScalars.begin(), p.valueScalars.end());
    for (const Parameter &q : p.parameters)
      walk(q.value, [&](const ExprP &e) {
        if (e->kind == ExprKind::Var)
          scalars.insert(e->name);
        return true;
      });
    for (const std::string &name : scalars) {
      const Variable &v = p.region.variables.at(name);
      if (!v.addressKnown || v.isConst)
        continue;
      for (size_t b = 0; b < out.buffers.size(); b++)
        if (written[b] && p.arrays.at(out.buffers[b].name).variable.isPointer)
          out.scalarAlias.push_back({name, int(b)});
    }
  }

  const Program &p;
  const Dependences &dependences;
  const AstReader &reader;
  Kernels &out;
  isl::set context;
};

} // namespace

void lowerBuffers(const Program &p, const Dependences &d, const AstReader &reader, Kernels &out) {
  BufferLowering(p, d, reader, out).run();
}

} // namespace nw
