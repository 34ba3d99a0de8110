// Words that were mistyped, and what they were meant to be.
#pragma once
#include <string>
#include <vector>

namespace nw {

// Letters that have to be changed, left out, put in or swapped with their neighbour to make `b` of
// `a`.
size_t editDistance(const std::string &a, const std::string &b);
// The candidate that a mistyped word is most likely meant to be; empty where none is near.
std::string nearestTo(const std::string &word, const std::vector<std::string> &candidates);

} // namespace nw
