// What a thread knows to have happened before: of each thread of each block, how far it had come.
// Threads that were at the same barrier share one clock.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <vector>

namespace emulation {

class Clock {
public:
  bool covers(unsigned block, unsigned thread, unsigned time) const {
    auto b = known.find(block);
    return b != known.end() && thread < b->second.size() && b->second[thread] >= time;
  }
  void add(unsigned block, unsigned thread, unsigned time) {
    std::vector<unsigned> &times = known[block];
    if (times.size() <= thread)
      times.resize(thread + 1);
    times[thread] = std::max(times[thread], time);
  }
  void add(const Clock &other) {
    for (auto &[block, theirs] : other.known) {
      std::vector<unsigned> &times = known[block];
      times.resize(std::max(times.size(), theirs.size()));
      for (size_t k = 0; k < theirs.size(); k++)
        times[k] = std::max(times[k], theirs[k]);
    }
  }

private:
  std::map<unsigned, std::vector<unsigned>> known;
};

using ClockP = std::shared_ptr<const Clock>; // null: nothing is known

// A thread's place in the order of things.
struct Ordering {
  unsigned time = 1;
  ClockP known;
  ClockP released; // at the last fence: what an atomic write tells to others
  ClockP seen;     // by atomic reads: known after the next fence
};

} // namespace emulation
