/* The solver: Jacobi's method with a test for convergence. Both plates are on the device already. */
#include "heat.h"
#include <math.h>
#include <stdio.h>

double relax(int rows, int columns, double from[restrict rows][columns], double to[restrict rows][columns]) {
  double change = 0;
#pragma acc parallel loop collapse(2) reduction(max : change) present(from[0 : rows][0 : columns]) \
    present(to[0 : rows][0 : columns])
  for (int i = 1; i < rows - 1; i++)
    for (int j = 1; j < columns - 1; j++) {
      to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
      change = fmax(change, fabs(to[i][j] - from[i][j]));
    }
  return change;
}

/* Only the row that is shown comes to the host. */
static void show(int rows, int columns, double plate[rows][columns], int step) {
#pragma acc update host(plate[rows / 2 : 1][0 : columns])
  printf("%d:", step);
  for (int j = 0; j < columns; j += columns / 8 + 1)
    printf(" %.3f", plate[rows / 2][j]);
  printf("\n");
}

int settle(int rows, int columns, double plate[restrict rows][columns], double next[restrict rows][columns], double tolerance, int most, int watch) {
  int steps = 0;
  double change;
  do {
    relax(rows, columns, plate, next);
    change = relax(rows, columns, next, plate);
    steps += 2;
    if (watch && steps % watch == 0)
      show(rows, columns, plate, steps);
  } while (change > tolerance && steps < most);
  return steps;
}
