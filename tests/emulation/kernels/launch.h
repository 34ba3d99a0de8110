// Helpers of the kernels in this folder: arrays on the device, launches, and expectations.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <vector>

inline void must(cudaError_t error) {
  if (error != cudaSuccess) {
    std::printf("error: %s\n", cudaGetErrorString(error));
    std::exit(1);
  }
}

template <class... P, class... A>
cudaError_t tryLaunch(bool cooperative, void (*kernel)(P...), dim3 grid, dim3 block,
                      size_t dynamicBytes, A... a) {
  std::tuple<P...> values(a...);
  std::vector<void *> pointers;
  std::apply([&](auto &...v) { (pointers.push_back((void *)&v), ...); }, values);
  return cooperative
             ? cudaLaunchCooperativeKernel((const void *)kernel, grid, block, pointers.data(),
                                           dynamicBytes)
             : cudaLaunchKernel((const void *)kernel, grid, block, pointers.data(), dynamicBytes);
}
template <class... P, class... A> void launch(void (*kernel)(P...), dim3 grid, dim3 block, A... a) {
  must(tryLaunch(false, kernel, grid, block, 0, a...));
}

// An array of the device that starts with 0, 1, 2, ... or with one value.
template <class T> struct Array {
  T *device = nullptr;
  size_t count;
  explicit Array(size_t count, bool counted = true, T value = 0) : count(count) {
    std::vector<T> host(count, value);
    for (size_t k = 0; counted && k < count; k++)
      host[k] = T(k);
    must(cudaMalloc(&device, count * sizeof(T)));
    must(cudaMemcpy(device, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Array() { cudaFree(device); }
  std::vector<T> host() const {
    std::vector<T> result(count);
    must(cudaMemcpy(result.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return result;
  }
};

// Says which element is not what it should be.
template <class T, class Wanted>
void expect(const char *what, const Array<T> &array, Wanted wanted) {
  std::vector<T> host = array.host();
  for (size_t k = 0; k < host.size(); k++)
    if (!(host[k] == T(wanted(k)))) {
      std::printf("%s: element %zu is %g, not %g\n", what, k, double(host[k]),
                  double(T(wanted(k))));
      std::exit(1);
    }
  std::printf("%s: right\n", what);
}
