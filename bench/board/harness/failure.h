// What goes wrong, as exceptions.
#pragma once
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <stdexcept>
#include <string>

namespace board {

/// A column cannot be had: the text says why. The other columns go on, unless the device is lost.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void must(cudaError_t error, const char *what) {
  if (error != cudaSuccess)
    throw Failure(std::string(what) + ": " + cudaGetErrorString(error));
}

inline void must(cublasStatus_t status, const char *what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Failure(std::string(what) + ": " + cublasGetStatusString(status));
}

} // namespace board

#define MUST(call) ::board::must(call, #call)
