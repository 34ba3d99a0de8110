// SAYS: update.c:5: error: update device(a[0:n]): it is not on the device
static double a[100];
int main(void) {
  int n = 100;
#pragma acc update device(a[0:n])
#pragma acc update host(a) if_present
  return 0;
}
