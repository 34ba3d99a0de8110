// expect: offload
// kernels: optimized
// fp: exact
// feature: casts, promotions and all arithmetic types, exactly representable values
#include <stdio.h>

#define N 173

static signed char sc[N];
static unsigned char uc[N];
static short sh[N];
static unsigned short us[N];
static int in[N];
static unsigned un[N];
static long lo[N];
static long long ll[N];
static unsigned long long ull[N];
static _Bool bo[N];
static float fl[N];
static double db[N];

static unsigned seed = 94u;

static int rnd(int lo, int hi) {
  seed = seed * 1664525u + 1013904223u;
  return lo + (int)((seed >> 10) % (unsigned)(hi - lo + 1));
}

static void convert(int n) {
  for (int i = 0; i < n; i++) {
    sc[i] = (signed char)(in[i] % 100);
    uc[i] = (unsigned char)in[i];
    sh[i] = (short)(sc[i] * 200 - 1000);
    us[i] = (unsigned short)(us[i] + uc[i] + 65000);
    un[i] = (unsigned)in[i] * 2654435761u;
    lo[i] = (long)in[i] * 1000000L;
    ll[i] = (long long)in[i] * in[i] - un[i];
    ull[i] = (unsigned long long)ll[i] >> 7;
    bo[i] = in[i] & 4;
    fl[i] = (float)sh[i] / 8;
    db[i] = (double)lo[i] + fl[i] * 0.25 + bo[i];
  }
  for (int i = 0; i < n; i++) {
    in[i] = (int)fl[i] + (int)(db[i] / 1000000) - -sc[i];
    un[i] += (unsigned)sc[i] < 64u ? 1 : 2;
    uc[i] = uc[i] >> 1 | uc[i] << 7;
    sh[i] ^= us[i];
  }
}

int main(void) {
  for (int i = 0; i < N; i++) {
    in[i] = rnd(-100000, 100000);
    us[i] = (unsigned short)rnd(0, 65535);
  }
  convert(N);
  for (int i = 0; i < N; i++)
    printf("%d %d %d %d %d %u %ld %lld %llu %d %.4f %.6f\n", sc[i], uc[i], sh[i], us[i], in[i],
           un[i], lo[i], ll[i], ull[i], bo[i], (double)fl[i], db[i]);
  return 0;
}
