// Work of the host: made-up data and references, on all cores.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace board {

/// Calls body(begin, end) for parts of [0, count) on all cores.
void parallelFor(size_t count, const std::function<void(size_t, size_t)> &body);

/// A number in [-0.5, 0.5) that depends on index and seed only.
inline double madeUp(uint64_t index, uint64_t seed) {
  uint64_t h = (index + 1) * 0x9e3779b97f4a7c15u ^ seed * 0xd1342543de82ef95u;
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
  return double(h >> 11) / double(uint64_t(1) << 53) - 0.5;
}

template <class T>
std::vector<T> madeUpNumbers(size_t count, uint64_t seed, double scale = 1, double shift = 0) {
  std::vector<T> numbers(count);
  parallelFor(count, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
      numbers[i] = T(madeUp(i, seed) * scale + shift);
  });
  return numbers;
}

/// The largest difference of any two elements, over the root mean square of the reference; infinite
/// if a result is no number.
template <class T>
double largestDifference(const std::vector<T> &result, const std::vector<double> &reference) {
  double squares = 0, worst = 0;
  for (size_t i = 0; i < reference.size(); i++) {
    double difference = std::abs(double(result[i]) - reference[i]);
    squares += reference[i] * reference[i];
    if (!(difference <= worst))
      worst = std::isnan(difference) ? INFINITY : difference;
  }
  return worst / std::sqrt(squares / double(reference.size()));
}

} // namespace board
