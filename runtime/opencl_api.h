/* The parts of OpenCL 1.2 that the runtime uses, declared here so that building needs no OpenCL
 * headers. The numbers are those of CL/cl.h. */
#ifndef NESTWARP_OPENCL_API_H
#define NESTWARP_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;

enum {
  CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
  CL_OUT_OF_RESOURCES = -5,
  CL_OUT_OF_HOST_MEMORY = -6,
  CL_INVALID_KERNEL_NAME = -46,
  CL_INVALID_ARG_INDEX = -49,
  CL_INVALID_GLOBAL_OFFSET = -56,
  CL_INVALID_BUFFER_SIZE = -61,
  CL_INVALID_GLOBAL_WORK_SIZE = -63
};

enum {
  CL_PLATFORM_VERSION = 0x0901,
  CL_PLATFORM_NAME = 0x0902,
  CL_DEVICE_TYPE = 0x1000,
  CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
  CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
  CL_DEVICE_MAX_WORK_ITEM_SIZES = 0x1005,
  CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
  CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
  CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
  CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
  CL_DEVICE_AVAILABLE = 0x1027,
  CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
  CL_DEVICE_NAME = 0x102B,
  CL_DRIVER_VERSION = 0x102D,
  CL_DEVICE_VERSION = 0x102F,
  CL_CONTEXT_PLATFORM = 0x1084,
  CL_PROGRAM_BINARY_SIZES = 0x1165,
  CL_PROGRAM_BINARIES = 0x1166,
  CL_PROGRAM_BUILD_LOG = 0x1183,
  CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
  CL_KERNEL_COMPILE_WORK_GROUP_SIZE = 0x11B1,
  CL_KERNEL_LOCAL_MEM_SIZE = 0x11B2,
  CL_QUEUE_CONTEXT = 0x1090,
  CL_QUEUE_PROPERTIES = 0x1093,
  CL_MEM_CONTEXT = 0x1106,
  CL_MEM_ASSOCIATED_MEMOBJECT = 0x1107,
  CL_MEM_OFFSET = 0x1108
};

#define CL_DEVICE_TYPE_CPU ((cl_ulong)1 << 1)
#define CL_DEVICE_TYPE_GPU ((cl_ulong)1 << 2)
#define CL_DEVICE_TYPE_ACCELERATOR ((cl_ulong)1 << 3)
#define CL_DEVICE_TYPE_ALL ((cl_ulong)0xFFFFFFFF)
#define CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT ((cl_ulong)1 << 7)
#define CL_MEM_READ_WRITE ((cl_ulong)1 << 0)
#define CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE ((cl_ulong)1 << 0)

