// The check 'delinearization': where bodies have A[i][j] for the source's A[i * n + j], they mean
// the same elements. The subscripts, multiplied out with the sizes of the rows, are the one that
// there was, term by term; what the Program says of them are their values; and none of them leaves
// its row, so that no element has two names.
#include "ir/flat_subscript.h"
#include "verify/readers/affine_value.h"
#include "verify/readers/positions.h"
#include "verify/rewriting/rewriting.h"
#include "verify/rewriting/same_program.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// A sum of products of variables, and of whatever else is not a sum or a product; nothing where
// numbers become too large.
using Products = std::map<std::vector<std::string>, int64_t>;

std::optional<Products> times(const Products &a, const Products &b) {
  Products out;
  for (auto &[x, m] : a)
    for (auto &[y, n] : b) {
      std::vector<std::string> factors = x;
      factors.insert(factors.end(), y.begin(), y.end());
      std::sort(factors.begin(), factors.end());
      int64_t product = 0, &sum = out[factors];
      if (__builtin_mul_overflow(m, n, &product) || __builtin_add_overflow(sum, product, &sum))
        return std::nullopt;
    }
  std::erase_if(out, [](const auto &term) { return term.second == 0; });
  return out;
}

std::optional<Products> plus(const Products &a, const Products &b, bool isMinus) {
  Products out = a;
  for (auto &[factors, n] : b) {
    int64_t &sum = out[factors];
    if (isMinus ? __builtin_sub_overflow(sum, n, &sum) : __builtin_add_overflow(sum, n, &sum))
      return std::nullopt;
  }
  std::erase_if(out, [](const auto &term) { return term.second == 0; });
  return out;
}

bool mayWrap(const ExprP &e) { return isUnsigned(e->type.scalar) && bitsOf(e->type.scalar) < 64; }

// As numbers of 64 bits, of which those with a sign do not overflow: a cast to a wider type changes
// nothing, unless what it is of has wrapped around before.
std::optional<Products> productsOf(const ExprP &e) {
  if (e->kind == ExprKind::Int)
    return e->integer ? Products{{{}, e->integer}} : Products{};
  const ExprP *inner = e->kind == ExprKind::Cast ? &e->args[0] : nullptr;
  if (inner && e->type.isInteger() && (*inner)->type.isInteger() &&
      e->type.scalar != Scalar::Bool) {
    int from = bitsOf((*inner)->type.scalar), to = bitsOf(e->type.scalar);
    bool isSafe =
        !mayWrap(*inner) || (*inner)->kind == ExprKind::Var || (*inner)->kind == ExprKind::Int;
    bool keeps = to > from || from == 64 ||
                 (to == from && isUnsigned(e->type.scalar) == isUnsigned((*inner)->type.scalar));
    if (isSafe && keeps && to >= from)
      return productsOf(*inner);
  }
  bool isMinus = e->kind == ExprKind::Unary && e->name == "-";
  if ((isMinus || e->kind == ExprKind::Binary) && e->type.isInteger() && !mayWrap(e)) {
    if (isMinus) {
      std::optional<Products> a = productsOf(e->args[0]);
      return a ? plus({}, *a, true) : std::nullopt;
    }
    if (e->name == "+" || e->name == "-" || e->name == "*") {
      std::optional<Products> a = productsOf(e->args[0]), b = productsOf(e->args[1]);
      if (!a || !b)
        return std::nullopt;
      return e->name == "*" ? times(*a, *b) : plus(*a, *b, e->name == "-");
    }
  }
  return Products{
      {{e->kind == ExprKind::Var ? e->name : fmt::format("({}){}", cName(e->type), print(e))}, 1}};
}

class DelinearizationCheck {
public:
  DelinearizationCheck(const Program &now, const Program &then)
      : p(now), q(then), scope(p.isl->get()), context(q.context.intersect(q.assumptions)) {
    for (const Parameter &x : p.parameters)
      scope.addUnknown(x.name, x.name);
  }

