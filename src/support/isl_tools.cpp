// Thin wrappers over isl's C interface.
#include "support/isl_tools.h"
#include <climits>
#include <fmt/format.h>

namespace nw {

IslContext::IslContext() {
  raw = isl_ctx_alloc();
  isl_options_set_on_error(raw, ISL_ON_ERROR_CONTINUE);
  isl_options_set_ast_build_atomic_upper_bound(raw, 1);
  isl_options_set_schedule_treat_coalescing(raw, 1);
  isl_options_set_schedule_max_coefficient(raw, 4);
  isl_options_set_schedule_max_constant_term(raw, 16);
}

IslContext::~IslContext() { isl_ctx_free(raw); }

isl::val intVal(isl::ctx ctx, const std::string &decimal) {
  return isl::manage(isl_val_read_from_str(ctx.get(), decimal.c_str()));
}
isl::val intVal(isl::ctx ctx, long value) {
  return isl::manage(isl_val_int_from_si(ctx.get(), value));
}

std::optional<long> longOf(const isl::val &value) {
  if (!value.is_int() || isl_val_cmp_si(value.get(), LONG_MAX) > 0 ||
      isl_val_cmp_si(value.get(), LONG_MIN) < 0)
    return std::nullopt;
  return isl_val_get_num_si(value.get());
}

isl::space anonymousSpace(isl::ctx ctx, int dims) {
  return isl::manage(isl_space_set_alloc(ctx.get(), 0, dims));
}

static isl_local_space *localSpace(const isl::space &s) {
  return isl_local_space_from_space(s.copy());
}

isl::pw_aff constantOn(const isl::space &s, const isl::val &value) {
  return isl::manage(isl_pw_aff_from_aff(isl_aff_val_on_domain(localSpace(s), value.copy())));
}
isl::pw_aff dimensionOn(const isl::space &s, int position) {
  return isl::manage(
      isl_pw_aff_from_aff(isl_aff_var_on_domain(localSpace(s), isl_dim_set, position)));
}
isl::pw_aff parameterOn(const isl::space &s, const std::string &name) {
  isl_id *id = isl_id_alloc(isl_space_get_ctx(s.get()), name.c_str(), nullptr);
  isl_space *space = isl_space_add_param_id(s.copy(), isl_id_copy(id));
  return isl::manage(isl_pw_aff_from_aff(isl_aff_param_on_domain_space_id(space, id)));
}

int dimsOf(const isl::set &s) { return isl_set_dim(s.get(), isl_dim_set); }
int paramsOf(const isl::set &s) { return isl_set_dim(s.get(), isl_dim_param); }
isl::set addDims(isl::set s, int count) {
  return isl::manage(isl_set_add_dims(s.release(), isl_dim_set, count));
}
isl::pw_aff addInputDims(isl::pw_aff a, int count) {
  return isl::manage(isl_pw_aff_add_dims(a.release(), isl_dim_in, count));
}
isl::set projectOut(isl::set s, int first, int count) {
  return isl::manage(isl_set_project_out(s.release(), isl_dim_set, first, count));
}
isl::map projectOutInputs(isl::map m, int first, int count) {
  return isl::manage(isl_map_project_out(m.release(), isl_dim_in, first, count));
}
isl::set named(isl::set s, const std::string &tuple) {
  return isl::manage(isl_set_set_tuple_name(s.release(), tuple.c_str()));
}
isl::set unnamed(isl::set s) { return isl::manage(isl_set_reset_tuple_id(s.release())); }
isl::map namedInput(isl::map m, const std::string &tuple) {
  return isl::manage(isl_map_set_tuple_name(m.release(), isl_dim_in, tuple.c_str()));
}
isl::map namedOutput(isl::map m, const std::string &tuple) {
  return isl::manage(isl_map_set_tuple_name(m.release(), isl_dim_out, tuple.c_str()));
}
isl::set onlyParams(const isl::set &s) { return isl::manage(isl_set_params(s.copy())); }

static std::string orEmpty(const char *name) { return name ? name : ""; }
std::string tupleOf(const isl::set &s) { return orEmpty(isl_set_get_tuple_name(s.get())); }
std::string inputTupleOf(const isl::map &m) {
  return orEmpty(isl_map_get_tuple_name(m.get(), isl_dim_in));
}
std::string outputTupleOf(const isl::map &m) {
  return orEmpty(isl_map_get_tuple_name(m.get(), isl_dim_out));
}

std::vector<isl::set> setsOf(const isl::union_set &u) {
  std::vector<isl::set> all;
  u.foreach_set([&](isl::set s) { all.push_back(s); });
  return all;
}
std::vector<isl::map> mapsOf(const isl::union_map &u) {
  std::vector<isl::map> all;
  u.foreach_map([&](isl::map m) { all.push_back(m); });
  return all;
}
std::vector<isl::basic_set> piecesOf(const isl::set &s) {
  std::vector<isl::basic_set> all;
  s.foreach_basic_set([&](isl::basic_set b) { all.push_back(b); });
  return all;
}

template <> isl::set alignedWith(const isl::set &object, const isl::set &context) {
  return isl::manage(isl_set_align_params(object.copy(), isl_set_get_space(context.get())));
}
template <> isl::union_map alignedWith(const isl::union_map &object, const isl::set &context) {
  return isl::manage(isl_union_map_align_params(object.copy(), isl_set_get_space(context.get())));
}
template <> isl::pw_aff alignedWith(const isl::pw_aff &object, const isl::set &context) {
  return isl::manage(isl_pw_aff_align_params(object.copy(), isl_set_get_space(context.get())));
}

isl::map laterInLast(isl::ctx ctx, int dims, bool ascending) {
  std::string in, out;
  for (int k = 0; k + 1 < dims; k++) {
    in += fmt::format("o{},", k);
    out += fmt::format("o{},", k);
  }
  return isl::map(ctx,
                  fmt::format("{{ [{}a] -> [{}b] : b {} a }}", in, out, ascending ? ">" : "<"));
}

static std::vector<isl::basic_map> piecesOf(const isl::map &m) {
  std::vector<isl::basic_map> all;
  m.foreach_basic_map([&](isl::basic_map piece) { all.push_back(piece); });
  return all;
}

static isl::set ofPiece(const isl::basic_set &piece) {
  return isl::manage(isl_set_from_basic_set(piece.copy()));
}
static isl::map ofPiece(const isl::basic_map &piece) {
  return isl::manage(isl_map_from_basic_map(piece.copy()));
}

// What is in a piece of each. isl's union removes redundant constraints from both sides first, even
// where one of them is empty: the first piece is not united with anything.
template <class T> static T meetOfPieces(const T &a, const T &b) {
  std::optional<T> both;
  for (const auto &x : piecesOf(a))
    for (const auto &y : piecesOf(b)) {
      T piece = ofPiece(x.intersect(y));
      both = both ? both->unite(piece) : piece;
    }
  return both ? *both : T::empty(a.get_space());
}

// Where one of both is a single piece, no more pieces come out than go in; isl does the rest.
isl::set meet(const isl::set &a, const isl::set &b) {
  if (isl_set_n_basic_set(a.get()) != 1 && isl_set_n_basic_set(b.get()) != 1)
    return a.intersect(b);
  isl::set first = alignedWith(a, b);
  return meetOfPieces(first, alignedWith(b, first));
}

isl::map meet(const isl::map &a, const isl::map &b) {
  if (isl_map_n_basic_map(a.get()) != 1 && isl_map_n_basic_map(b.get()) != 1)
    return a.intersect(b);
  isl::map first = isl::manage(isl_map_align_params(a.copy(), isl_map_get_space(b.get()))),
           second = isl::manage(isl_map_align_params(b.copy(), isl_map_get_space(first.get())));
  return meetOfPieces(first, second);
}

bool isBoxIn(const isl::set &points, const isl::set &context) {
  int many = dimsOf(points);
  isl::set all = points.params();
  for (int d = 0; d < many; d++) {
    isl::set values = projectOut(projectOut(points, d + 1, many - d - 1), 0, d);
    all = d == 0 ? values : isl::manage(isl_set_flat_product(all.release(), values.release()));
  }
  return all.intersect_params(context).is_subset(points);
}

isl::map identityOn(const isl::set &s) {
  return isl::manage(isl_map_identity(isl_space_map_from_set(isl_set_get_space(s.get()))))
      .intersect_domain(s);
}

isl::set equateToParam(isl::set s, int position, const std::string &name) {
  isl_id *id = isl_id_alloc(isl_set_get_ctx(s.get()), name.c_str(), nullptr);
  isl_space *space = isl_space_add_param_id(isl_set_get_space(s.get()), isl_id_copy(id));
  isl_aff *parameter = isl_aff_param_on_domain_space_id(isl_space_copy(space), id);
  isl_space *aligned = isl_aff_get_domain_space(parameter);
  isl_aff *dimension =
      isl_aff_var_on_domain(isl_local_space_from_space(aligned), isl_dim_set, position);
  isl_space_free(space);
  isl_set *equal =
      isl_pw_aff_eq_set(isl_pw_aff_from_aff(parameter), isl_pw_aff_from_aff(dimension));
  return isl::manage(isl_set_intersect(s.release(), equal));
}

bool isBoundedDim(const isl::set &s, int position, bool above) {
  return above ? isl_set_dim_has_upper_bound(s.get(), isl_dim_set, position)
               : isl_set_dim_has_lower_bound(s.get(), isl_dim_set, position);
}

std::vector<std::string> paramNames(const isl::space &space) {
  std::vector<std::string> names;
  int count = isl_space_dim(space.get(), isl_dim_param);
  for (int k = 0; k < count; k++)
    names.push_back(isl_space_get_dim_name(space.get(), isl_dim_param, k));
  return names;
}

} // namespace nw
