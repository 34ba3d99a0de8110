/* The largest block of a kernel where the driver says less than it was compiled for, as NVIDIA's
 * does: with a driver that is made up. */
#include "../../runtime/device_opencl.c"

static size_t said, compiled_for[3];

static cl_int kernel_info(cl_kernel kernel, cl_device_id device, cl_uint what, size_t size,
                          void *value, size_t *needed) {
  (void)kernel, (void)device, (void)needed;
  if (what == CL_KERNEL_WORK_GROUP_SIZE)
    memcpy(value, &said, size);
  else if (what == CL_KERNEL_COMPILE_WORK_GROUP_SIZE)
    memcpy(value, compiled_for, size);
  else
    memset(value, 0, size);
  return 0;
}

static cl_int device_info(cl_device_id device, cl_uint what, size_t size, void *value,
                          size_t *needed) {
  (void)device, (void)what, (void)needed;
  memset(value, 0, size);
  return 0;
}

static int largest(size_t by_driver, size_t x, size_t y) {
  nw_rt_opencl_data data = {0};
  nw_rt_device device = {.backend_data = &data, .block_threads = 1024};
  int most = 0;
  said = by_driver;
  compiled_for[0] = x, compiled_for[1] = y, compiled_for[2] = x ? 1 : 0;
  return ask_about_kernel(&device, NULL, &most) ? most : -1;
}

int main(void) {
  nw_rt_opencl.clGetKernelWorkGroupInfo = kernel_info;
  nw_rt_opencl.clGetDeviceInfo = device_info;
  printf("%d %d %d %d\n", largest(256, 32, 32), largest(256, 0, 0), largest(4096, 0, 0),
         largest(256, 16, 8));
  return 0;
}