  std::vector<Finding> run() {
    if (!frame())
      return {{"delinearization", "is another program"}};
    for (size_t k = 0; k < p.statements.size() && findings.empty(); k++)
      statement(p.statements[k], q.statements[k]);
    return findings;
  }

private:
  void say(const Statement &s, const std::string &what) {
    findings.push_back({"delinearization", fmt::format("{}: {}", s.name, what)});
  }

  bool hasRows(const std::string &array) const {
    return p.arrays.count(array) && isDelinearized(p.arrays.at(array)) &&
           !isDelinearized(q.arrays.at(array));
  }

  bool frame() const {
    bool is = sameSurroundings(p, q) && p.loops.size() == q.loops.size() &&
              p.arrays.size() == q.arrays.size() && p.statements.size() == q.statements.size();
    for (auto &[name, then] : q.arrays) {
      auto found = p.arrays.find(name);
      if (!is || found == p.arrays.end())
        return false;
      Array now = found->second;
      if (hasRows(name)) { // the same memory
        is = then.kind == ArrayKind::Memory && !then.flatSizes.empty() && now.flatSizes.empty() &&
             then.extents.size() == 1 && now.extents.size() == then.flatSizes.size() + 1 &&
             !now.extents[0] &&
             sameExprs(std::vector<ExprP>(now.extents.begin() + 1, now.extents.end()),
                       then.flatSizes);
        now.extents = then.extents;
        now.flatSizes = then.flatSizes;
      }
      is = is && sameArray(now, then);
    }
    return is;
  }

  void statement(const Statement &now, const Statement &then) {
    bool isSame = now.name == then.name && now.loops == then.loops && now.order == then.order &&
                  now.isCopy == then.isCopy && now.domain.is_equal(then.domain);
    if (!isSame || !sameReductions(now, then))
      return say(now, "is another statement");
    if (!sameBody(now.body, then.body))
      return say(now, "has different elements or different code");
    bool sameAccesses =
        std::equal(now.accesses.begin(), now.accesses.end(), then.accesses.begin(),
                   then.accesses.end(), [&](const Access &a, const Access &b) {
                     return sameUse(a, b) && a.relation.is_equal(b.relation) &&
                            std::equal(a.spellings.begin(), a.spellings.end(), b.spellings.begin(),
                                       b.spellings.end(), [&](const ExprP &x, const ExprP &y) {
                                         return sameExpr(x, y);
                                       });
                   });
    if (!sameAccesses)
      return say(now, "an access touches other elements than before");
    for (const Access &a : now.accesses)
      if (hasRows(a.array)) {
        inRows(now, a);
        values(now, a);
      }
  }

  bool sameReductions(const Statement &now, const Statement &then) const {
    if (!now.reduction || !then.reduction)
      return !now.reduction && !then.reduction;
    Reduction r = *now.reduction;
    bool isSame = sameExpr(r.target, then.reduction->target);
    r.target = then.reduction->target;
    return isSame && sameReduction(r, then.reduction);
  }

  bool sameBody(const StmtP &a, const StmtP &b) const {
    auto same = [&](const ExprP &x, const ExprP &y) { return x && y ? sameExpr(x, y) : !x && !y; };
    auto copy = std::make_shared<Stmt>(*a); // but for expressions and what is inside
    if (!std::equal(a->exprs.begin(), a->exprs.end(), b->exprs.begin(), b->exprs.end(), same) ||
        !same(a->loop.start, b->loop.start) || !same(a->loop.condition, b->loop.condition) ||
        !std::equal(a->body.begin(), a->body.end(), b->body.begin(), b->body.end(),
                    [&](const StmtP &x, const StmtP &y) { return sameBody(x, y); }))
      return false;
    copy->exprs = b->exprs;
    copy->body = b->body;
    copy->loop.start = b->loop.start;
    copy->loop.condition = b->loop.condition;
    return sameCode(copy, b);
  }

  bool sameExpr(const ExprP &now, const ExprP &then) const {
    if (then->kind == ExprKind::Index && then->args[0]->kind == ExprKind::Var &&
        hasRows(then->args[0]->name))
      return isElement(now, then);
    if (now->kind != then->kind || now->name != then->name || !(now->type == then->type) ||
        now->integer != then->integer || now->number != then->number ||
        now->args.size() != then->args.size())
      return false;
    for (size_t k = 0; k < now->args.size(); k++)
      if (!sameExpr(now->args[k], then->args[k]))
        return false;
    return true;
  }

