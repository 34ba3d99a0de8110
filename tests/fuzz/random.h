// Random choices that depend on one 64-bit seed and nothing else, so that every program can be made
// again.
#pragma once
#include <cstdint>
#include <vector>

namespace nw::fuzz {

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    state += 0x9e3779b97f4a7c15u;
    return mixed(state);
  }
  // 0 .. count - 1.
  int below(int count) { return int(next() % uint64_t(count)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T> const T &pick(const std::vector<T> &from) {
    return from[below(int(from.size()))];
  }

  static uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

private:
  uint64_t state;
};

} // namespace nw::fuzz
