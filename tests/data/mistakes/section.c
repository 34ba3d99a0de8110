// SAYS: section.c:5: error: a[10:n]: the section of 100 elements from 10 on exceeds the dimension, which has 100
static double a[100];
int main(void) {
  int n = 100;
#pragma acc enter data copyin(a[10:n])
  return 0;
}
