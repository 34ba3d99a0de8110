// Names that are alike.
#include "support/nearest_name.h"
#include <algorithm>

namespace nw {

// Letters to change, add, leave out or exchange with their neighbour to get from one to the other.
static size_t editsBetween(const std::string &a, const std::string &b) {
  std::vector<std::vector<size_t>> edits(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); i++)
    for (size_t j = 0; j <= b.size(); j++) {
      if (i == 0 || j == 0) {
        edits[i][j] = i + j;
        continue;
      }
      edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1,
                              edits[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  return edits[a.size()][b.size()];
}

std::string nearestName(const std::string &word, const std::vector<std::string> &names) {
  constexpr size_t kLongest = 60; // nobody means that
  if (word.size() > kLongest)
    return "";
  std::string best;
  size_t fewest = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string &name : names)
    if (size_t edits = editsBetween(word, name); edits < fewest && edits < name.size()) {
      fewest = edits;
      best = name;
    }
  return best;
}

} // namespace nw
