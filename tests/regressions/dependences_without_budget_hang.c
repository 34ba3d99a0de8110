// was: Dependences of one array with many subscripts of % and / were computed without a limit on
//      isl's operations, for minutes.
// now: All of isl works within its budget: what is too hard stays on the host, within seconds.
#include <stdio.h>
#include <stddef.h>
#include <string.h>
#define MX(a, b) ((a) > (b) ? (a) : (b))
struct S { unsigned x, y[3]; unsigned short z; };
struct E { unsigned a; unsigned char b; };
struct M { int cols; unsigned *d; unsigned e[64]; };
static unsigned A2[64][64], B2[64][64], A1[64], B1[64], GS = 3;
unsigned short C1[64]; static unsigned char H[64]; static unsigned long long L3[64];
unsigned GT = 5; int GN = 1;
static struct S ST[64]; static struct { int pad; struct E g[64][64]; } NS;
static const unsigned K1[64] = {5, 3, 9, 1, 7};
static int IX[64]; static unsigned buf[16384], buf2[8192]; static struct M mm, m2;
static inline unsigned f1(unsigned a, unsigned b) { return a > b ? a - b : b * 3u; }
static unsigned f2(unsigned a, unsigned b) { unsigned r = 0; for (int i = 0; i < 3; i++) r += (a >> i) ^ b; return r; }
static unsigned f3(unsigned a, unsigned b) { if (a & 1) return b; if (b & 2) return a + 1; return a ^ b; }
static volatile unsigned sd = 56232u;
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
static void fn1(int n, int m, unsigned *P, unsigned *Q, unsigned V[][m], struct M *sp) {
  (void)n; (void)m;
  unsigned s0 = 0u;
  unsigned s1 = 0u;
  unsigned s2 = 0u;
  long i1 = 0;
  long k11 = 0;
  int k13 = 0;
  for (i1 = 1; i1 < (int)(n); ++i1) {
    unsigned t2 = (unsigned)(signed char)(A2[i1 / 3][i1 + 2]);
    for (int k3 = 0; k3 <= (int)(n) - 1; ++k3) {
      unsigned t4 = (P[(k3 >> 1)] & 4 ? (((int)i1 + (int)m) % 3 == 1 ? (unsigned)i1 + A1[IX[i1 + 0]] : L3[k3 * 2]) : (((unsigned)i1) << 3));
      for (long k5 = 2; k5 < (int)(i1); ++k5) {
        unsigned t6 = (t4 & s0) + A2[0 + i1][(k5 + i1) % 8] + GS + NS.g[i1 * 2][k5].b * 8u;
        A2[k5][k5] = s0 + A2[(k5 + k5) % 3][k3] * 3u + (t6 - t6);
        A2[(k3 + k3) % 5][2 + k5] = ((((unsigned)k5) >> 2) ^ (unsigned)i1);
      }
      A2[i1 + 1][k3 + 1] = A2[i1][k3 + 2] + A2[i1 + 1][k3 + 1] + 1u;
    }
  }
  GS += (unsigned)i1;
  for (int i7 = (int)(n) - 1; i7 >= (int)(0); i7 -= 1) {
    unsigned char t8 = (((f1(A2[i7 + 3][2 * i7 + 2], A2[23 - i7][2 * i7 + 0])) % 7u) >> 3);
    for (int j9 = 2; j9 < (int)(n - (int)i7); ++j9) {
      unsigned t10 = ((A2[j9 / 4][2 * j9 + 3]) << 0);
      for (k11 = 0; k11 < (int)(j9 + 1); ++k11) {
        A2[k11 * 1][1 + k11] = (unsigned)i7;
      }
      A2[j9 + j9][j9 + 1] = f2(~((A2[j9][0] & A2[3 + j9][i7])), (unsigned short)(A2[16][j9 + j9]) + A2[25 - j9][i7]);
      A2[j9 * 2][21 - j9] = (((23u + 27u) >> 0) - A2[(j9 + i7) % 8][j9] * 8u + s2 + A2[j9 + 0][j9 + 1]);
    }
    for (long j12 = 0; j12 <= (int)(i7 + 1) - 1; ++j12) {
      A2[j12 + i7][j12] = C1[1 + j12] * 5u;
      if (!((int)i7 != 0)) {
        A2[i7 + 4][11] = A2[0 + j12][j12] * 5u;
        break;
      }
    }
    for (k13 = 0; k13 < (int)(n); k13 += 2) {
      if (GN > 11) {
        A2[k13][3 + k13] = MX(A2[0 + k13][21 - k13], A2[k13][0 + k13]) + f2(A2[k13][i7], A2[k13 + 1][(k13 + i7) % 8]) + A2[2 * k13 + 1][IX[k13 + 0]] * 7u;
        A2[0 + k13][k13 + 2] = L3[24 - k13] * 4u;
      }
      if (C1[2 * i7 + 3] & 4) {
        s2 = t8;
        B2[i7 + 1][k13 + 1] = B2[i7][k13] + B2[i7 + 1][k13] + 1u;
      }
      s2 = MX(s2, MX((L3[23 - k13] > A2[k13][3 + k13] ? (44u - (unsigned)i7) : (A2[k13 + 4][24 - k13] ^ s1)), (A2[(i7 + k13) % 2][2 + k13] & (22u - C1[k13 * 1]))));
    }
  }
  for (int i14 = 2; i14 < (int)(1); ++i14) {
    for (int j15 = 0; j15 < (int)(n); j15++) {
      unsigned t16 = (A2[0][j15] & ((((unsigned)i14) << 1)) / 8u);
      A2[j15][i14 + 4] -= (((int)i14 > 3 ? (((unsigned)n) >> 0) : 12u + A2[i14 + 0][i14 * 2]) & (unsigned)i14);
    }
  }
  printf("s0 %u\n", (unsigned)s0);
  printf("i1 %ld\n", (long)i1);
}
int main(void) {
  init();
  fn1(2, 63, buf, buf + 3500, (unsigned (*)[63])(buf + 55), &m2); show("fn1");
  fn1(16, 61, buf + 7, buf + 40, (unsigned (*)[61])(buf), &m2); show("fn1");
  return 0;
}
