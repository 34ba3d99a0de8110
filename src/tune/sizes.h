// Sizes that a region was tuned for, and which of several results is the one to take at other
// sizes. Plans are right for all sizes; this is about speed alone.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nw {

using Sizes = std::map<std::string, int64_t>;

// "k=5, n=4" and "k=5;n=4", and back. Throws UserError where it is not a list of sizes.
std::string inWords(const Sizes &sizes);
std::string sizesKey(const Sizes &sizes);
Sizes sizesOfKey(const std::string &key);

// The whole number that a text is, such as 4096 or -1; nothing where it is none, or more than 64
// bits hold.
std::optional<int64_t> wholeNumber(const std::string &text);

// The largest |log2 (a/b)| over the names that both have; 0 where one has no names, infinity where
// there are none in common.
double apart(const Sizes &a, const Sizes &b);

// Up to this ratio a result is taken for sizes that were asked for.
constexpr double kNearbyRatio = 4;

// Which of the known sizes is nearest to the wanted ones; the first of several. Nothing where none
// is within the ratio. With no sizes wanted, or with none that is known by name (it is another
// function's), the largest ones that are known: work that is worth tuning is large.
std::optional<size_t> nearest(const std::vector<Sizes> &known, const Sizes &wanted);

} // namespace nw
