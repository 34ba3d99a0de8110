// Bounds of integers that local ids, constants and variables made of them determine: numbers of
// elements in a tile, mostly. What they are exactly does not matter where the bounds are enough.
#pragma once
#include "ir/tree.h"
#include <array>
#include <map>
#include <optional>

namespace nw {

// low, low + step, … up to high; a constant has step 0.
struct Bounds {
  int64_t low = 0, high = 0, step = 1;
};

class SmallNumbers {
public:
  explicit SmallNumbers(const std::array<int, 3> &block) : block(block) {}

  void set(const std::string &name, const Bounds &bounds) {
    variables.insert_or_assign(name, bounds);
  }
  void forget(const std::string &name) { variables.erase(name); }
  bool knows(const std::string &name) const { return variables.count(name) > 0; }
  // Nothing where other things determine it, or where it may not fit into 31 bits.
  std::optional<Bounds> of(const ExprP &e) const;
  // The counter of a loop from a small number to another.
  std::optional<Bounds> counterOf(const Loop &loop) const;

private:
  std::optional<Bounds> computed(const Expr &e) const;

  std::array<int, 3> block;
  std::map<std::string, Bounds> variables;
};

} // namespace nw
