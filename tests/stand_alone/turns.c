/* Both entries of update.c in turns: arrays on the host, and buffers in contexts of the program's own, as many as asked for. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include HEADER

void update(int n, int *a, int *b, int *c);

enum { N = 1000, TURNS = 10 };

int main(int count, char **words) {
  static int a[N], b[N], c[N], got[N];
  int contexts = count > 1 ? atoi(words[1]) : 1, wrong = 0;
  cl_int error = 0;
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, 0) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0))
    return 2;
  for (int k = 0; k < contexts; k++) {
    cl_context context = clCreateContext(0, 1, &device, 0, 0, &error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    cl_mem buffers[3];
    for (int i = 0; i < N; i++)
      a[i] = b[i] = i;
    for (int i = 0; i < 3; i++)
      buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof a, a, &error);
    for (int t = 0; t < TURNS; t++) {
      update(N, a, b, c);
      if (!nw_update_update_0_on_device(buffers[0], buffers[1], buffers[2], N, queue))
        return 3;
    }
    error |= clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof got, got, 0, 0, 0);
    for (int i = 0; i < N; i++) {
      int x = i;
      for (int t = 0; t < TURNS; t++)
        x = x * 2 + 1;
      wrong += c[i] != x + i || got[i] != x + i;
    }
    for (int i = 0; i < 3; i++)
      clReleaseMemObject(buffers[i]);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
  printf("%d %d wrong\n", error, wrong);
  return 0;
}
