/* The parts of the CUDA driver and of NVRTC that the runtime uses, declared here so that building
 * needs no CUDA. The names are those exported by libcuda.so.1 (hence the _v2), the numbers those of
 * cuda.h. */
#ifndef NESTWARP_CUDA_API_H
#define NESTWARP_CUDA_API_H

#include <stddef.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef int nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;

enum {
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720
};

enum {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95
};

enum { CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0 };
enum { CU_STREAM_NON_BLOCKING = 1, CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2 };
enum { CU_EVENT_DISABLE_TIMING = 2 };
enum { CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9 };
enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 };
enum { CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4 };

/* CUDA_KERNEL_NODE_PARAMS, in its first version. */
typedef struct nw_rt_kernel_node {
  CUfunction function;
  unsigned grid[3], block[3], shared;
  void **parameters, **extra;
} nw_rt_kernel_node;

#define NW_RT_CUDA_FUNCTIONS(FUNCTION)                                                             \
  FUNCTION(CUresult, cuInit, (unsigned flags))                                                     \
  FUNCTION(CUresult, cuDriverGetVersion, (int *version))                                           \
  FUNCTION(CUresult, cuGetErrorString, (CUresult error, const char **text))                        \
  FUNCTION(CUresult, cuDeviceGetCount, (int *count))                                               \
  FUNCTION(CUresult, cuDeviceGet, (CUdevice * device, int ordinal))                                \
  FUNCTION(CUresult, cuDeviceGetName, (char *name, int length, CUdevice device))                   \
  FUNCTION(CUresult, cuDeviceGetAttribute, (int *value, int attribute, CUdevice device))           \
  FUNCTION(CUresult, cuDeviceTotalMem_v2, (size_t *bytes, CUdevice device))                        \
  FUNCTION(CUresult, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))             \
  FUNCTION(CUresult, cuCtxGetCurrent, (CUcontext * context))                                       \
  FUNCTION(CUresult, cuCtxSetCurrent, (CUcontext context))                                         \
  FUNCTION(CUresult, cuStreamCreate, (CUstream * stream, unsigned flags))                          \
  FUNCTION(CUresult, cuStreamSynchronize, (CUstream stream))                                       \
  FUNCTION(CUresult, cuModuleLoadData, (CUmodule * module, const void *image))                     \
  FUNCTION(CUresult, cuModuleGetFunction,                                                          \
           (CUfunction * function, CUmodule module, const char *name))                             \
  FUNCTION(CUresult, cuFuncGetAttribute, (int *value, int attribute, CUfunction function))         \
  FUNCTION(CUresult, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                  \
           (int *blocks, CUfunction function, int threads, size_t dynamic_shared))                 \
  FUNCTION(CUresult, cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes))                         \
  FUNCTION(CUresult, cuMemFree_v2, (CUdeviceptr address))                                          \
  FUNCTION(CUresult, cuMemAllocAsync, (CUdeviceptr * address, size_t bytes, CUstream stream))      \
  FUNCTION(CUresult, cuMemFreeAsync, (CUdeviceptr address, CUstream stream))                       \
  FUNCTION(CUresult, cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device))            \
  FUNCTION(CUresult, cuMemPoolSetAttribute, (CUmemoryPool pool, int attribute, void *value))       \
  FUNCTION(CUresult, cuMemHostAlloc, (void **host, size_t bytes, unsigned flags))                  \
  FUNCTION(CUresult, cuPointerGetAttributes,                                                       \
           (unsigned count, int *attributes, void **values, CUdeviceptr address))                  \
  FUNCTION(CUresult, cuMemcpyHtoDAsync_v2,                                                         \
           (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                      \
  FUNCTION(CUresult, cuMemcpyDtoHAsync_v2,                                                         \
           (void *to, CUdeviceptr from, size_t bytes, CUstream stream))                            \
  FUNCTION(CUresult, cuMemsetD8Async,                                                              \
           (CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream))                   \
  FUNCTION(CUresult, cuGraphCreate, (CUgraph * graph, unsigned flags))                             \
  FUNCTION(CUresult, cuGraphAddKernelNode,                                                         \
           (CUgraphNode * node, CUgraph graph, const CUgraphNode *after, size_t count,             \
            const nw_rt_kernel_node *what))                                                        \
  FUNCTION(CUresult, cuGraphKernelNodeSetAttribute,                                                \
           (CUgraphNode node, int attribute, const void *value))                                   \
  FUNCTION(CUresult, cuGraphInstantiateWithFlags,                                                  \
           (CUgraphExec * made, CUgraph graph, unsigned long long flags))                          \
  FUNCTION(CUresult, cuGraphDestroy, (CUgraph graph))                                              \
  FUNCTION(CUresult, cuGraphLaunch, (CUgraphExec graph, CUstream stream))                          \
  FUNCTION(CUresult, cuGraphExecDestroy, (CUgraphExec graph))                                      \
  FUNCTION(CUresult, cuEventSynchronize, (CUevent event))                                          \
  FUNCTION(CUresult, cuEventCreate, (CUevent * event, unsigned flags))                             \
  FUNCTION(CUresult, cuEventRecord, (CUevent event, CUstream stream))                              \
  FUNCTION(CUresult, cuEventElapsedTime, (float *milliseconds, CUevent first, CUevent second))     \
  FUNCTION(CUresult, cuEventDestroy_v2, (CUevent event))                                           \
  FUNCTION(CUresult, cuLaunchKernel,                                                               \
           (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                \
            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,                 \
            CUstream stream, void **parameters, void **extra))                                     \
  FUNCTION(CUresult, cuLaunchCooperativeKernel,                                                    \
           (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,                \
            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,                 \
            CUstream stream, void **parameters))

#define NW_RT_NVRTC_FUNCTIONS(FUNCTION)                                                            \
  FUNCTION(const char *, nvrtcGetErrorString, (nvrtcResult result))                                \
  FUNCTION(nvrtcResult, nvrtcVersion, (int *major, int *minor))                                    \
  FUNCTION(nvrtcResult, nvrtcGetNumSupportedArchs, (int *count))                                   \
  FUNCTION(nvrtcResult, nvrtcGetSupportedArchs, (int *architectures))                              \
  FUNCTION(nvrtcResult, nvrtcCreateProgram,                                                        \
           (nvrtcProgram * program, const char *source, const char *name, int headers,             \
            const char *const *texts, const char *const *names))                                   \
  FUNCTION(nvrtcResult, nvrtcDestroyProgram, (nvrtcProgram * program))                             \
  FUNCTION(nvrtcResult, nvrtcCompileProgram,                                                       \
           (nvrtcProgram program, int count, const char *const *options))                          \
  FUNCTION(nvrtcResult, nvrtcGetProgramLogSize, (nvrtcProgram program, size_t *size))              \
  FUNCTION(nvrtcResult, nvrtcGetProgramLog, (nvrtcProgram program, char *log))                     \
  FUNCTION(nvrtcResult, nvrtcGetPTXSize, (nvrtcProgram program, size_t *size))                     \
  FUNCTION(nvrtcResult, nvrtcGetPTX, (nvrtcProgram program, char *text))                           \
  FUNCTION(nvrtcResult, nvrtcGetCUBINSize, (nvrtcProgram program, size_t *size))                   \
  FUNCTION(nvrtcResult, nvrtcGetCUBIN, (nvrtcProgram program, char *image))

#define NW_RT_MEMBER(result, name, parameters) result(*name) parameters;
typedef struct nw_rt_cuda_api {
  NW_RT_CUDA_FUNCTIONS(NW_RT_MEMBER)
} nw_rt_cuda_api;
typedef struct nw_rt_nvrtc_api {
  NW_RT_NVRTC_FUNCTIONS(NW_RT_MEMBER)
} nw_rt_nvrtc_api;
#undef NW_RT_MEMBER

#endif
