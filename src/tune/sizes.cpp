// Sizes and distances.
#include "tune/sizes.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

namespace nw {

static std::string listed(const Sizes &sizes, const char *between) {
  std::string out;
  for (auto &[name, value] : sizes)
    out += fmt::format("{}{}={}", out.empty() ? "" : between, name, value);
  return out;
}

std::string inWords(const Sizes &sizes) { return listed(sizes, ", "); }
std::string sizesKey(const Sizes &sizes) { return listed(sizes, ";"); }

Sizes sizesOfKey(const std::string &key) {
  Sizes sizes;
  std::istringstream parts(key);
  for (std::string part; std::getline(parts, part, ';');) {
    size_t at = part.find('=');
    std::optional<int64_t> value =
        at == std::string::npos || at == 0 ? std::nullopt : wholeNumber(part.substr(at + 1));
    if (!value)
      throw UserError{"'" + part + "' is not a size; expected NAME=NUMBER"};
    sizes[part.substr(0, at)] = *value;
  }
  return sizes;
}

std::optional<int64_t> wholeNumber(const std::string &text) {
  int64_t value = 0;
  auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                   : std::nullopt;
}

static bool haveNamesInCommon(const Sizes &a, const Sizes &b) {
  return std::any_of(a.begin(), a.end(), [&](auto &size) { return b.count(size.first) > 0; });
}

double apart(const Sizes &a, const Sizes &b) {
  if (!a.empty() && !b.empty() && !haveNamesInCommon(a, b))
    return INFINITY;
  double most = 0;
  for (auto &[name, value] : a)
    if (auto other = b.find(name); other != b.end() && other->second != value)
      most = std::max(most, value < 1 || other->second < 1
                                ? INFINITY
                                : std::fabs(std::log2(double(value) / double(other->second))));
  return most;
}

std::optional<size_t> nearest(const std::vector<Sizes> &known, const Sizes &wanted) {
  std::optional<size_t> best;
  double least = std::log2(kNearbyRatio) + 1e-9, largest = -1;
  bool isKnown = std::any_of(known.begin(), known.end(),
                             [&](const Sizes &k) { return haveNamesInCommon(k, wanted); });
  for (size_t k = 0; k < known.size(); k++) {
    if (!isKnown) {
      double volume = 0;
      for (auto &[name, value] : known[k])
        volume += std::log2(double(std::max<int64_t>(value, 1)));
      if (volume > largest) {
        largest = volume;
        best = k;
      }
    } else if (double d = apart(known[k], wanted); d < least) {
      least = d;
      best = k;
    }
  }
  return best;
}

} // namespace nw
