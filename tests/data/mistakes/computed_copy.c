// SAYS: computed_copy.c:13: error: use_device(a): line 16 computes with the address
static double a[10][10];
static void twice(int n, double *x) {
#pragma acc parallel loop deviceptr(x)
  for (int i = 0; i < n; i++)
    x[i] = 2 * x[i];
}
int main(void) {
#pragma acc data copy(a)
  {
#pragma acc host_data use_device(a)
    twice(100, (double *)a);
#pragma acc host_data use_device(a)
    {
      double (*row)[10] = a, *first = *row;
      twice(10, row[3]);
      twice(10, first);
    }
  }
  return 0;
}
