// Reductions that clauses name: of locals that the body computes and also stores, of small integers, and by && and ||.
// WITH: --offload=always
// STATISTICS: regions_on_host 0
// STATISTICS: exchanges 0
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
enum { N = 300, M = 7 };
static double a[N], b[N], c[N];
static int k[N][M];
static short s[N];
static unsigned char u[N];

// The local is stored, and reduced twice.
static double change(double *sum) {
  double most = 0, all = 0;
#pragma acc parallel loop reduction(max : most) reduction(+ : all)
  for (int i = 1; i < N - 1; i++) {
    double v = (a[i - 1] + a[i + 1]) / 2;
    double d = fabs(v - a[i]);
    most = fmax(most, d);
    all += d;
    b[i] = v;
  }
  *sum = all;
  return most;
}

// What the local is computed from is overwritten: the reduction comes before that.
static double in_place(void) {
  double most = 0;
#pragma acc parallel loop reduction(max : most)
  for (int i = 0; i < N; i++) {
    double v = c[i] * 0.5 + 1;
    double d = v - c[i];
    c[i] = v;
    if (d > most)
      most = d;
  }
  return most;
}

// Under a condition on data.
static double chosen(void) {
  double sum = 0;
#pragma acc parallel loop reduction(+ : sum)
  for (int i = 0; i < N; i++)
    if (k[i][0] > 2) {
      double v = a[i] + k[i][0];
      b[i] = v;
      sum += v;
    }
  return sum;
}

// What is read is changed before and after: the local as it was is what counts.
static double between(void) {
  double sum = 0;
#pragma acc parallel loop reduction(+ : sum)
  for (int i = 0; i < N; i++) {
    double v = b[i];
    b[i] = v + 1;
    double w = b[i] * 2;
    w = w - 1;
    sum += w;
    w = 7;
    a[i] = w;
  }
  return sum;
}

static int small(int *product, int *least, int *most, int *bits) {
  short sum = 30000;
  unsigned char times = 3, all = 255;
  short low = 3000, high = -3000;
#pragma acc parallel loop reduction(+ : sum) reduction(* : times) reduction(& : all) reduction(min : low) reduction(max : high)
  for (int i = 0; i < N; i++) {
    sum += s[i];
    times *= u[i];
    all &= u[i] | 16;
    low = s[i] < low ? s[i] : low;
    if (s[i] > high)
      high = s[i];
  }
  *product = times, *least = low, *most = high, *bits = all;
  return sum;
}

// Values that are neither 0 nor 1 stay where nothing is reduced, and become 1 elsewhere.
static int every(int n, int m, int least, int all) {
#pragma acc parallel loop reduction(&& : all)
  for (int i = 0; i < n; i++)
#pragma acc loop reduction(&& : all)
    for (int j = 0; j < m; j++)
      all = all && k[i][j] > least;
  return all;
}

static int some(int n, int wanted, int any) {
#pragma acc parallel loop reduction(|| : any)
  for (int i = 0; i < n; i++) {
    int found = k[i][3] == wanted;
    any = any || found;
  }
  return any;
}

static bool each(int n, bool all) {
#pragma acc parallel loop reduction(&& : all)
  for (int i = 0; i < n; i++)
    all = a[i] && all;
  return all;
}

static int odd(int n, unsigned char any) {
#pragma acc parallel loop reduction(|| : any)
  for (int i = 0; i < n; i++)
    any = any || (s[i] & 1024);
  return any;
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = i * 37 % 101, c[i] = i % 17, s[i] = (short)(i * 1237 % 999 - 500), u[i] = (unsigned char)(2 * i + 1);
    for (int j = 0; j < M; j++)
      k[i][j] = (i * 7 + j * 3) % 11;
  }
  double sum;
  int product, least, most, bits;
  printf("%.3f", change(&sum));
  printf(" %.3f %.3f %.3f %.3f\n", sum, in_place(), c[3], chosen());
  printf("%.3f", between());
  printf(" %.3f %.3f\n", a[5], b[5]);
  printf("%d", small(&product, &least, &most, &bits));
  printf(" %d %d %d %d\n", product, least, most, bits);
  printf("%d %d %d %d %d\n", every(N, M, -1, 4), every(N, M, 0, 4), every(N, 0, -1, 4), every(0, M, -1, -5), every(N, M, -1, 0));
  printf("%d %d %d %d\n", some(N, 5, 0), some(N, 55, 0), some(0, 5, 6), some(N, 55, 6));
  printf("%d %d %d\n", each(N, true), each(0, true), each(1, false));
  printf("%d %d %d\n", odd(N, 0), odd(0, 77), odd(N, 77));
  return 0;
}
