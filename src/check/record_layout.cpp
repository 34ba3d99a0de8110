// The layout of records.
#include "check/record_layout.h"
#include "check/shadow.h"
#include "lower/isl_ast.h"
#include "lower/views.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

std::string baseOfCells(const std::string &statement) {
  return fmt::format("nw_{}_base", statement);
}
std::string strideOfCells(const std::string &statement, size_t dimension) {
  return fmt::format("nw_{}_stride{}", statement, dimension);
}

const StatementRecord &RecordLayout::of(const std::string &statement) const {
  for (const StatementRecord &r : statements)
    if (r.name == statement)
      return r;
  throw InternalError{"the kernels contain the statement '" + statement +
                      "', which the program does not have"};
}

int statementIn(uint64_t writer) { return int(writer >> kStatementShift); }

std::vector<int64_t> iteratorsIn(uint64_t writer, const StatementRecord &record, size_t depth) {
  std::vector<int64_t> all;
  for (size_t k = 0; k < depth; k++) {
    uint64_t field = writer >> (8 + record.bits * int(depth - 1 - k)) & ((1ull << record.bits) - 1);
    all.push_back(int64_t(field) - (1ll << (record.bits - 1)));
  }
  return all;
}

// The box around the statement's instances: cells from `begin` on, which is moved behind them.
static void addCells(const Program &p, const Statement &s, ExprP &begin,
                     std::vector<Parameter> &scalars) {
  AstReader reader(p, kI64);
  isl::set known = p.context.intersect(p.assumptions),
           domain = unnamed(s.domain).intersect_params(known);
  size_t depth = s.loops.size();
  auto define = [&](const std::string &name, const ExprP &value) {
    scalars.push_back({name, value, kI64});
    return var(name, kI64);
  };
  ExprP any = domain.is_empty() ? intConst(0, kI32) : reader.condition(onlyParams(domain), known),
        size = intConst(1), base = begin;
  auto orZero = [&](const ExprP &value) {
    return any ? select(any, value, intConst(0), kI64) : value;
  };
  for (size_t k = depth; k-- > 0;) {
    ExprP stride = define(strideOfCells(s.name, k), size);
    if (domain.is_empty())
      continue;
    ExprP first = orZero(reader.value(lowest(domain, int(k)), known)),
          last = orZero(reader.value(highest(domain, int(k)), known));
    first = define(fmt::format("nw_{}_first{}", s.name, k), first);
    base = binary("-", base, binary("*", first, stride, kI64), kI64);
    size =
        binary("*", stride, binary("+", binary("-", last, first, kI64), intConst(1), kI64), kI64);
  }
  define(baseOfCells(s.name), base);
  begin = define(fmt::format("nw_{}_end", s.name), binary("+", begin, orZero(size), kI64));
}

RecordLayout layoutOf(const Program &p) {
  isl_ctx_reset_operations(p.isl->get().get());
  RecordLayout out;
  if (p.statements.size() > 250)
    throw UserError{fmt::format("{} statements are too many to track", p.statements.size())};
  ExprP begin = intConst(0);
  for (const Statement &s : p.statements) {
    StatementRecord r;
    r.name = s.name;
    r.number = int(out.statements.size()) + 1;
    r.bits = s.loops.empty() ? 0 : std::min(20, 48 / int(s.loops.size()));
    if (!s.loops.empty() && r.bits < 6)
      throw UserError{
          fmt::format("{} loops around one statement are too many to track", s.loops.size())};
    r.sites = readSites(p, s);
    out.words = std::max(out.words, kCellWords + int(r.sites.size()));
    addCells(p, s, begin, out.scalars);
    out.statements.push_back(r);
  }
  out.scalars.push_back({kCells, begin, kI64});
  return out;
}

} // namespace nw
