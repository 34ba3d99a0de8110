// Choosing inputs.
#include "verify/interpreter/sample_inputs.h"
#include "support/diagnostics.h"
#include "verify/interpreter/execute.h"
#include "verify/interpreter/translate.h"
#include <fmt/format.h>
#include <set>

namespace nw {

namespace {

isl::set withValue(const isl::set &s, const std::string &name, int64_t value) {
  int position = isl_set_find_dim_by_name(s.get(), isl_dim_param, name.c_str());
  if (position < 0)
    return s;
  return isl::manage(isl_set_fix_val(s.copy(), isl_dim_param, unsigned(position),
                                     intVal(s.ctx(), long(value)).release()));
}

// The set in another context: what is done with it does not count against the operations that
// compiling may take.
isl::set moved(const isl::set &s, const IslContext &to) {
  char *text = isl_set_to_str(s.get());
  isl::set copy(to.get(), text);
  free(text);
  return copy;
}

// Any point of a set of parameters, as the value of one of them.
std::optional<int64_t> someValue(const isl::set &s, const std::string &name) {
  isl_set *one = isl_set_copy(s.get());
  int position = isl_set_find_dim_by_name(one, isl_dim_param, name.c_str());
  if (position < 0) {
    isl_set_free(one);
    return std::nullopt;
  }
  isl_point *point = isl_set_sample_point(one);
  std::optional<int64_t> found;
  if (!isl_point_is_void(point)) {
    isl_val *v = isl_point_get_coordinate_val(point, isl_dim_param, position);
    found = isl_val_get_num_si(v);
    isl_val_free(v);
  }
  isl_point_free(point);
  return found;
}

} // namespace

SampleInputs::SampleInputs(const Program &program)
    : program(program), isl(std::make_shared<IslContext>()) {
  std::set<std::string> counters;
  for (const SourceLoop &l : program.loops)
    counters.insert(l.counter);
  for (const Parameter &q : program.parameters)
    if (program.region.variables.count(q.name))
      names.push_back(q.name);
  for (auto &[name, v] : program.region.variables)
    if (!v.isArray() && !v.inside && v.type.isInteger() && !counters.count(name) &&
        std::find(names.begin(), names.end(), name) == names.end())
      others.push_back(name);
  isl_ctx *theirs = program.isl->get().get();
  unsigned long most = isl_ctx_get_max_operations(theirs);
  isl_ctx_set_max_operations(theirs, 0);
  context = moved(program.context, *isl);
  valid = context.intersect(moved(program.assumptions, *isl));
  isl::set all = valid;
  for (const Statement &s : program.statements) {
    isl::set narrower = all.intersect(moved(onlyParams(s.domain), *isl));
    if (!narrower.is_empty())
      all = narrower;
  }
  fruitful = all;
  isl_ctx_set_max_operations(theirs, most);
}

std::map<std::string, int64_t> SampleInputs::solved(isl::set where,
                                                    const std::vector<int64_t> &wanted) const {
  std::map<std::string, int64_t> values;
  for (size_t k = 0; k < names.size(); k++) {
    std::optional<int64_t> value;
    for (int64_t distance = 0; distance <= 4 && !value;
         distance++) // the wanted value, or one close to it
      for (int64_t sign : {1, -1})
        if (int64_t x = wanted[k % wanted.size()] + sign * distance;
            !value && !withValue(where, names[k], x).is_empty())
          value = x;
    if (!value) {
      isl::set small = where.intersect(
          isl::set(where.ctx(), fmt::format("[{0}] -> {{ : -64 <= {0} <= 64 }}", names[k])));
      value = someValue(small.is_empty() ? where : small, names[k]);
    }
    values[names[k]] = value.value_or(wanted[k % wanted.size()]);
    where = withValue(where, names[k], values[names[k]]);
  }
  for (size_t k = 0; k < others.size(); k++)
    values[others[k]] = wanted[(names.size() + k) % wanted.size()];
  return values;
}

std::map<std::string, int64_t> SampleInputs::near(const std::vector<int64_t> &wanted) const {
  return solved(fruitful, wanted);
}

std::map<std::string, int64_t> SampleInputs::anywhere(const std::vector<int64_t> &wanted) const {
  return solved(valid, wanted);
}

std::optional<std::map<std::string, int64_t>>
SampleInputs::withLarge(size_t parameter, int64_t value, const std::vector<int64_t> &wanted) const {
  isl::set fixed = withValue(fruitful, names[parameter], value);
  if (fixed.is_empty())
    return std::nullopt;
  return solved(fixed, wanted);
}

std::optional<std::map<std::string, int64_t>> SampleInputs::outside() const {
  isl::set wrong = context.subtract(valid);
  if (wrong.is_empty() || names.size() != program.parameters.size())
    return std::nullopt;
  return solved(wrong, {3, 4, 5, 2});
}

bool SampleInputs::isIn(isl::set where, const SampleInput &input) const {
  int64_t steps = 0;
  Code code;
  Translator translator(program.region, input.arithmetic, code);
  Executor executor(code, input.arithmetic, steps, 1000000, nullptr);
  std::vector<Word> frame;
  for (auto &[name, v] : program.region.variables)
    if (!v.isArray() && !v.inside) {
      InputData data(program.region, input, name, v.type);
      translator.bindFrame(name, v.type);
      for (int64_t k = 0; k < data.width(); k++)
        frame.push_back(data.at(k));
    }
  std::vector<uint8_t> isSet(frame.size() + 1, 1);
  frame.resize(frame.size() + 1);
  Thread thread;
  thread.frame = frame.data();
  thread.isSet = isSet.data();
  executor.use(thread);
  try {
    for (const Parameter &q : program.parameters) {
      Word value = executor.eval(translator.converted(q.value, q.type.scalar));
      if (q.type.scalar == Scalar::U64 && value.integer < 0)
        return false;
      where = withValue(where, q.name, value.integer);
    }
  } catch (const Undefined &) {
    return false;
  } catch (const InternalError &) {
    return false;
  }
  return !where.is_empty();
}

} // namespace nw
