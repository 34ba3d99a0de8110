// The check 'ranges': buffers hold every row that is certainly touched.
#include "ir/flat_subscript.h"
#include "verify/checks/kernel_checks.h"
#include "verify/readers/affine_value.h"
#include <fmt/format.h>

namespace nw {

namespace {

std::string textOf(const ExprP &e) {
  return print(
      rewrite(e, [](const ExprP &x) { return x->kind == ExprKind::Cast ? x->args[0] : x; }));
}

ExprP withoutCasts(ExprP e) {
  while (e->kind == ExprKind::Cast)
    e = e->args[0];
  return e;
}

class RangeCheck {
public:
  RangeCheck(const Program &p, const Kernels &k)
      : p(p), k(k), scope(p.isl->get()), context(meet(p.context, p.assumptions)) {
    for (const Parameter &q : p.parameters)
      scope.addUnknown(q.name, q.name);
  }

  std::vector<Finding> run() {
    for (const Buffer &b : k.buffers)
      if (auto a = p.arrays.find(b.name); a != p.arrays.end() &&
                                          a->second.kind == ArrayKind::Memory &&
                                          a->second.flatSizes.empty() && !isDelinearized(a->second))
        buffer(b, a->second);
    return findings;
  }

private:
  // The number of elements in a row, as factors; nothing where it is 1.
  static std::vector<ExprP> rowOf(const Array &array) {
    std::vector<ExprP> row;
    for (size_t n = 1; n < array.extents.size(); n++)
      if (array.extents[n] &&
          !(array.extents[n]->kind == ExprKind::Int && array.extents[n]->integer == 1))
        row.push_back(array.extents[n]);
    return row;
  }

  // rows * row, or a constant; the rows as a function of the parameters.
  std::optional<isl::pw_aff> rowsOf(const ExprP &bound, const std::vector<ExprP> &row) const {
    if (row.empty())
      return scope.value(bound);
    int64_t constant = 1;
    ExprP whole;
    for (const ExprP &e : row) {
      if (withoutCasts(e)->kind == ExprKind::Int)
        constant *= withoutCasts(e)->integer;
      whole = whole ? binary("*", whole, e, kI64) : e;
    }
    ExprP e = withoutCasts(bound);
    if (e->kind == ExprKind::Int &&
        (e->integer == 0 || (constant > 0 && e->integer % constant == 0 && isConstant(row))))
      return scope.constant(e->integer / (isConstant(row) ? constant : 1));
    if (textOf(e) == textOf(whole))
      return scope.constant(1);
    bool isProduct = e->kind == ExprKind::Binary && e->name == "*";
    bool ofRow =
        isProduct && (textOf(e->args[1]) == textOf(whole) ||
                      (isConstant(row) && withoutCasts(e->args[1])->kind == ExprKind::Int &&
                       withoutCasts(e->args[1])->integer == constant));
    return ofRow ? scope.value(e->args[0]) : std::nullopt;
  }

  static bool isConstant(const std::vector<ExprP> &row) {
    for (const ExprP &e : row)
      if (withoutCasts(e)->kind != ExprKind::Int)
        return false;
    return true;
  }

  void buffer(const Buffer &b, const Array &array) {
    std::optional<isl::set> copied =
        b.touched ? scope.condition(b.touched) : std::optional(context);
    std::vector<ExprP> row = rowOf(array);
    std::optional<isl::pw_aff> low, high;
    if (!b.isScalar) {
      low = rowsOf(b.low, row);
      high = rowsOf(b.high, row);
    }
    for (const Statement &s : p.statements)
      for (const Access &a : s.accesses) {
        if (a.array != array.name || !a.isCertain)
          continue;
        isl::set rows = isl::manage(isl_set_reset_tuple_id(
            a.relation.intersect_domain(s.domain).range().intersect_params(context).release()));
        if (copied && !isl::manage(isl_set_params(rows.copy())).is_subset(*copied)) {
          say(array, "is touched but not copied");
          return;
        }
        if (b.isScalar || !low || !high || array.extents.empty())
          continue;
        int dims = int(isl_set_dim(rows.get(), isl_dim_set));
        rows = isl::manage(isl_set_project_out(rows.release(), isl_dim_set, 1, unsigned(dims - 1)));
        auto bound = [&](const isl::pw_aff &v) {
          isl_space *target = isl_space_align_params(rows.get_space().release(),
                                                     isl_pw_aff_get_domain_space(v.get()));
          return isl::manage(isl_pw_aff_insert_domain(v.copy(), target));
        };
        isl::pw_aff x = dimensionOn(rows.get_space(), 0);
        if (array.extents[0]) { // what lies outside of the array does so on paper only
          std::optional<isl::pw_aff> extent = scope.value(array.extents[0]);
          if (!extent)
            continue;
          rows = meet(meet(rows, x.ge_set(bound(scope.constant(0)))), x.lt_set(bound(*extent)));
        }
        if (!rows.is_subset(meet(x.ge_set(bound(*low)), x.lt_set(bound(*high))))) {
          say(array, "is touched outside the copied range");
          return;
        }
      }
  }

  void say(const Array &array, const char *what) {
    findings.push_back({"ranges", fmt::format("{} {}", array.name, what)});
  }

  const Program &p;
  const Kernels &k;
  AffineScope scope;
  isl::set context;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> checkRanges(const Program &p, const Kernels &k) {
  return RangeCheck(p, k).run();
}

} // namespace nw
