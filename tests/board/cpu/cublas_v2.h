// In place of cuBLAS: nothing of it can be had on the CPU; columns that want it say so.
#pragma once

typedef struct nestwarp_blas *cublasHandle_t;
enum cublasStatus_t { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_SUPPORTED = 15 };
enum cublasMath_t { CUBLAS_PEDANTIC_MATH = 2 };
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
inline const char *cublasGetStatusString(cublasStatus_t) { return "there is no cuBLAS here"; }
inline cublasStatus_t cublasCreate(cublasHandle_t *) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasDestroy(cublasHandle_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
template <class... A> cublasStatus_t cublasSgemv(A...) { return CUBLAS_STATUS_NOT_SUPPORTED; }
template <class... A> cublasStatus_t cublasDgemv(A...) { return CUBLAS_STATUS_NOT_SUPPORTED; }
template <class... A> cublasStatus_t cublasSgemm(A...) { return CUBLAS_STATUS_NOT_SUPPORTED; }
template <class... A> cublasStatus_t cublasDgemm(A...) { return CUBLAS_STATUS_NOT_SUPPORTED; }
template <class... A> cublasStatus_t cublasSaxpy(A...) { return CUBLAS_STATUS_NOT_SUPPORTED; }
template <class... A> cublasStatus_t cublasSgeam(A...) { return CUBLAS_STATUS_NOT_SUPPORTED; }
template <class... A> cublasStatus_t cublasDgeam(A...) { return CUBLAS_STATUS_NOT_SUPPORTED; }
