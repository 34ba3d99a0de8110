// isl's scheduler and the reading of its tree.
#include "poly/isl_schedule.h"
#include <fmt/format.h>
#include <isl/ctx.h>

namespace nw {

namespace {

constexpr unsigned long kMostOperations = 4000000; // of isl, for one attempt

class TreeReader {
public:
  explicit TreeReader(const Program &program) : program(program), ctx(program.isl->get()) {}

  Step read(isl::schedule_node node) {
    switch (isl_schedule_node_get_type(node.get())) {
    case isl_schedule_node_domain:
    case isl_schedule_node_filter:
    case isl_schedule_node_context:
    case isl_schedule_node_mark:
      return read(node.child(0));
    case isl_schedule_node_sequence:
    case isl_schedule_node_set: {
      Step s;
      for (unsigned k = 0; k < unsigned(isl_schedule_node_n_children(node.get())); k++)
        s.children.push_back(read(node.child(k)));
      return hasParallelism(s) ? s : serial(node);
    }
    case isl_schedule_node_band:
      return band(node);
    default:
      return serial(node);
    }
  }

private:
  static std::vector<std::string> statementsOf(const isl::schedule_node &node) {
    std::vector<std::string> names;
    for (const isl::set &s : setsOf(isl::manage(isl_schedule_node_get_domain(node.get()))))
      names.push_back(tupleOf(s));
    return names;
  }

  Step serial(const isl::schedule_node &node) {
    Step s;
    s.kind = StepKind::Serial;
    s.statements = statementsOf(node);
    s.inside = isl::manage(isl_schedule_node_get_subtree_schedule_union_map(node.get()))
                   .intersect_domain(isl::manage(isl_schedule_node_get_domain(node.get())));
    return s;
  }

  Dimension member(const isl::schedule_node &node, int k, const std::string &name) {
    isl::multi_union_pw_aff all =
        isl::manage(isl_schedule_node_band_get_partial_schedule(node.get()));
    Dimension d;
    d.name = name;
    isl_union_pw_aff *one = isl_multi_union_pw_aff_get_union_pw_aff(all.get(), k);
    d.value = isl::manage(isl_union_map_from_union_pw_aff(one))
                  .intersect_domain(isl::manage(isl_schedule_node_get_domain(node.get())));
    return d;
  }

  std::string fresh() {
    std::string name = fmt::format("c{}", next++);
    while (program.region.variables.count(name))
      name += "_";
    return name;
  }

  // The members in `kept`, in order, followed by everything below the band.
  isl::union_map below(const isl::schedule_node &node, const std::vector<int> &kept) {
    isl::union_set domain = isl::manage(isl_schedule_node_get_domain(node.get()));
    isl::union_map time =
        isl::manage(isl_schedule_node_get_subtree_schedule_union_map(node.child(0).get()))
            .intersect_domain(domain);
    for (size_t k = kept.size(); k-- > 0;)
      time = isl::manage(isl_union_map_flat_range_product(member(node, kept[k], "").value.release(),
                                                          time.release()));
    return time;
  }

  Step band(const isl::schedule_node &node) {
    int count = isl_schedule_node_band_n_member(node.get());
    bool permutable = isl_schedule_node_band_get_permutable(node.get());
    std::vector<int> free, bound;
    for (int k = 0; k < count; k++) {
      bool coincident = isl_schedule_node_band_member_get_coincident(node.get(), k);
      (coincident && (permutable || bound.empty()) ? free : bound).push_back(k);
    }
    Step s;
    s.statements = statementsOf(node);
    if (!free.empty()) {
      s.kind = StepKind::Parallel;
      for (int k : free)
        s.parallel.push_back(member(node, k, fresh()));
      s.inside = below(node, bound);
      return s;
    }
    s.kind = StepKind::Loop;
    if (permutable &&
        count > 1) { // a wavefront: the sum of all members in order, all but the first side by side
      s.dimension = member(node, 0, fresh());
      for (int k = 1; k < count; k++)
        s.dimension.value = sum(s.dimension.value, member(node, k, "").value);
      Step wave;
      wave.kind = StepKind::Parallel;
      wave.statements = s.statements;
      for (int k = 1; k < count; k++)
        wave.parallel.push_back(member(node, k, fresh()));
      wave.inside = below(node, {});
      s.children.push_back(wave);
      return s;
    }
    if (count > 1) { // not permutable: only the outermost member can be peeled off
      isl::schedule_node outer = isl::manage(isl_schedule_node_band_split(node.copy(), 1));
      return band(outer);
    }
    s.dimension = member(node, 0, fresh());
    s.children.push_back(read(node.child(0)));
    if (!hasParallelism(s.children[0]))
      return serial(node);
    return s;
  }

  isl::union_map sum(const isl::union_map &a, const isl::union_map &b) {
    isl::union_map both = isl::manage(isl_union_map_flat_range_product(a.copy(), b.copy()));
    return both.apply_range(isl::union_map(ctx, "{ [a, b] -> [a + b] }"));
  }

  const Program &program;
  isl::ctx ctx;
  int next = 0;
};

isl::union_map among(const Program &p, const std::vector<size_t> &group,
                     const isl::union_map &all) {
  isl::union_set domain(p.isl->get(), "{ }");
  for (size_t k : group)
    domain = domain.unite(isl::union_set(p.statements[k].domain));
  return all.intersect_domain(domain).intersect_range(domain);
}

} // namespace

std::optional<Step> scheduleByIsl(const Program &p, const std::vector<size_t> &group,
                                  const Dependences &dependences, bool fuse) {
  isl_ctx *raw = p.isl->get().get();
  unsigned long budget = 0;
  try {
    isl::union_set domain(p.isl->get(), "{ }");
    for (size_t k : group)
      domain = domain.unite(isl::union_set(p.statements[k].domain));
    isl::union_map validity = among(p, group, dependences.validity(false));
    isl::union_map flow = among(p, group, dependences.valueFlow);
    isl_options_set_schedule_outer_coincidence(raw, 1);
    isl_options_set_schedule_maximize_band_depth(raw, 1);
    isl_options_set_schedule_serialize_sccs(raw, fuse ? 0 : 1);
    budget = isl_ctx_get_max_operations(raw);
    isl_ctx_reset_operations(raw);
    isl_ctx_set_max_operations(raw, kMostOperations);
    isl::schedule_constraints constraints = isl::schedule_constraints::on_domain(domain);
    constraints = constraints.set_context(p.context)
                      .set_validity(validity)
                      .set_coincidence(validity)
                      .set_proximity(flow);
    isl::schedule schedule = constraints.compute_schedule();
    Step step = TreeReader(p).read(schedule.get_root());
    isl_ctx_set_max_operations(raw, budget);
    return step;
  } catch (const isl::exception &) {
    isl_ctx_set_max_operations(raw, budget);
    isl_ctx_reset_operations(raw);
    isl_ctx_reset_error(raw);
    return std::nullopt;
  }
}

} // namespace nw
