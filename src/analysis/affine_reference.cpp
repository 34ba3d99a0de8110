// From access maps to matrices.
#include "analysis/affine_reference.h"
#include <fmt/format.h>

namespace nw {

bool AffineReference::isTranslationOf(const AffineReference &other) const {
  return array == other.array && loops == other.loops && linear == other.linear && parameters == other.parameters;
}

namespace {

// The factors of one subscript, where they are integers and there is no division.
bool addSubscript(const isl::aff &subscript, AffineReference &out) {
  auto factor = [&](isl_dim_type type, int position) {
    return longOf(isl::manage(isl_aff_get_coefficient_val(subscript.get(), type, position)));
  };
  for (int k = 0; k < isl_aff_dim(subscript.get(), isl_dim_div); k++)
    if (factor(isl_dim_div, k) != 0)
      return false;
  IntegerRow row;
  for (int k = 0; k < isl_aff_dim(subscript.get(), isl_dim_in); k++) {
    std::optional<long> value = factor(isl_dim_in, k);
    if (!value)
      return false;
    row.push_back(*value);
  }
  std::map<std::string, int64_t> parameters;
  for (int k = 0; k < isl_aff_dim(subscript.get(), isl_dim_param); k++) {
    std::optional<long> value = factor(isl_dim_param, k);
    if (!value)
      return false;
    if (*value)
      parameters[isl_aff_get_dim_name(subscript.get(), isl_dim_param, k)] = *value;
  }
  std::optional<long> constant = longOf(isl::manage(isl_aff_get_constant_val(subscript.get())));
  if (!constant)
    return false;
  out.linear.push_back(row);
  out.parameters.push_back(parameters);
  out.offset.push_back(*constant);
  return true;
}

} // namespace

std::optional<AffineReference> affineReference(const Statement &statement, size_t access) {
  const Access &a = statement.accesses[access];
  isl::map relation = isl::manage(isl_map_gist_domain(a.relation.copy(), statement.domain.copy()));
  if (!relation.is_single_valued() || a.relation.is_empty())
    return std::nullopt;
  isl::pw_multi_aff function = isl::manage(isl_pw_multi_aff_from_map(relation.release()));
  if (isl_pw_multi_aff_n_piece(function.get()) != 1)
    return std::nullopt;
  AffineReference out;
  out.id = {statement.name, access};
  out.array = a.array;
  out.isWrite = a.isWrite;
  out.loops = statement.loops;
  for (int k = 0; k < isl_pw_multi_aff_dim(function.get(), isl_dim_out); k++) {
    isl::pw_aff subscript = isl::manage(isl_pw_multi_aff_get_pw_aff(function.get(), k));
    isl::aff only = isl::manage(isl_pw_aff_as_aff(isl_pw_aff_gist(subscript.copy(), subscript.domain().release())));
    if (!addSubscript(only, out))
      return std::nullopt;
  }
  return out;
}

std::vector<const Statement *> allStatements(const Program &program) {
  std::vector<const Statement *> all;
  for (const Statement &s : program.statements)
    all.push_back(&s);
  return all;
}

std::vector<AffineReference> affineReferences(const Program &program, const std::vector<const Statement *> &statements) {
  std::vector<AffineReference> all;
  for (const Statement *s : statements)
    for (size_t k = 0; k < s->accesses.size(); k++)
      if (program.arrays.at(s->accesses[k].array).kind == ArrayKind::Memory)
        if (std::optional<AffineReference> r = affineReference(*s, k))
          all.push_back(*r);
  return all;
}

std::string printAffine(const IntegerRow &factors, const std::vector<std::string> &names, int64_t constant) {
  std::string out;
  auto add = [&](int64_t factor, const std::string &name) {
    if (!factor)
      return;
    out += factor < 0 ? (out.empty() ? "-" : " - ") : (out.empty() ? "" : " + ");
    int64_t size = factor < 0 ? -factor : factor;
    out += name.empty() ? std::to_string(size) : (size == 1 ? "" : std::to_string(size)) + name;
  };
  for (size_t k = 0; k < factors.size(); k++)
    add(factors[k], names[k]);
  add(constant, "");
  return out.empty() ? "0" : out;
}

std::vector<std::string> counters(const Program &program, const std::vector<int> &loops) {
  std::vector<std::string> names;
  for (int id : loops)
    names.push_back(program.loop(id).counter);
  return names;
}

std::string print(const Program &program, const AffineReference &r) {
  std::string out = r.array;
  std::vector<std::string> names = counters(program, r.loops);
  for (size_t k = 0; k < r.linear.size(); k++) {
    IntegerRow factors = r.linear[k];
    std::vector<std::string> all = names;
    for (auto &[name, factor] : r.parameters[k]) {
      factors.push_back(factor);
      all.push_back(name);
    }
    out += fmt::format("[{}]", printAffine(factors, all, r.offset[k]));
  }
  return fmt::format("{} in {}", out, r.id.statement);
}

} // namespace nw
