// What the programs of this folder share: data, times of single launches, and a line of results.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Launches that are timed; NAIVE_RUNS changes that, for slow tools.
inline int runs() { return getenv("NAIVE_RUNS") ? atoi(getenv("NAIVE_RUNS")) : 21; }

// A size of the problem; NAIVE_PART=8 makes it an eighth, for slow tools.
inline int sized(int full) { return getenv("NAIVE_PART") ? std::max(full / atoi(getenv("NAIVE_PART")), 1) : full; }

// An array on the device, and what was copied there.
struct Values {
  float *device = nullptr;
  size_t count;
  std::vector<float> host;
  explicit Values(size_t count, unsigned seed = 0) : count(count), host(count) {
    unsigned state = 12345 + seed;
    for (float &x : host) {
      state = state * 1664525u + 1013904223u;
      x = seed ? float(state >> 8) / float(1 << 24) : 0;
    }
    if (cudaMalloc((void **)&device, count * sizeof(float)) != cudaSuccess)
      exit(3);
    cudaMemcpy(device, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  }
  double sum() {
    cudaMemcpy(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost);
    double all = 0;
    for (size_t k = 0; k < count; k++)
      all += host[k] * double(k % 7 + 1);
    return all;
  }
};

// Times of launches, by events; the first three do not count.
struct Times {
  cudaEvent_t before, after;
  std::vector<float> all;
  Times() {
    cudaEventCreate(&before);
    cudaEventCreate(&after);
  }
  void start() { cudaEventRecord(before, 0); }
  void stop() {
    cudaEventRecord(after, 0);
    cudaEventSynchronize(after);
    float time = 0;
    cudaEventElapsedTime(&time, before, after);
    all.push_back(time);
  }
  float median() {
    std::vector<float> counted(all.begin() + 3, all.end());
    std::sort(counted.begin(), counted.end());
    return counted[counted.size() / 2];
  }
};

inline int report(const char *name, Times &times, double sum) {
  cudaError_t wrong = cudaGetLastError();
  if (wrong != cudaSuccess) {
    printf("{\"program\": \"%s\", \"error\": \"%s\"}\n", name, cudaGetErrorString(wrong));
    return 1;
  }
  printf("{\"program\": \"%s\", \"ms\": %.5f, \"sum\": %.17g}\n", name, times.median(), sum);
  return 0;
}