  // A[e0][e1]..., outermost first.
  static std::vector<ExprP> subscriptsOf(const ExprP &e) {
    std::vector<ExprP> subscripts;
    for (ExprP x = e; x->kind == ExprKind::Index; x = x->args[0])
      subscripts.insert(subscripts.begin(), x->args[1]);
    return subscripts;
  }

  // Whether the one subscript is that of the element in memory.
  bool isElement(const ExprP &now, const ExprP &then) const {
    const Array &array = p.arrays.at(then->args[0]->name);
    std::vector<ExprP> subscripts = subscriptsOf(now);
    const Expr *base = now->kind == ExprKind::Index ? baseOf(now) : nullptr;
    if (!base || base->name != array.name || subscripts.size() != array.extents.size() ||
        !(now->type == then->type))
      return false;
    std::optional<Products> position = productsOf(subscripts[0]);
    for (size_t k = 1; k < subscripts.size() && position; k++) {
      std::optional<Products> size = productsOf(array.extents[k]),
                              inner = productsOf(subscripts[k]),
                              row = size ? times(*position, *size) : std::nullopt;
      position = row && inner ? plus(*row, *inner, false) : std::nullopt;
    }
    std::optional<Products> before = productsOf(then->args[1]);
    return position && before && *position == *before;
  }

  void inRows(const Statement &s, const Access &a) {
    const Array &array = p.arrays.at(a.array);
    isl::set touched =
        isl::manage(isl_set_reset_tuple_id(a.relation.range().intersect_params(context).release()));
    for (size_t k = 1; k < array.extents.size(); k++) {
      std::optional<isl::pw_aff> size = scope.value(array.extents[k]);
      if (!size)
        return say(s, fmt::format("it is not known how long a row of {} is", a.array));
      isl_space *target = isl_space_align_params(touched.get_space().release(),
                                                 isl_pw_aff_get_domain_space(size->get()));
      isl::pw_aff most = isl::manage(isl_pw_aff_insert_domain(size->copy(), target)),
                  x = dimensionOn(touched.get_space(), int(k));
      if (!touched.is_subset(x.lt_set(most).intersect(
              x.ge_set(constantOn(touched.get_space(), intVal(touched.ctx(), 0L))))))
        return say(s, fmt::format("a subscript of {} leaves its row", a.array));
    }
  }

  // What is known of the subscripts is what they are; those with counters of loops inside the body
  // are left to the samples.
  void values(const Statement &s, const Access &a) {
    AffineScope inside = scope;
    SchedulePosition position;
    position.statement = s.name;
    for (int id : s.loops)
      position.values.push_back(
          inside.addUnknown(p.loop(id).counter, p.loop(id).counter + "@source"));
    walkStmts(s.body, [&](const StmtP &x) {
      if (x->kind == StmtKind::Declare)
        inside.forget(x->name);
      if (x->kind == StmtKind::For)
        inside.forget(x->loop.counter);
    });
    for (ExprP e : a.spellings) {
      while (e->kind == ExprKind::Member)
        e = e->args[0];
      std::vector<isl::pw_aff> all;
      for (const ExprP &x : subscriptsOf(e))
        if (std::optional<isl::pw_aff> v = inside.value(x))
          all.push_back(*v);
      if (p.arrays.at(a.array).slots || all.size() != p.arrays.at(a.array).extents.size())
        continue;
      isl::map read = namedOutput(relationTo(position, all, context), a.array)
                          .intersect_domain(a.relation.domain());
      if (!read.is_subset(a.relation))
        return say(s,
                   fmt::format("the subscripts of {} differ from those that were found", a.array));
    }
  }

  const Program &p, &q;
  AffineScope scope;
  isl::set context;
  std::vector<Finding> findings;
};

} // namespace

std::vector<Finding> checkDelinearization(const Program &now, const Program &then) {
  return DelinearizationCheck(now, then).run();
}

} // namespace nw
