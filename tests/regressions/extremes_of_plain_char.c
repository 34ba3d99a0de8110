// was: the maximum over plain char, where char has no sign, began at -128, which is 128 there, and
//      the minimum was refused.
// now: what gcc prints, on the device.
// expect: offload
// flags: -funsigned-char
#include <stdio.h>

#define N 1000

static char a[N];
static signed char s[N];
static unsigned char u[N];
static short h[N];
static unsigned short w[N];

static void extremes_a(void) {
  char low = 100, high = 1;
  for (int i = 0; i < N; i++)
    if (a[i] > high)
      high = a[i];
  for (int i = 0; i < N; i++)
    if (a[i] < low)
      low = a[i];
  printf("%d %d\n", low, high);
}

static void extremes_s(void) {
  signed char low = 100, high = 1;
  for (int i = 0; i < N; i++)
    if (s[i] > high)
      high = s[i];
  for (int i = 0; i < N; i++)
    if (s[i] < low)
      low = s[i];
  printf("%d %d\n", low, high);
}

static void extremes_u(void) {
  unsigned char low = 100, high = 1;
  for (int i = 0; i < N; i++)
    if (u[i] > high)
      high = u[i];
  for (int i = 0; i < N; i++)
    if (u[i] < low)
      low = u[i];
  printf("%d %d\n", low, high);
}

static void extremes_h(void) {
  short low = 100, high = 1;
  for (int i = 0; i < N; i++)
    if (h[i] > high)
      high = h[i];
  for (int i = 0; i < N; i++)
    if (h[i] < low)
      low = h[i];
  printf("%d %d\n", low, high);
}

static void extremes_w(void) {
  unsigned short low = 100, high = 1;
  for (int i = 0; i < N; i++)
    if (w[i] > high)
      high = w[i];
  for (int i = 0; i < N; i++)
    if (w[i] < low)
      low = w[i];
  printf("%d %d\n", low, high);
}

int main(void) {
  for (volatile int i = 0; i < N; i++) {
    a[i] = i % 61 + 100;
    s[i] = i % 61 - 30;
    u[i] = i % 61 + 150;
    h[i] = i % 61 - 30000;
    w[i] = i % 61 + 60000;
  }
  extremes_a();
  extremes_s();
  extremes_u();
  extremes_h();
  extremes_w();
  return 0;
}
