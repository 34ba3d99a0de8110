#include "opencl_side.h"
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <chrono>
#include <cstring>

namespace {

cl_device_id device;
cl_context context;
cl_command_queue queue;
cl_mem stamp; // a few bytes that are filled before and after what is timed: commands whose times
              // the device tells
cl_event before, after;
std::chrono::steady_clock::time_point started;
char name[256];

cl_device_id found(cl_device_type type) {
  cl_platform_id platforms[8];
  cl_uint count = 0;
  if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS)
    return nullptr;
  for (cl_uint k = 0; k < count && k < 8; k++)
    if (cl_device_id one; clGetDeviceIDs(platforms[k], type, 1, &one, nullptr) == CL_SUCCESS)
      return one;
  return nullptr;
}

cl_int stamped(cl_event *event) {
  const cl_uint zero = 0;
  return clEnqueueFillBuffer(queue, stamp, &zero, sizeof zero, 0, sizeof zero, 0, nullptr, event);
}

bool timeOf(cl_event event, cl_profiling_info which, cl_ulong &time) {
  return event &&
         clGetEventProfilingInfo(event, which, sizeof time, &time, nullptr) == CL_SUCCESS &&
         time > 0;
}

} // namespace

const char *board_cl_open(void) {
  cl_int error = CL_SUCCESS;
  device = found(CL_DEVICE_TYPE_GPU);
  if (!device)
    device = found(CL_DEVICE_TYPE_ALL);
  if (!device)
    return "no device of OpenCL is found";
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, nullptr);
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  if (error != CL_SUCCESS)
    return "no context of OpenCL can be made";
  queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
  if (error != CL_SUCCESS)
    return "no queue of OpenCL can be made";
  stamp = clCreateBuffer(context, CL_MEM_READ_WRITE, 16, nullptr, &error);
  return error == CL_SUCCESS ? nullptr : "no buffer of OpenCL can be made";
}

const char *board_cl_device(void) { return name; }
void *board_cl_queue(void) { return queue; }

void *board_cl_buffer(size_t bytes) {
  cl_int error = CL_SUCCESS;
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &error);
  return error == CL_SUCCESS ? buffer : nullptr;
}

int board_cl_write(void *buffer, const void *from, size_t bytes) {
  return clEnqueueWriteBuffer(queue, (cl_mem)buffer, CL_TRUE, 0, bytes, from, 0, nullptr, nullptr);
}
int board_cl_read(void *buffer, void *to, size_t bytes) {
  return clEnqueueReadBuffer(queue, (cl_mem)buffer, CL_TRUE, 0, bytes, to, 0, nullptr, nullptr);
}

int board_cl_copy(void *from, void *to, size_t bytes) {
  cl_int error =
      clEnqueueCopyBuffer(queue, (cl_mem)from, (cl_mem)to, 0, 0, bytes, 0, nullptr, nullptr);
  return error == CL_SUCCESS ? clFinish(queue) : error;
}

int board_cl_fill(void *buffer, unsigned char value, size_t bytes) {
  unsigned char pattern[16];
  std::memset(pattern, value, sizeof pattern);
  size_t length = bytes % sizeof pattern ? 1 : sizeof pattern; // drivers are slow with single bytes
  cl_int error =
      clEnqueueFillBuffer(queue, (cl_mem)buffer, pattern, length, 0, bytes, 0, nullptr, nullptr);
  return error == CL_SUCCESS ? clFinish(queue) : error;
}

int board_cl_begin(void) {
  before = after = nullptr;
  cl_int error = clFinish(queue);
  started = std::chrono::steady_clock::now();
  return error == CL_SUCCESS ? stamped(&before) : error;
}

int board_cl_end(double *milliseconds, int *by_device) {
  cl_int error = stamped(&after);
  if (error == CL_SUCCESS)
    error = clFinish(queue);
  *milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
  cl_ulong start = 0, end = 0;
  *by_device = error == CL_SUCCESS && timeOf(before, CL_PROFILING_COMMAND_END, start) &&
               timeOf(after, CL_PROFILING_COMMAND_START, end) && end > start;
  if (*by_device)
    *milliseconds = double(end - start) * 1e-6;
  for (cl_event event : {before, after})
    if (event)
      clReleaseEvent(event);
  return error;
}
