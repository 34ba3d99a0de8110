// Edit distance with transpositions, by dynamic programming.
#include "support/nearest.h"
#include <algorithm>

namespace nw {

size_t editDistance(const std::string &a, const std::string &b) {
  // distance[i][j]: between the first i letters of a and the first j of b.
  std::vector<std::vector<size_t>> distance(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); i++)
    for (size_t j = 0; j <= b.size(); j++) {
      size_t &d = distance[i][j];
      if (i == 0 || j == 0) {
        d = i + j;
        continue;
      }
      d = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1,
                    distance[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d = std::min(d, distance[i - 2][j - 2] + 1);
    }
  return distance[a.size()][b.size()];
}

std::string nearestTo(const std::string &word, const std::vector<std::string> &candidates) {
  std::string nearest;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1; // farther is another word
  for (const std::string &c : candidates)
    if (size_t d = editDistance(word, c); d < least) {
      least = d;
      nearest = c;
    }
  return nearest;
}

} // namespace nw
