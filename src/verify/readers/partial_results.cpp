// Partial results.
#include "verify/readers/partial_results.h"

namespace nw {

const Combination *combinationOf(const PositionReport &report, const Kernel &kernel,
                                 const std::string &variable) {
  const Combination *found = nullptr;
  for (const Combination &c : report.combinations)
    if (c.kernel == &kernel && c.variable == variable) {
      if (found)
        return nullptr;
      found = &c;
    }
  return found;
}

std::vector<std::string> unknownsAlong(const Combination &c, int axis) {
  std::vector<std::string> names;
  for (const char *what : {"local.", "thread."})
    for (const std::string &name : paramNames(isl::manage(
             isl_pw_aff_get_domain_space(c.threads.at(what + std::string(1, "xyz"[axis])).get()))))
      names.push_back(name);
  return names;
}

isl::set without(isl::set s, const std::vector<std::string> &unknowns) {
  for (const std::string &name : unknowns)
    if (int at = isl_set_find_dim_by_name(s.get(), isl_dim_param, name.c_str()); at >= 0)
      s = isl::manage(isl_set_project_out(s.release(), isl_dim_param, unsigned(at), 1));
  return s;
}

isl::map columnRelation(const isl::pw_aff &column, const std::vector<isl::pw_aff> &values,
                        const isl::set &when) {
  SchedulePosition position;
  position.statement = "column";
  position.values = {column};
  return relationTo(position, values, when);
}

std::optional<Handover> handoverOf(const PositionReport &report, const Combination &from) {
  std::optional<LeftResult> left = leftBy(*from.code);
  if (!left || !left->columns)
    return std::nullopt;
  const Combination *to = nullptr;
  for (const Combination &c : report.combinations)
    if (c.code->kind == StmtKind::Take && c.variable == left->buffer->name) {
      if (to)
        return std::nullopt;
      to = &c;
    }
  std::optional<TakenResults> taken = to ? takenBy(*to->code) : std::nullopt;
  std::optional<isl::pw_aff> here = from.inside->value(left->column);
  if (!taken || !taken->columns || !here)
    return std::nullopt;
  return Handover{*left, *taken, &from, to, *here, to->threads.at("thread.x")};
}

// Whether the buffer has its memory wherever the statement is executed.
static bool isThere(const Buffer &buffer, const Combination &c) {
  std::optional<isl::set> when = buffer.touched ? c.host->condition(buffer.touched) : std::nullopt;
  return !buffer.touched || (when && c.executed.is_subset(*when));
}

static bool isInRow(const Combination &c, const isl::pw_aff &column, const ExprP &columns) {
  std::optional<isl::pw_aff> many = c.inside->value(columns);
  return many &&
         c.executed.is_disjoint(column.ge_set(*many).unite(column.lt_set(c.inside->constant(0))));
}

// Whether the row and the column, and the turn of the host's loops, tell where the statement is
// executed.
static bool isLeftOnce(const Combination &c, const isl::pw_aff &row, const isl::pw_aff &column) {
  SchedulePosition cell;
  cell.statement = "cell";
  cell.values = {row, column};
  std::vector<isl::pw_aff> where;
  for (const Coordinate &x : c.coordinates)
    (x.kind == Coordinate::Ordered ? cell.values : where).push_back(x.value);
  return relationTo(cell, where, c.executed).is_single_valued();
}

std::string wrongCells(const Kernels &k, const Handover &h) {
  const isl::pw_aff &block = h.from->threads.at(h.left.axis == 0 ? "block.x" : "block.y");
  if (!isInRow(*h.from, h.here, h.left.columns) || !isInRow(*h.to, h.there, h.taken.columns))
    return "a partial result lies beyond its row";
  if (!isLeftOnce(*h.from, block, h.here))
    return "its partial result is written by several threads";
  for (const Buffer &b : k.buffers)
    if (b.name == h.left.buffer->name && !isThere(b, *h.from))
      return "the memory for its partial results is not there for all sizes";
  AffineScope scope = *h.to->inside;
  std::optional<isl::pw_aff> rows = scope.value(h.taken.rows);
  if (!rows)
    return "how many partial results there are cannot be read";
  isl::pw_aff row = scope.addUnknown("row", "row@taken");
  isl::set read = meet(meet(h.to->executed, row.ge_set(scope.constant(0))), row.lt_set(*rows));
  return columnRelation(h.there, {row}, read)
                 .is_subset(columnRelation(h.here, {block}, h.from->certain))
             ? ""
             : "a partial result is read that no block has written";
}

} // namespace nw
