/* Stands before OpenCL (LD_PRELOAD): the copy to the host number FAIL_READ fails, and builds are counted. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int builds, programs;

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, void *to, cl_uint count, const cl_event *waits, cl_event *event) {
  static int reads;
  const char *failing = getenv("FAIL_READ");
  cl_int (*real)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *) = next("clEnqueueReadBuffer");
  if (failing && ++reads == atoi(failing))
    return CL_OUT_OF_RESOURCES;
  return real(queue, buffer, blocking, offset, size, to, count, waits, event);
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts, const size_t *sizes, cl_int *error) {
  cl_program (*real)(cl_context, cl_uint, const char **, const size_t *, cl_int *) = next("clCreateProgramWithSource");
  cl_program made = real(context, count, texts, sizes, error);
  programs += made != 0;
  return made;
}

cl_int clReleaseProgram(cl_program program) {
  cl_int (*real)(cl_program) = next("clReleaseProgram");
  programs--;
  return real(program);
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options, void(CL_CALLBACK *then)(cl_program, void *), void *data) {
  cl_int (*real)(cl_program, cl_uint, const cl_device_id *, const char *, void(CL_CALLBACK *)(cl_program, void *), void *) = next("clBuildProgram");
  builds++;
  return real(program, count, devices, options, then, data);
}

__attribute__((destructor)) static void say(void) { fprintf(stderr, "shim: %d builds, %d programs left\n", builds, programs); }
