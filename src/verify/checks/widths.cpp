// The check 'widths': integers of 32 bits that kernels compute with keep their values, for all
// sizes.
#include "verify/readers/kernel_reader.h"
#include <fmt/format.h>
#include <isl/lp.h>
#include <limits>

namespace nw {

namespace {

// Resident kernels have as many threads as fit on the device at once.
constexpr int64_t kMostResidentThreads = int64_t(1) << 26;

// Whether the node computes a value that its type may be too short for.
bool mayLose(const ExprP &e) {
  if (!e->type.isInteger() || bitsOf(e->type.scalar) != 32)
    return false;
  if (e->kind == ExprKind::Cast)
    return e->args[0]->type.isInteger() &&
           (bitsOf(e->args[0]->type.scalar) > 32 ||
            isUnsigned(e->args[0]->type.scalar) != isUnsigned(e->type.scalar));
  if (e->kind == ExprKind::Unary)
    return e->name == "-";
  return e->kind == ExprKind::Binary && (e->name == "+" || e->name == "-" || e->name == "*");
}

// Whether a linear program shows, piece by piece, that the value lies between the two. Where it
// does not, it may still.
bool liesBetween(const isl::pw_aff &value, const isl::val &low, const isl::val &high,
                 const isl::set &when) {
  if (isl_pw_aff_n_piece(value.get()) != 1)
    return false;
  bool does = true;
  value.foreach_piece([&](const isl::set &, const isl::multi_aff &linear) {
    isl::aff one = linear.get_at(0);
    for (const isl::basic_set &piece : piecesOf(when)) {
      isl::val most = isl::manage(isl_basic_set_max_lp_val(piece.get(), one.get()));
      isl::val least = isl::manage(isl_basic_set_min_lp_val(piece.get(), one.get()));
      does = does && (most.is_nan() || (most.le(high) && least.ge(low))); // none: it is empty
    }
  });
  return does;
}

} // namespace

bool fits(const isl::pw_aff &value, const Type &type, const isl::set &when) {
  if (!type.isInteger() || bitsOf(type.scalar) != 32)
    return true;
  bool isUnsigned = nw::isUnsigned(type.scalar);
  int64_t low = isUnsigned ? 0 : std::numeric_limits<int32_t>::min(),
          high = isUnsigned ? int64_t(std::numeric_limits<uint32_t>::max())
                            : int64_t(std::numeric_limits<int32_t>::max());
  isl::ctx ctx = when.ctx();
  if (liesBetween(value, intVal(ctx, long(low)), intVal(ctx, long(high)), when))
    return true;
  AffineScope numbers(ctx);
  return when.is_disjoint(
      value.lt_set(numbers.constant(low)).unite(value.gt_set(numbers.constant(high))));
}

std::string lostIn(const ExprP &e, const AffineScope &scope, const isl::set &when) {
  std::string lost;
  walk(e, [&](const ExprP &x) {
    std::optional<isl::pw_aff> v = lost.empty() && mayLose(x) ? scope.value(x) : std::nullopt;
    if (v && !fits(*v, x->type, when))
      lost = print(x);
    return lost.empty();
  });
  return lost;
}

// What the launch gives at most; code that is executed for fewer threads guards itself.
const isl::set &KernelReader::mostThreads() {
  if (!launched.is_null())
    return launched;
  launched = start.executed;
  for (int d = 0; d < 3; d++) {
    const isl::pw_aff &x = threads.at(std::string("thread.") + "xyz"[d]);
    std::optional<isl::pw_aff> count =
        kernel.isResident() ? std::nullopt : start.scope.value(launch.threads[size_t(d)]);
    launched =
        meet(launched, count ? x.lt_set(count->add(start.scope.constant(kernel.block[size_t(d)])))
                             : x.lt_set(start.scope.constant(kMostResidentThreads)));
  }
  return launched;
}

void KernelReader::widths(const ExprP &e, const Frame &f) {
  Unset<isl::set> when;
  walk(e, [&](const ExprP &x) {
    std::optional<isl::pw_aff> v = mayLose(x) ? f.scope.value(x) : std::nullopt;
    if (!v || fits(*v, x->type, f.executed)) // mostly guards say enough
      return true;
    if (when.is_null())
      when = meet(f.executed, mostThreads());
    if (!fits(*v, x->type, when))
      out.findings.push_back(
          {"widths", fmt::format("{}: {} may not fit into 32 bits", kernel.name, print(x))});
    return true;
  });
}

} // namespace nw
