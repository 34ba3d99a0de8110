// What the harness asks of the device: its rates, and a cold cache.
#pragma once
#include <cuda_runtime.h>
#include <string>

namespace board {

enum class Precision { Single, Double, Integer };

struct DeviceFacts {
  std::string name;
  int processors, clockKilohertz, memoryClockKilohertz, l2Bytes, major, minor, driver, runtime;

  /// Operations per second at the highest clock, a multiply-add being two: the best that the device
  /// can do in this precision, tensor cores included where they compute in it (double on 8.0
  /// and 9.0). Integers of 32 bits: as many as are issued in a cycle.
  double peak(Precision precision) const;
};

DeviceFacts deviceFacts();

/// Bytes per second of a copy of 1 GiB within the device, read and written counted, the median of
/// several.
double copyRate(cudaStream_t stream);

/// Fills the cache with lines that nobody uses and that need not be written back.
class CacheFlush {
public:
  explicit CacheFlush(size_t cacheBytes);
  ~CacheFlush();
  CacheFlush(const CacheFlush &) = delete;
  void operator()(cudaStream_t stream) const;

private:
  size_t count_;
  float4 *data_ = nullptr;
  float *sum_ = nullptr;
};

/// An event that measures time.
class Event {
public:
  Event();
  ~Event();
  Event(const Event &) = delete;
  void record(cudaStream_t stream);
  /// Milliseconds from `start` to this event; waits for it.
  double since(const Event &start) const;

private:
  cudaEvent_t event_;
};

} // namespace board
