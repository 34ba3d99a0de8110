#include "host.h"
#include <algorithm>
#include <thread>

namespace board {

void parallelFor(size_t count, const std::function<void(size_t, size_t)> &body) {
  size_t parts = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, 32);
  std::vector<std::thread> threads;
  for (size_t p = 0; p < parts; p++)
    threads.emplace_back([&, p] { body(count * p / parts, count * (p + 1) / parts); });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace board
