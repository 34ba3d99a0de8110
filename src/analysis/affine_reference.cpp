// From access maps to matrices.
#include "analysis/affine_reference.h"
#include "analysis/affine_row.h"
#include <fmt/format.h>

namespace nw {

bool AffineReference::isTranslationOf(const AffineReference &other) const {
  return array == other.array && loops == other.loops && linear == other.linear &&
         parameters == other.parameters;
}

std::optional<AffineReference> affineReference(const Statement &statement, size_t access) {
  const Access &a = statement.accesses[access];
  std::optional<std::vector<AffineRow>> rows = affineRows(a.relation);
  if (!rows)
    return std::nullopt;
  AffineReference out;
  out.id = {statement.name, access};
  out.array = a.array;
  out.isWrite = a.isWrite;
  out.loops = statement.loops;
  for (const AffineRow &row : *rows) {
    out.linear.push_back({row.coefficients.begin(), row.coefficients.end()});
    out.parameters.push_back(row.rest.factors);
    out.offset.push_back(row.rest.constant);
  }
  return out;
}

std::vector<const Statement *> allStatements(const Program &program) {
  std::vector<const Statement *> all;
  for (const Statement &s : program.statements)
    all.push_back(&s);
  return all;
}

std::vector<AffineReference> affineReferences(const Program &program,
                                              const std::vector<const Statement *> &statements) {
  std::vector<AffineReference> all;
  for (const Statement *s : statements)
    for (size_t k = 0; k < s->accesses.size(); k++)
      if (program.arrays.at(s->accesses[k].array).kind == ArrayKind::Memory)
        if (std::optional<AffineReference> r = affineReference(*s, k))
          all.push_back(*r);
  return all;
}

std::string printAffine(const IntegerRow &factors, const std::vector<std::string> &names,
                        int64_t constant) {
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
