// SAYS: default(present): a is not on the device; put it there with a data or enter data directive
static double a[100];
int main(void) {
  int n = 100;
#pragma acc parallel loop default(present)
  for (int i = 0; i < n; i++)
    a[i] = i;
  return 0;
}
