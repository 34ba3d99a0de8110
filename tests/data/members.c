// Members of elements of an array that is on the device go there and back, one at a time.
#include <stdio.h>
enum { N = 64 };
typedef struct {
  double x;
  int n;
} cell;
typedef struct {
  int unused;
  double a[8];
} row;

static cell v[N];
static row rows[4];
static row alone;

static void step(void) {
#pragma acc parallel loop present(v)
  for (int i = 0; i < N; i++)
    v[i].x = 2 * v[i].x + v[i].n;
}

static void rows_step(void) {
#pragma acc parallel loop present(rows) collapse(2)
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 8; j++)
      rows[i].a[j] = rows[i].a[j] + 1;
#pragma acc parallel loop
  for (int j = 0; j < 8; j++)
    alone.a[j] = alone.a[j] + 1;
}

int main(void) {
  int k = 3;
  cell *p = &v[5];
  double *q = &v[7].x;
  for (int i = 0; i < N; i++) {
    v[i].x = i;
    v[i].n = i % 5;
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 8; j++)
      rows[i].a[j] = 10 * i + j;
  for (int j = 0; j < 8; j++)
    alone.a[j] = j;
#pragma acc data copy(v) copy(rows) copy(alone.a[0 : 8])
  {
    step();
    v[k].n = 1000;
#pragma acc update device(v[k].n)
    p->n = 2000;
#pragma acc update device(p->n) device((v[6]).n)
    *q = 0.25;
#pragma acc update device(q[0])
    v[9].x = 0.5;
    v[9].n = 3000;
#pragma acc update device(v[9])
    v[k + 1].n = 4000;
#pragma acc update device(v[k + 1].n) if_present
    step();
#pragma acc update self(v[k].x, p->x) host(v[k + 1].x)
#pragma acc update self(q[0], v[9])
    printf("%g %g %g %g %g %d\n", v[k].x, p->x, v[k + 1].x, *q, v[9].x, v[9].n);
    rows_step();
    rows[1].a[2] = rows[1].a[3] = 100;
#pragma acc update device(rows[1].a[2 : 2])
    alone.a[4] = 200;
    alone.unused = 5;
#pragma acc update device(alone.a[4 : 1], alone.unused)
    rows_step();
#pragma acc update self(rows[1].a[1 : 3], rows[k].a[7]) self(alone.a[3 : 2])
    printf("%g %g %g %g %g %g\n", rows[1].a[1], rows[1].a[2], rows[1].a[3], rows[k].a[7], alone.a[3],
           alone.a[4]);
  }
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += v[i].x * (i + 1) + v[i].n;
  for (int i = 0; i < 32; i++)
    sum += rows[i / 8].a[i % 8] * (i + 1);
  for (int j = 0; j < 8; j++)
    sum += alone.a[j];
  printf("%g\n", sum);
  return 0;
}
