// SAYS: computed.c:14: error: use_device(a): line 15 computes with the address, but on opencl:0 it is a buffer of OpenCL (cl_mem), with which nothing can be computed; pass a itself on
static double a[100];
static void twice(int n, double *x) {
#pragma acc parallel loop deviceptr(x)
  for (int i = 0; i < n; i++)
    x[i] = 2 * x[i];
}
int main(void) {
#pragma acc data copy(a)
  {
#pragma acc host_data use_device(a)
    twice(90, &a[0] + 0);
#pragma acc wait
#pragma acc host_data use_device(a)
    twice(90, a + 10);
  }
  return 0;
}
