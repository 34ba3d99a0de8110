// SAYS: use_device.c:5: error: use_device(a): it is not on the device
static double a[100];
int main(void) {
  double *p = 0;
#pragma acc host_data use_device(a)
  p = a;
  return !p;
}
