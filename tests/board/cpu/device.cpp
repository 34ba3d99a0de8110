// In place of harness/device.cu: a device without a clock and without a cache.
#include "device.h"
#include "failure.h"

namespace board {

DeviceFacts deviceFacts() { return {"the CPU", 1, 1000000, 1000000, 1 << 20, 9, 0, 0, 0}; }
double DeviceFacts::peak(Precision) const { return 1e9; }
double copyRate(cudaStream_t) { return 1e9; }

CacheFlush::CacheFlush(size_t) : count_(0) {}
CacheFlush::~CacheFlush() = default;
void CacheFlush::operator()(cudaStream_t) const {}

Event::Event() : event_(nullptr) {}
Event::~Event() = default;
void Event::record(cudaStream_t) {}
double Event::since(const Event &) const { return 1; }

} // namespace board
