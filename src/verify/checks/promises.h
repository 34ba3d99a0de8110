// Whether loops that are promised to be independent are, in one run of the original: who touched
// each element last, in which iteration of each promised loop that is open.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace nw {

class PromiseRecord {
public:
  void enter() { open.push_back({++runs, 0}); }
  void iterate(int64_t counter) { open.back().counter = counter; }
  void leave() { open.pop_back(); }
  bool isIdle() const { return open.empty(); }

  // Takes note of an access; what it breaks, in words, or nothing.
  std::string touch(const std::string &array, int64_t slot, bool isWrite);

private:
  struct Open {
    int64_t run, counter; // a number of its own for each time that the loop is run
  };
  struct Last {
    int64_t run = 0, writer = 0, reader = 0, other = 0;
    bool isWritten = false, isRead = false, bySeveral = false;
  };
  std::vector<Open> open;
  std::vector<std::unordered_map<std::string, std::unordered_map<int64_t, Last>>> seen; // by depth
  int64_t runs = 0;
};

} // namespace nw
