/* A program with its arrays in buffers of OpenCL: it calls the entries for arrays on the device, in its own queue, and
 * compares with the loops. Built with the stand-alone OpenCL file, or (with -DWITH_RUNTIME) with the runtime's. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include HEADER
#ifdef WITH_RUNTIME
#include "nestwarp_rt.h"
#endif

void scaled_sum(int n, const int *a, long long *sum);
void smooth(int n, int steps, int *a, int *b);

enum { N = 5000, STEPS = 7 };

/* Parts of one buffer: those that overlap are refused; others are as good as buffers. */
static int parts(cl_context context, cl_command_queue queue) {
  enum { PART = 1024 }; /* elements; as bytes, a multiple of what devices want parts to begin at */
  static int a[2 * PART], want[PART], b[PART], got[PART];
  cl_int error = 0, more = 0;
  cl_buffer_region regions[3] = {{0, PART * sizeof(int)}, {PART * sizeof(int) / 2, PART * sizeof(int)}, {PART * sizeof(int), PART * sizeof(int)}};
  cl_mem all, part[3];
  for (int i = 0; i < 2 * PART; i++)
    a[i] = i * 37 % 1000;
  memcpy(want, a, sizeof want);
  all = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof a, a, &error);
  for (int k = 0; k < 3; k++) {
    part[k] = clCreateSubBuffer(all, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &regions[k], &more);
    error |= more;
  }
  if (error || SMOOTH(part[0], part[1], PART, STEPS, queue) || SMOOTH(part[2], part[1], PART, STEPS, queue) || SMOOTH(all, part[1], PART, STEPS, queue))
    return 0;
  if (!SMOOTH(part[0], part[2], PART, STEPS, queue))
    return 0;
  error = clEnqueueReadBuffer(queue, part[0], CL_TRUE, 0, sizeof got, got, 0, 0, 0);
  smooth(PART, STEPS, want, b);
  return !error && !memcmp(want, got, sizeof got);
}

int main(void) {
  static int a[N], b[N], want[N], got[N];
  long long sum = 5, wanted = 5;
  cl_int error = 0;
  cl_context context;
  cl_command_queue queue;
  cl_device_id device;
#ifdef WITH_RUNTIME
  void *of_runtime[3];
  if (!nw_opencl(&of_runtime[0], &of_runtime[1], &of_runtime[2]))
    return 2;
  context = of_runtime[0];
  device = of_runtime[1];
  queue = of_runtime[2];
#else
  cl_platform_id platform;
  if (clGetPlatformIDs(1, &platform, 0) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0))
    return 2;
  context = clCreateContext(0, 1, &device, 0, 0, &error);
  queue = clCreateCommandQueue(context, device, 0, &error);
#endif
  for (int i = 0; i < N; i++)
    a[i] = want[i] = i * 37 % 1000;
  cl_mem on_a = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof a, a, &error);
  cl_mem on_b = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof b, b, &error);
  cl_mem on_sum = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof sum, &sum, &error);
  if (!SMOOTH(on_a, on_b, N, STEPS, queue) || !SUM(on_a, on_sum, N, queue))
    return 3;
  if (SMOOTH(on_a, on_a, N, STEPS, queue)) /* one buffer for both */
    return 4;
  if (SMOOTH(on_a, on_b, N, STEPS, 0))
    return 5;
  cl_command_queue disorderly = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
  if (disorderly && SMOOTH(on_a, on_b, N, STEPS, disorderly))
    return 6;
  if (!parts(context, queue))
    return 7;
  if (SMOOTH(on_a, 0, N, STEPS, queue)) /* no array at all */
    return 8;
  error |= clEnqueueReadBuffer(queue, on_a, CL_TRUE, 0, sizeof got, got, 0, 0, 0);
  error |= clEnqueueReadBuffer(queue, on_sum, CL_TRUE, 0, sizeof sum, &sum, 0, 0, 0);
  smooth(N, STEPS, want, b);
  scaled_sum(N, want, &wanted);
  printf("%d %s %s\n", error, memcmp(want, got, sizeof got) ? "differ" : "same", sum == wanted ? "same" : "differs");
  return 0;
}
