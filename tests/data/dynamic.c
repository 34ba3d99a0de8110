// enter data and exit data in functions of their own, for members of a struct.
// STATISTICS: data_copies_in 1
// STATISTICS: data_copies_out 1
// STATISTICS: exchanges 0
#include <stdio.h>
#include <stdlib.h>
typedef struct mesh {
  int count;
  double *cells, *old;
} mesh;

static mesh *make(int count) {
  mesh *m = malloc(sizeof *m);
  m->count = count;
  m->cells = malloc(count * sizeof *m->cells);
  m->old = malloc(count * sizeof *m->old);
  for (int i = 0; i < count; i++)
    m->cells[i] = i * i % 17;
#pragma acc enter data copyin(m->cells[0 : count]) create(m->old[0 : count])
  return m;
}

static void step(mesh *m) {
  int n = m->count;
  double *restrict cells = m->cells, *restrict old = m->old;
#pragma acc parallel loop present(cells[0 : n], old[0 : n])
  for (int i = 0; i < n; i++)
    old[i] = cells[i];
#pragma acc parallel loop present(cells, old)
  for (int i = 1; i < n - 1; i++)
    cells[i] = (old[i - 1] + old[i] + old[i + 1]) / 3;
}

static void end(mesh *m) {
#pragma acc exit data copyout(m->cells[0 : m->count]) delete(m->old) finalize
}

int main(void) {
  mesh *m = make(300);
  for (int t = 0; t < 7; t++)
    step(m);
  end(m);
  double sum = 0;
  for (int i = 0; i < m->count; i++)
    sum += m->cells[i] * (i % 5);
  printf("%.6f\n", sum);
  free(m->cells);
  free(m->old);
  free(m);
  return 0;
}
