// Promises.
#include "poly/promises.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

size_t commonLoops(const Statement &a, const Statement &b) {
  size_t common = std::min(a.loops.size(), b.loops.size());
  return size_t(
      std::mismatch(a.loops.begin(), a.loops.begin() + long(common), b.loops.begin()).first -
      a.loops.begin());
}

isl::map allPairs(const Statement &a, const Statement &b) {
  return isl::manage(isl_map_from_domain_and_range(a.domain.copy(), b.domain.copy()));
}

isl::map sameIterations(isl::map pairs, size_t loops) {
  for (size_t k = 0; k < loops; k++)
    pairs = isl::manage(isl_map_equate(pairs.release(), isl_dim_in, int(k), isl_dim_out, int(k)));
  return pairs;
}

isl::map earlier(const isl::map &pairs, size_t loop) {
  return isl::manage(isl_map_order_lt(pairs.copy(), isl_dim_in, int(loop), isl_dim_out, int(loop)));
}
isl::map later(const isl::map &pairs, size_t loop) {
  return isl::manage(isl_map_order_gt(pairs.copy(), isl_dim_in, int(loop), isl_dim_out, int(loop)));
}

// Of different iterations of the loop, and the same ones of the loops around it.
isl::map acrossIterations(const isl::map &pairs, size_t loop) {
  isl::map same = sameIterations(pairs, loop);
  return earlier(same, loop).unite(later(same, loop));
}

StmtP withoutPromise(const StmtP &s, const SourceLoop &loop) {
  auto made = std::make_shared<Stmt>(*s);
  if (s->kind == StmtKind::For && s->loop.counter == loop.counter && s->at.line == loop.at.line &&
      s->at.column == loop.at.column)
    made->loop.promise = Promise::None;
  for (StmtP &b : made->body)
    b = withoutPromise(b, loop);
  return made;
}

// Sizes that are meant have more than a few iterations.
isl::set largeSizes(const Program &p) {
  constexpr int kLarge = 16;
  isl::set all = p.context.intersect(p.assumptions);
  for (const Parameter &q : p.parameters)
    all = all.intersect(
        isl::set(all.ctx(), fmt::format("[{0}] -> {{ : {0} >= {1} }}", q.name, kLarge)));
  return all;
}

// Whether each instance touches the one element that the relation says. Reads are never said to be
// of one element.
bool isAtOneElement(const Access &a) {
  return a.isMust || (!a.isWrite && a.isCertain && a.relation.is_single_valued());
}

// Whether two accesses of different iterations certainly meet, at all large sizes for which there
// are different iterations.
bool certainlyMeet(const Statement &a, const Access &x, const Statement &b, const Access &y,
                   size_t loop, const isl::set &sizes) {
  isl::set exist = onlyParams(acrossIterations(allPairs(a, b), loop).domain()).intersect(sizes);
  if (exist.is_empty())
    return false;
  isl::map meet = acrossIterations(x.relation.apply_range(y.relation.reverse()), loop);
  return !meet.is_empty() && exist.is_subset(onlyParams(meet.domain()));
}

} // namespace

bool isPromised(const Array &array) {
  return array.kind == ArrayKind::Memory && !array.isScalar() && !array.isOwn();
}

isl::map withoutPromised(const Program &p, const Statement &from, const Statement &to,
                         const isl::map &pairs) {
  isl::map kept = pairs;
  for (size_t k = 0; k < commonLoops(from, to); k++)
    if (p.loop(from.loops[k]).promise == Promise::Independent)
      kept = kept.subtract(acrossIterations(kept, k));
  return kept;
}

isl::union_map askedOrder(const Program &p) {
  isl::union_map all(p.isl->get(), "{ }");
  for (const Statement &a : p.statements)
    for (const Statement &b : p.statements)
      for (size_t k = 0; k < commonLoops(a, b); k++)
        if (const SourceLoop &l = p.loop(a.loops[k]); l.promise == Promise::InOrder) {
          isl::map same = sameIterations(allPairs(a, b), k);
          all = all.unite(isl::union_map(l.step < 0 ? later(same, k) : earlier(same, k)));
        }
  return all;
}

std::vector<FalsePromise> takeBackFalsePromises(Program &p) {
  std::vector<FalsePromise> told;
  if (std::none_of(p.loops.begin(), p.loops.end(),
                   [](const SourceLoop &l) { return l.promise == Promise::Independent; }))
    return told;
  isl::set sizes = largeSizes(p);
  auto breaks = [&](const SourceLoop &l) -> std::string {
    for (const Statement &a : p.statements)
      for (const Statement &b : p.statements) {
        auto found = std::find(a.loops.begin(), a.loops.end(), l.id);
        size_t k = size_t(found - a.loops.begin());
        if (found == a.loops.end() || commonLoops(a, b) <= k)
          continue;
        for (const Access &x : a.accesses)
          for (const Access &y : b.accesses)
            if (x.isWrite && x.array == y.array && x.isMust && isAtOneElement(y) &&
                isPromised(p.arrays.at(x.array)) && certainlyMeet(a, x, b, y, k, sizes))
              return p.arrays.at(x.array).variable.spelling;
      }
    return "";
  };
  for (SourceLoop &l : p.loops)
    if (std::string array = l.promise == Promise::Independent ? breaks(l) : ""; !array.empty()) {
      l.promise = Promise::None;
      for (StmtP &s : p.region.body)
        s = withoutPromise(s, l);
      told.push_back({l.at, array});
    }
  return told;
}

Diagnostic asDiagnostic(const FalsePromise &f) {
  return {"NW0304", Severity::Warning, f.at,
          fmt::format("this loop is declared independent, but different iterations touch the same "
                      "elements of '{}'",
                      f.array),
          "nestwarp ignores the promise; use reduction, private or seq if that is what you mean"};
}

void keepAskedOrder(Program &p) {
  for (Statement &s : p.statements)
    if (s.reduction)
      for (int id : s.loops)
        if (p.loop(id).promise == Promise::InOrder &&
            !mentions(s.reduction->target, p.loop(id).counter)) {
          s.reduction.reset();
          break;
        }
}

} // namespace nw
