// SAYS: part.c:7: error: copy(a[0:60]): only part of it is on the device: 400 bytes from byte 80 on, of 480
static double a[100];
int main(void) {
  int n = 60;
#pragma acc enter data create(a[10:50])
#pragma acc wait
#pragma acc data copy(a[0:60])
  a[0] = n;
  return 0;
}
