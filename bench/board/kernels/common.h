// What the kernels share: wide loads and a few names.
#pragma once
#include "board.h"
#include <algorithm>
#include <atomic>
#include <mutex>

using real = BOARD_REAL;
constexpr bool kDouble = sizeof(real) == 8;
constexpr auto kPrecision = kDouble ? board::Precision::Double : board::Precision::Single;
/// Of sums of some thousand products in any order, over the root mean square of all sums.
constexpr double kSumTolerance = kDouble ? 1e-12 : 1e-4;
/// Elements of 16 bytes.
constexpr int kWide = 16 / sizeof(real);

template <class T, int W> struct VectorOf;
template <> struct VectorOf<float, 4> { using type = float4; };
template <> struct VectorOf<float, 1> { using type = float; };
template <> struct VectorOf<double, 2> { using type = double2; };
template <> struct VectorOf<double, 1> { using type = double; };

/// W neighbouring elements, moved by one instruction.
template <class T, int W> struct Pack {
  T v[W];
  using Word = typename VectorOf<T, W>::type;

  __device__ static Pack load(const T *p) { return of(*reinterpret_cast<const Word *>(p)); }
  /// For data that is read once.
  __device__ static Pack stream(const T *p) { return of(__ldcs(reinterpret_cast<const Word *>(p))); }
  __device__ void store(T *p) const { *reinterpret_cast<Word *>(p) = word(); }
  __device__ void storeStreaming(T *p) const { __stcs(reinterpret_cast<Word *>(p), word()); }
  __device__ static Pack zero() {
    Pack pack;
    for (int k = 0; k < W; k++)
      pack.v[k] = 0;
    return pack;
  }

private:
  __device__ static Pack of(Word w) {
    Pack pack;
    if constexpr (W == 1)
      pack.v[0] = w;
    else
      pack.v[0] = w.x, pack.v[1] = w.y;
    if constexpr (W == 4)
      pack.v[2] = w.z, pack.v[3] = w.w;
    return pack;
  }
  __device__ Word word() const {
    if constexpr (W == 1)
      return v[0];
    else if constexpr (W == 2)
      return {v[0], v[1]};
    else
      return {v[0], v[1], v[2], v[3]};
  }
};

template <class T> __device__ T warpSum(T value) {
  for (int offset = 16; offset; offset >>= 1)
    value += __shfl_xor_sync(~0u, value, offset);
  return value;
}

inline unsigned blocksFor(size_t count, size_t perBlock) { return unsigned((count + perBlock - 1) / perBlock); }

/// The reference of y = A x, or of A^T x, in double.
template <class T, class U>
std::vector<double> product(const std::vector<T> &A, int m, int n, const std::vector<U> &x, bool transposed) {
  std::vector<double> y(transposed ? n : m);
  board::parallelFor(y.size(), [&](size_t begin, size_t end) {
    if (!transposed) {
      for (size_t i = begin; i < end; i++)
        for (int j = 0; j < n; j++)
          y[i] += double(A[i * n + j]) * double(x[j]);
    } else {
      for (int i = 0; i < m; i++)
        for (size_t j = begin; j < end; j++)
          y[j] += double(A[size_t(i) * n + j]) * double(x[i]);
    }
  });
  return y;
}

// cuBLAS, by the type of the elements. It counts columns first: our A[m][n] is its n x m matrix.
inline void gemv(cublasHandle_t h, cublasOperation_t op, int rows, int columns, const float *A, const float *x, float beta, float *y) {
  float one = 1;
  MUST(cublasSgemv(h, op, rows, columns, &one, A, rows, x, 1, &beta, y, 1));
}
inline void gemv(cublasHandle_t h, cublasOperation_t op, int rows, int columns, const double *A, const double *x, double beta, double *y) {
  double one = 1;
  MUST(cublasDgemv(h, op, rows, columns, &one, A, rows, x, 1, &beta, y, 1));
}
inline void gemm(cublasHandle_t h, int m, int n, int k, const float *A, const float *B, float *C) {
  float one = 1, zero = 0;
  MUST(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, B, n, A, k, &zero, C, n));
}
inline void gemm(cublasHandle_t h, int m, int n, int k, const double *A, const double *B, double *C) {
  double one = 1, zero = 0;
  MUST(cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, B, n, A, k, &zero, C, n));
}
