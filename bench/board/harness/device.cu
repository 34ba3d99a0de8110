#include "device.h"
#include "failure.h"
#include <algorithm>
#include <vector>

namespace board {

namespace {

int attribute(cudaDeviceAttr which) {
  int value = 0;
  MUST(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

__global__ void readAll(const float4 *data, size_t count, float *sum) {
  float s = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
    float4 v = data[i];
    s += v.x + v.y + v.z + v.w;
  }
  if (s == 1) // never: the data are zero
    *sum = s;
}

} // namespace

DeviceFacts deviceFacts() {
  DeviceFacts facts{};
  cudaDeviceProp properties;
  MUST(cudaGetDeviceProperties(&properties, 0));
  facts.name = properties.name;
  facts.processors = properties.multiProcessorCount;
  facts.l2Bytes = properties.l2CacheSize;
  facts.major = properties.major;
  facts.minor = properties.minor;
  facts.clockKilohertz = attribute(cudaDevAttrClockRate);
  facts.memoryClockKilohertz = attribute(cudaDevAttrMemoryClockRate);
  MUST(cudaDriverGetVersion(&facts.driver));
  MUST(cudaRuntimeGetVersion(&facts.runtime));
  return facts;
}

double DeviceFacts::peak(Precision precision) const {
  bool a100 = major == 8 && minor == 0, hopper = major == 9;
  // Multiply-adds per cycle and multiprocessor.
  double single = a100 || major < 8 ? 64 : 128;
  double twice = hopper ? 128 : a100 || (major == 10 && minor == 0) ? 64 : major == 7 && minor == 0 ? 32 : 2;
  if (precision == Precision::Integer)
    return 128.0 * processors * clockKilohertz * 1e3; // what four schedulers issue: multiply-adders add and shift beside the adders
  return 2 * (precision == Precision::Single ? single : twice) * processors * clockKilohertz * 1e3;
}

double copyRate(cudaStream_t stream) {
  const size_t bytes = size_t(1) << 30;
  void *from = nullptr, *to = nullptr;
  MUST(cudaMalloc(&from, bytes));
  MUST(cudaMalloc(&to, bytes));
  MUST(cudaMemsetAsync(from, 0, bytes, stream));
  Event start, end;
  std::vector<double> times;
  for (int k = 0; k < 13; k++) {
    start.record(stream);
    MUST(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
    end.record(stream);
    double took = end.since(start);
    if (k >= 2)
      times.push_back(took);
  }
  MUST(cudaFree(from));
  MUST(cudaFree(to));
  std::sort(times.begin(), times.end());
  return 2.0 * bytes / (times[times.size() / 2] * 1e-3);
}

CacheFlush::CacheFlush(size_t cacheBytes) : count_(std::max<size_t>(4 * cacheBytes, size_t(64) << 20) / sizeof(float4)) {
  MUST(cudaMalloc(&data_, count_ * sizeof(float4)));
  MUST(cudaMalloc(&sum_, sizeof(float)));
  MUST(cudaMemset(data_, 0, count_ * sizeof(float4)));
}

CacheFlush::~CacheFlush() {
  cudaFree(data_);
  cudaFree(sum_);
}

void CacheFlush::operator()(cudaStream_t stream) const {
  readAll<<<1024, 256, 0, stream>>>(data_, count_, sum_);
  MUST(cudaGetLastError());
}

Event::Event() { MUST(cudaEventCreate(&event_)); }
Event::~Event() { cudaEventDestroy(event_); }
void Event::record(cudaStream_t stream) { MUST(cudaEventRecord(event_, stream)); }

double Event::since(const Event &start) const {
  float milliseconds = 0;
  MUST(cudaEventSynchronize(event_));
  MUST(cudaEventElapsedTime(&milliseconds, start.event_, event_));
  return milliseconds;
}

} // namespace board