#define NW_RT_OPENCL_FUNCTIONS(FUNCTION)                                                           \
  FUNCTION(cl_int, clGetPlatformIDs,                                                               \
           (cl_uint capacity, cl_platform_id * platforms, cl_uint * count))                        \
  FUNCTION(cl_int, clGetPlatformInfo,                                                              \
           (cl_platform_id platform, cl_uint name, size_t size, void *value, size_t *actual))      \
  FUNCTION(cl_int, clGetDeviceIDs,                                                                 \
           (cl_platform_id platform, cl_ulong type, cl_uint capacity, cl_device_id * devices,      \
            cl_uint * count))                                                                      \
  FUNCTION(cl_int, clGetDeviceInfo,                                                                \
           (cl_device_id device, cl_uint name, size_t size, void *value, size_t *actual))          \
  FUNCTION(cl_context, clCreateContext,                                                            \
           (const intptr_t *properties, cl_uint count, const cl_device_id *devices,                \
            void (*notify)(const char *, const void *, size_t, void *), void *data,                \
            cl_int *result))                                                                       \
  FUNCTION(cl_int, clReleaseContext, (cl_context context))                                         \
  FUNCTION(cl_command_queue, clCreateCommandQueue,                                                 \
           (cl_context context, cl_device_id device, cl_ulong properties, cl_int * result))        \
  FUNCTION(cl_mem, clCreateBuffer,                                                                 \
           (cl_context context, cl_ulong flags, size_t size, void *host, cl_int *result))          \
  FUNCTION(cl_int, clReleaseMemObject, (cl_mem buffer))                                            \
  FUNCTION(cl_int, clGetCommandQueueInfo,                                                          \
           (cl_command_queue queue, cl_uint name, size_t size, void *value, size_t *actual))       \
  FUNCTION(cl_int, clGetMemObjectInfo,                                                             \
           (cl_mem buffer, cl_uint name, size_t size, void *value, size_t *actual))                \
  FUNCTION(cl_int, clReleaseCommandQueue, (cl_command_queue queue))                                \
  FUNCTION(cl_int, clEnqueueCopyBuffer,                                                            \
           (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,  \
            size_t size, cl_uint count, const cl_event *wait, cl_event *event))                    \
  FUNCTION(cl_int, clEnqueueFillBuffer,                                                            \
           (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,       \
            size_t offset, size_t size, cl_uint count, const cl_event *wait, cl_event *event))     \
  FUNCTION(cl_int, clEnqueueWriteBuffer,                                                           \
           (cl_command_queue queue, cl_mem buffer, cl_uint blocking, size_t offset, size_t size,   \
            const void *host, cl_uint count, const cl_event *wait, cl_event *event))               \
  FUNCTION(cl_int, clEnqueueReadBuffer,                                                            \
           (cl_command_queue queue, cl_mem buffer, cl_uint blocking, size_t offset, size_t size,   \
            void *host, cl_uint count, const cl_event *wait, cl_event *event))                     \
  FUNCTION(cl_program, clCreateProgramWithSource,                                                  \
           (cl_context context, cl_uint count, const char **texts, const size_t *lengths,          \
            cl_int *result))                                                                       \
  FUNCTION(cl_program, clCreateProgramWithBinary,                                                  \
           (cl_context context, cl_uint count, const cl_device_id *devices, const size_t *lengths, \
            const unsigned char **binaries, cl_int *status, cl_int *result))                       \
  FUNCTION(cl_int, clBuildProgram,                                                                 \
           (cl_program program, cl_uint count, const cl_device_id *devices, const char *options,   \
            void (*notify)(cl_program, void *), void *data))                                       \
  FUNCTION(cl_int, clGetProgramBuildInfo,                                                          \
           (cl_program program, cl_device_id device, cl_uint name, size_t size, void *value,       \
            size_t *actual))                                                                       \
  FUNCTION(cl_int, clGetProgramInfo,                                                               \
           (cl_program program, cl_uint name, size_t size, void *value, size_t *actual))           \
  FUNCTION(cl_int, clReleaseProgram, (cl_program program))                                         \
  FUNCTION(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *result))      \
  FUNCTION(cl_int, clReleaseKernel, (cl_kernel kernel))                                            \
  FUNCTION(cl_int, clSetKernelArg,                                                                 \
           (cl_kernel kernel, cl_uint index, size_t size, const void *value))                      \
  FUNCTION(cl_int, clGetKernelWorkGroupInfo,                                                       \
           (cl_kernel kernel, cl_device_id device, cl_uint name, size_t size, void *value,         \
            size_t *actual))                                                                       \
  FUNCTION(cl_int, clEnqueueNDRangeKernel,                                                         \
           (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,    \
            const size_t *global, const size_t *local, cl_uint count, const cl_event *wait,        \
            cl_event *event))                                                                      \
  FUNCTION(cl_int, clWaitForEvents, (cl_uint count, const cl_event *events))                       \
  FUNCTION(cl_int, clReleaseEvent, (cl_event event))                                               \
  FUNCTION(cl_int, clFlush, (cl_command_queue queue))                                              \
  FUNCTION(cl_int, clFinish, (cl_command_queue queue))

#define NW_RT_MEMBER(result, name, parameters) result(*name) parameters;
typedef struct nw_rt_opencl_api {
  NW_RT_OPENCL_FUNCTIONS(NW_RT_MEMBER)
} nw_rt_opencl_api;
#undef NW_RT_MEMBER

#endif
