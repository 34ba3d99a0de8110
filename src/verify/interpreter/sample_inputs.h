// Inputs for sampled runs: small values of the integers that sizes depend on, chosen such that the
// region's statements have something to do.
#pragma once
#include "verify/interpreter/interpreter.h"
#include <optional>

namespace nw {

class SampleInputs {
public:
  explicit SampleInputs(const Program &program);

  // Scalars near the wanted values (taken in turn), such that every statement has instances where
  // that is possible.
  std::map<std::string, int64_t> near(const std::vector<int64_t> &wanted) const;
  // The same where some statements, or all, may have nothing to do.
  std::map<std::string, int64_t> anywhere(const std::vector<int64_t> &wanted) const;
  // The same as near with one parameter at the given value, if it can have it.
  std::optional<std::map<std::string, int64_t>> withLarge(size_t parameter, int64_t value,
                                                          const std::vector<int64_t> &wanted) const;
  // Scalars for which the model's assumptions do not hold, if there are such.
  std::optional<std::map<std::string, int64_t>> outside() const;
  // Whether what is always true of the parameters is true of these.
  bool isDefined(const SampleInput &input) const { return isIn(context, input); }
  // Whether the assumptions of the program hold, too.
  bool isInside(const SampleInput &input) const { return isIn(valid, input); }
  size_t parameters() const { return names.size(); }

private:
  bool isIn(isl::set where, const SampleInput &input) const;
  std::map<std::string, int64_t> solved(isl::set where, const std::vector<int64_t> &wanted) const;

  const Program &program;
  std::shared_ptr<IslContext> isl;
  std::vector<std::string> names;  // parameters that are variables of the region
  std::vector<std::string> others; // its other integer scalars
  Unset<isl::set> context,
      valid; // parameters that there can be, and those for which the assumptions hold
  Unset<isl::set> fruitful; // those for which statements have instances
};

} // namespace nw
