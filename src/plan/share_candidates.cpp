// The closure of the seeds, by a breadth-first walk over references.
#include "plan/share_candidates.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <set>

namespace nw::share {

namespace {

struct Vertex {
  std::string statement, name;
  auto operator<=>(const Vertex &) const = default;
};

struct Graph {
  std::map<Vertex, std::map<Vertex, std::string>> edges; // with what ties the two
  std::vector<Vertex> order;                             // as they stand in the source

  void add(const Vertex &v) {
    if (edges.try_emplace(v).second)
      order.push_back(v);
  }
  void tie(const Vertex &a, const Vertex &b, const std::string &how) {
    add(a);
    add(b);
    edges[a].emplace(b, how);
    edges[b].emplace(a, how);
  }
};

// Ties all names that one assignment, its conditions included, brings together.
class ValueFlow {
public:
  ValueFlow(const Program &program, const Statement &statement, Graph &graph)
      : program(program), statement(statement), graph(graph) {
    walkStmts(statement.body, [&](const StmtP &s) {
      if (s->kind == StmtKind::Declare)
        locals.insert(s->name);
    });
    visit(statement.body, {});
  }

private:
  using Names = std::vector<std::string>;

  void collect(const ExprP &e, Names &names) const {
    if (e)
      walk(e, [&](const ExprP &part) {
        if (part->kind == ExprKind::Var &&
            (program.arrays.count(part->name) || locals.count(part->name)))
          names.push_back(part->name);
        return true;
      });
  }

  void visit(const StmtP &s, Names names) {
    if (!s)
      return;
    for (const ExprP &e : s->exprs)
      collect(e, names);
    if (s->kind == StmtKind::For)
      for (const ExprP &e : {s->loop.start, s->loop.condition})
        collect(e, names);
    if (s->kind == StmtKind::Declare)
      names.push_back(s->name);
    if (s->kind == StmtKind::Assign || s->kind == StmtKind::Declare)
      for (const std::string &name : names)
        graph.tie({statement.name, names.back()}, {statement.name, name},
                  "value flow in " + statement.name);
    for (const StmtP &inner : s->body)
      visit(inner, names);
  }

  const Program &program;
  const Statement &statement;
  Graph &graph;
  std::set<std::string> locals;
};

Graph graphOf(const Program &program, const Dependences &dependences,
              const std::vector<std::string> &statements) {
  Graph graph;
  for (const std::string &name : statements) {
    const Statement &s = *program.find(name);
    for (const Access &a : s.accesses)
      graph.add({name, a.array});
    ValueFlow(program, s, graph);
  }
  std::set<std::string> inside(statements.begin(), statements.end());
  for (const Dependence &d : dependences.all)
    for (const isl::map &m : mapsOf(d.relation)) {
      std::string from = inputTupleOf(m), to = outputTupleOf(m);
      if (from != to && inside.count(from) && inside.count(to))
        graph.tie({from, d.array}, {to, d.array},
                  fmt::format("dependence of {} between {} and {}", d.array, from, to));
    }
  return graph;
}

bool isCandidate(const Program &program, const std::string &name) {
  auto found = program.arrays.find(name);
  return found != program.arrays.end() && found->second.kind == ArrayKind::Memory &&
         !found->second.isScalar();
}

} // namespace

std::vector<Candidate> candidatesOf(const Program &program, const Dependences &dependences,
                                    const std::vector<std::string> &statements,
                                    const std::vector<std::string> &seeds) {
  Graph graph = graphOf(program, dependences, statements);
  std::vector<Candidate> found;
  std::set<std::string> known;
  auto take = [&](const std::string &array, const std::string &why) {
    if (isCandidate(program, array) && known.insert(array).second)
      found.push_back({array, why});
  };
  if (seeds.empty()) {
    for (const Vertex &v : graph.order)
      take(v.name, "no array is named: all arrays of the step are candidates");
    return found;
  }
  std::map<Vertex, std::string> reached; // with the chain that leads there
  std::deque<Vertex> todo;
  for (const std::string &seed : seeds) {
    take(seed, "named by the user");
    if (!known.count(seed) ||
        std::ranges::none_of(graph.order, [&](const Vertex &v) { return v.name == seed; }))
      throw UserError{fmt::format("share: '{}' is not an array that these loops refer to", seed)};
    for (const Vertex &v : graph.order)
      if (v.name == seed && reached.emplace(v, "").second)
        todo.push_back(v);
  }
  for (; !todo.empty(); todo.pop_front()) {
    Vertex at = todo.front();
    std::string before = reached.at(at).empty() ? at.name : reached.at(at);
    for (const auto &[next, how] : graph.edges.at(at)) {
      if (!reached.emplace(next, fmt::format("{}; {} ({})", before, next.name, how)).second)
        continue;
      todo.push_back(next);
      take(next.name, "joins: " + reached.at(next));
    }
  }
  return found;
}

} // namespace nw::share
