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

int main(void) {
  static int a[N], b[N], want[N], got[N];
  long long sum = 5, wanted = 5;
  cl_int error = 0;
  cl_context context;
  cl_command_queue queue;
#ifdef WITH_RUNTIME
  void *of_runtime[3];
  if (!nw_opencl(&of_runtime[0], &of_runtime[1], &of_runtime[2]))
    return 2;
  context = of_runtime[0];
  queue = of_runtime[2];
#else
  cl_platform_id platform;
  cl_device_id device;
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
  error |= clEnqueueReadBuffer(queue, on_a, CL_TRUE, 0, sizeof got, got, 0, 0, 0);
  error |= clEnqueueReadBuffer(queue, on_sum, CL_TRUE, 0, sizeof sum, &sum, 0, 0, 0);
  smooth(N, STEPS, want, b);
  scaled_sum(N, want, &wanted);
  printf("%d %s %s\n", error, memcmp(want, got, sizeof got) ? "differ" : "same", sum == wanted ? "same" : "differs");
  return 0;
}
