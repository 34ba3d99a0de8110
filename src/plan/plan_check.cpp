// What the tables of plan/plan_fields.h say of values.
#include "plan/plan_fields.h"
#include "support/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

bool NumberRule::admits(int64_t number) const {
  return allowed.empty() ? number >= low && number <= high
                         : std::ranges::find(allowed, number) != allowed.end();
}

std::string NumberRule::inWords() const {
  constexpr int64_t kAny = std::numeric_limits<int>::max(); // and more: nobody wrote such a limit
  if (!allowed.empty()) {
    std::string out;
    for (size_t k = 0; k < allowed.size(); k++)
      out += fmt::format("{}{}", k == 0 ? "" : k + 1 < allowed.size() ? ", " : " or ", allowed[k]);
    return out;
  }
  if (high < kAny)
    return fmt::format("{} to {}", low, high);
  return low > std::numeric_limits<int>::min() ? fmt::format("{} or more", low) : "";
}

std::string CountRule::inWords() const {
  if (fewest == most)
    return std::to_string(most);
  if (most == std::numeric_limits<size_t>::max())
    return fewest ? fmt::format("{} or more", fewest) : "";
  return fewest ? fmt::format("{} to {}", fewest, most) : fmt::format("at most {}", most);
}

const std::vector<std::string> &wordsOf(LaunchMode) {
  static const std::vector<std::string> words = {"plain", "resident"};
  return words;
}
const std::vector<std::string> &wordsOf(Tail) {
  static const std::vector<std::string> words = {"guard", "shift-inwards", "exact"};
  return words;
}
const std::vector<std::string> &wordsOf(ThreadAxis) {
  static const std::vector<std::string> words = {"x", "y"};
  return words;
}
const std::vector<std::string> &wordsOf(MemorySpace) {
  static const std::vector<std::string> words = {
      nameOf(MemorySpace::Global), nameOf(MemorySpace::ReadOnly), nameOf(MemorySpace::Constant)};
  return words;
}

namespace {

template <HasFields T> std::string wrongIn(const T &value);

template <class F, class T>
std::string wrong(const F &field, const std::string &path, const T &value) {
  if constexpr (WholeNumber<T>) {
    return field.numbers.admits(value)
               ? ""
               : fmt::format("{} = {}; expected {}", path, value, field.numbers.inWords());
  } else if constexpr (HasFields<T>) {
    std::string inner = wrongIn(value);
    return inner.empty() ? "" : path + "." + inner;
  } else if constexpr (isList<T>) {
    if (!field.entries.admits(value.size()))
      return fmt::format("{} with {} entries; expected {}", path, value.size(),
                         field.entries.inWords());
    for (size_t k = 0; k < value.size(); k++)
      if (std::string found = wrong(field, fmt::format("{}[{}]", path, k), value[k]);
          !found.empty())
        return found;
    return "";
  } else if constexpr (requires { *value; }) {
    return value ? wrong(field, path, *value) : "";
  } else
    return "";
}

template <HasFields T> std::string wrongIn(const T &value) {
  std::string found;
  Fields<T>::visit([&](const auto &field) {
    if (found.empty())
      found = wrong(field, field.name, value.*field.member);
  });
  return found;
}

} // namespace

std::string wrongValues(const KernelPlan &kernel) {
  std::string found = wrongIn(kernel);
  return found.empty() ? "" : "has " + found;
}

std::string wrongValues(const Plan &plan) {
  std::string found = wrongIn(plan);
  return found.empty() ? "" : "has " + found;
}

} // namespace nw
