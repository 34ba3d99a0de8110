// was: A resident kernel with some 70 barriers in nested conditions kept PoCL's compiler busy for
//      more than 100 s.
// now: Resident kernels have few barriers; others are launched step by step. The program ends in
//      seconds.
// kernels: optimized
#include <stdio.h>
#include <stddef.h>
#include <string.h>
#define MX(a, b) ((a) > (b) ? (a) : (b))
struct S { unsigned x, y[3]; unsigned short z; };
struct E { unsigned a; unsigned char b; };
struct M { int cols; unsigned *d; unsigned e[64]; };
static unsigned A2[64][64], B2[64][64], A1[64], B1[64], GS = 3;
unsigned short C1[64]; static unsigned char H[64]; static unsigned long long L3[64];
unsigned GT = 5; int GN = 20;
static struct S ST[64]; static struct { int pad; struct E g[64][64]; } NS;
static const unsigned K1[64] = {5, 3, 9, 1, 7};
static int IX[64]; static unsigned buf[16384], buf2[8192]; static struct M mm, m2;
static inline unsigned f1(unsigned a, unsigned b) { return a > b ? a - b : b * 3u; }
static unsigned f2(unsigned a, unsigned b) { unsigned r = 0; for (int i = 0; i < 3; i++) r += (a >> i) ^ b; return r; }
static unsigned f3(unsigned a, unsigned b) { if (a & 1) return b; if (b & 2) return a + 1; return a ^ b; }
static volatile unsigned sd = 19116u;
static unsigned rn(void) { sd = sd * 1664525u + 1013904223u; return sd >> 9; }
static void init(void) {
  for (int i = 0; i < 64; i++) { for (int j = 0; j < 64; j++) { A2[i][j] = rn(); B2[i][j] = rn(); NS.g[i][j].a = rn(); NS.g[i][j].b = (unsigned char)rn(); }
    A1[i] = rn(); B1[i] = rn(); C1[i] = (unsigned short)rn(); H[i] = (unsigned char)rn(); L3[i] = rn() * 77777ull; IX[i] = (int)(rn() % 40); ST[i].x = rn(); ST[i].y[0] = rn(); ST[i].y[1] = rn(); ST[i].y[2] = rn(); ST[i].z = (unsigned short)rn(); mm.e[i] = rn(); m2.e[i] = rn(); }
  for (int i = 0; i < 16384; i++) buf[i] = rn();
  for (int i = 0; i < 8192; i++) buf2[i] = rn();
  mm.cols = 50; mm.d = buf2; m2.cols = 21; m2.d = buf + 100;
}
static unsigned hs(const void *p, size_t n) { const unsigned char *q = p; unsigned h = 17; for (volatile size_t i = 0; i < n; i++) h = h * 31u + q[i]; return h; }
static void show(const char *s) {
  printf("%s", s);
#define SH(x) printf(" " #x " %x", hs(&x, sizeof x))
  SH(A2); SH(B2); SH(A1); SH(B1); SH(GS); SH(C1); SH(H); SH(L3); SH(ST); SH(NS); SH(buf); SH(buf2); SH(mm.e); SH(m2.e); printf("\n");
}
static void fn3(int n, int m) {
  (void)n; (void)m;
  unsigned s0 = 5u;
  unsigned s1 = 1u;
  unsigned s2 = 2u;
  for (long i7 = (int)(n) - 1; i7 >= (int)(1); i7--) {
    for (int j8 = 0; j8 < (int)(i7); j8++) {
      unsigned la9[4];
      for (int q = 0; q < 4; q++) la9[q] = s0 + (unsigned)(signed char)(B2[i7 + j8][j8]) + (unsigned)q;
      H[i7 * 1] = ((f3(B2[2 + j8][2 + j8] + B2[0 + j8][2 * j8 + 3], (s2) / 1u)) >> 4);
      H[j8 + 4] *= H[j8 + 4];
      C1[0 + j8] += la9[j8 & 3] + la9[2];
    }
    B2[i7][IX[i7 + 1]] = s2;
  }
  for (int k10 = (int)(n) - 1; k10 >= (int)(0); k10--) {
    B1[12] = A1[k10 + 2] = (unsigned)n;
    for (unsigned k11 = k10; k11 < (k10); ++k11) {
      B2[k10 + 4][k11 + k11] = (((B2[k11][k11 + 4]) / 4u) << 1) + s1;
    }
    for (int k12 = 0; k12 <= (int)(GN) - 1; ++k12) {
      switch (H[k12 + 3] & 3) { case 0: H[IX[k10 + 2]] = 1; break; case 1: A2[0 + k12][(k12 >> 1)] += 2; /* fall */ default: B2[k12][2 * k12 + 3] ^= 3; }
    }
  }
  printf("s0 %u\n", (unsigned)s0);
  printf("s1 %u\n", (unsigned)s1);
  printf("s2 %u\n", (unsigned)s2);
}
int main(void) {
  init();
  fn3(20, 61); show("fn3");
  fn3(7, 61); show("fn3");
  return 0;
}
