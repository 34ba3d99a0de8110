#include "arrays.h"
#include "failure.h"

namespace board {

Memory::Memory(size_t bytes, const void *data, Before before) : bytes_(bytes), before_(before) {
  MUST(cudaMalloc(&device_, bytes));
  if (data)
    MUST(cudaMemcpy(device_, data, bytes, cudaMemcpyHostToDevice));
  if (before == Before::Restored) {
    MUST(cudaMalloc(&original_, bytes));
    MUST(cudaMemcpy(original_, data, bytes, cudaMemcpyHostToDevice));
  }
}

Memory::~Memory() {
  cudaFree(device_);
  cudaFree(original_);
}

void Memory::prepare(cudaStream_t stream) const {
  if (before_ == Before::Restored)
    MUST(cudaMemcpyAsync(device_, original_, bytes_, cudaMemcpyDeviceToDevice, stream));
  else if (before_ == Before::Poisoned) // all ones: not a number in floating point
    MUST(cudaMemsetAsync(device_, 0xff, bytes_, stream));
}

void copyToHost(void *to, const void *from, size_t bytes) {
  MUST(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}
void copyToDevice(void *to, const void *from, size_t bytes) {
  MUST(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
}

} // namespace board
