// What the programs of this folder share: arrays of the device, exactly as long as they are, with small whole numbers in them, so that sums are the same
// in any order; and lines of results.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class T> struct Array {
  T *device = nullptr;
  size_t count;
  explicit Array(size_t count, int seed = 1) : count(count) {
    std::vector<T> host(count);
    for (size_t k = 0; k < count; k++)
      host[k] = T((k * 37 + seed * 11) % 23);
    cudaMalloc((void **)&device, count * sizeof(T));
    if (count)
      cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
  Array(const Array &) = delete;
  ~Array() { cudaFree(device); }
  operator T *() const { return device; }
};

// All elements, and the error of the launches before, if there was one.
template <class T> void show(const char *name, int size, const Array<T> &a) {
  std::vector<T> host(a.count);
  if (a.count)
    cudaMemcpy(host.data(), a.device, a.count * sizeof(T), cudaMemcpyDeviceToHost);
  printf("%s %d: %s:", name, size, cudaGetErrorString(cudaGetLastError()));
  for (const T &x : host)
    printf(" %.9g", double(x));
  printf("\n");
}

constexpr int kSizes[] = {0, 1, 31, 32, 33};
