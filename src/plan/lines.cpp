// Beginnings of rows.
#include "plan/lines.h"
#include "analysis/affine_row.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// The loop of a statement that a dimension of the schedule is, up to the sign.
struct OwnLoop {
  size_t level;
  int sign;
};

isl::map valueOn(const Dimension &d, const Statement &s) {
  for (const isl::map &m : mapsOf(d.value))
    if (inputTupleOf(m) == s.name)
      return m;
  return {};
}

std::optional<OwnLoop> ownLoop(const Dimension &d, const Statement &s) {
  isl::map value = valueOn(d, s);
  for (size_t level = 0; level < s.loops.size() && !value.is_null(); level++)
    for (int sign : {1, -1}) {
      isl::pw_aff v = dimensionOn(s.domain.get_space(), int(level));
      if (value.is_equal(isl::manage(isl_map_from_pw_aff((sign < 0 ? v.neg() : v).release()))
                             .intersect_domain(value.domain())))
        return OwnLoop{level, sign};
    }
  return std::nullopt;
}

// Whether kernels can compute it from what they get as values.
bool isPlainSize(const Program &p, const ExprP &size) {
  bool is = bool(size);
  if (size)
    walk(size, [&](const ExprP &e) {
      bool isValue = e->kind == ExprKind::Var &&
                     std::any_of(p.parameters.begin(), p.parameters.end(),
                                 [&](const Parameter &q) { return q.name == e->name; });
      is &= isValue || e->kind == ExprKind::Int ||
            (e->kind == ExprKind::Cast && e->type.isInteger()) ||
            (e->kind == ExprKind::Binary && (e->name == "*" || e->name == "+" || e->name == "-"));
      return is;
    });
  return is;
}

// Of the access, if its rows are rows of memory that no other value of the parallel loop has: one
// element follows the other as the reduction's counter grows.
std::optional<RowBegin> beginOf(const Program &p, const Statement &s, const Access &a,
                                const OwnLoop &row, const OwnLoop &reduction) {
  const Array &array = p.arrays.at(a.array);
  if (array.kind != ArrayKind::Memory || array.isScalar() || array.slots ||
      array.variable.type.isStruct() || reduction.sign < 0)
    return std::nullopt;
  std::optional<std::vector<AffineRow>> subscripts = affineRows(a.relation);
  std::vector<ExprP> inner = array.flatSizes;
  if (inner.empty() && array.extents.size() > 1)
    inner.assign(array.extents.begin() + 1, array.extents.end());
  if (!subscripts || subscripts->size() < 2 || inner.size() + 1 != subscripts->size() ||
      !std::all_of(inner.begin(), inner.end(), [&](const ExprP &e) { return isPlainSize(p, e); }))
    return std::nullopt;
  RowBegin begin{a.array, {}};
  bool hasOwn = false; // rows of its own, for each value of the parallel loop
  for (size_t k = 0; k < subscripts->size(); k++) {
    const AffineRow &one = (*subscripts)[k];
    bool isLast = k + 1 == subscripts->size();
    for (size_t level = 0; level < s.loops.size(); level++)
      if (level == reduction.level ? one.coefficients[level] != isLast
                                   : level != row.level && one.coefficients[level] != 0)
        return std::nullopt;
    hasOwn |= !isLast && one.coefficients[row.level] != 0;
    begin.subscripts.push_back({row.sign * one.coefficients[row.level], one.rest.factors,
                                one.rest.constant, k > 0 ? inner[k - 1] : nullptr});
  }
  return hasOwn ? std::optional(begin) : std::nullopt;
}

bool agree(const RowBegin &a, const RowBegin &b) {
  return std::equal(a.subscripts.begin(), a.subscripts.end(), b.subscripts.begin(),
                    b.subscripts.end(),
                    [](const RowBegin::Subscript &x, const RowBegin::Subscript &y) {
                      return x.ofRow == y.ofRow && x.parameters == y.parameters &&
                             x.constant == y.constant && sameTree(x.size, y.size);
                    });
}

// What is left of a size when it is divided by the threads of a line, where that is known.
std::optional<int64_t> remainderOf(const ExprP &size) {
  if (size->kind == ExprKind::Cast)
    return remainderOf(size->args[0]);
  if (size->kind == ExprKind::Int)
    return size->integer % kThreadsOfALine;
  if (size->kind != ExprKind::Binary || size->name != "*")
    return std::nullopt;
  std::optional<int64_t> a = remainderOf(size->args[0]), b = remainderOf(size->args[1]);
  if ((a && *a == 0) || (b && *b == 0))
    return 0;
  return a && b ? std::optional(*a * *b % kThreadsOfALine) : std::nullopt;
}

// Whether it is certain that a row begins at the same offset in a line as the one before.
bool isSameForAll(const RowBegin &begin, const Dimension &row, const Dimension &reduction,
                  const Statement &s) {
  isl::map first = isl::manage(
      isl_map_lexmin(valueOn(row, s).reverse().apply_range(valueOn(reduction, s)).release()));
  std::optional<AffineRow> start = affineRow(first, 0);
  if (!start)
    return false;
  int64_t moved = start->coefficients[0] % kThreadsOfALine;
  std::optional<int64_t> stride =
      1; // elements from one value of the subscript to the next, divided likewise
  for (size_t k = begin.subscripts.size(); k-- > 0;) {
    const RowBegin::Subscript &one = begin.subscripts[k];
    if (one.ofRow != 0 && !stride)
      return false;
    moved += one.ofRow != 0 ? one.ofRow % kThreadsOfALine * *stride : 0;
    std::optional<int64_t> size = one.size ? remainderOf(one.size) : std::nullopt;
    if (stride && *stride != 0)
      stride = size ? std::optional(*stride * *size % kThreadsOfALine) : std::nullopt;
    else if (size && *size == 0)
      stride = 0;
  }
  return moved % kThreadsOfALine == 0;
}

} // namespace

std::optional<RowBegin> rowBegin(const Program &p, const Step &step,
                                 const BlockReductionParts &parts, const BlockReductionPiece &piece,
                                 std::string &why) {
  if (step.parallel.size() != 1) {
    why = "it has several parallel loops";
    return std::nullopt;
  }
  std::optional<RowBegin> found;
  bool differs = false; // from row to row
  for (const std::string &name : piece.statements) {
    const Statement &s = *p.find(name);
    std::optional<OwnLoop> row = ownLoop(step.parallel[0], s), reduction = ownLoop(parts.loop, s);
    if (!row || !reduction || row->level == reduction->level)
      continue;
    for (const Access &a : s.accesses) {
      std::optional<RowBegin> begin = s.reduction && a.array == s.reduction->array
                                          ? std::nullopt
                                          : beginOf(p, s, a, *row, *reduction);
      if (begin && found && !agree(*begin, *found)) {
        why =
            fmt::format("rows of {} and {} begin at different offsets", found->array, begin->array);
        return std::nullopt;
      }
      if (!begin)
        continue;
      differs |= !isSameForAll(*begin, step.parallel[0], parts.loop, s);
      found = begin;
    }
  }
  if (!found)
    why = fmt::format("no access moves by one element with {} in a row that belongs to one {}",
                      parts.loop.name, step.parallel[0].name);
  else if (!differs)
    why = fmt::format("rows of {} begin at the same offset in a line", found->array);
  return differs ? found : std::nullopt;
}

std::string whyNoLines(const Program &p, const Step &step, const BlockReductionParts &parts) {
  std::string why;
  for (const BlockReductionPiece &piece : parts.pieces)
    if (piece.isLoop && rowBegin(p, step, parts, piece, why))
      return "";
  return why;
}

} // namespace nw
