/* Heat in a plate, until it settles: one data region around everything, the work in functions of other files.
 *
 *   nestwarp cc -fopenacc -O2 examples/heat/main.c examples/heat/solver.c examples/heat/plate.c -o heat
 *   NESTWARP_STATS=1 ./heat 200 300 1e-4
 *
 * The statistics show one copy in and one copy out of the plate ("data_copies_in", "data_copies_out"), however many steps
 * there are. */
#include "heat.h"
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
  int rows = count > 1 ? atoi(words[1]) : 200, columns = count > 2 ? atoi(words[2]) : 300;
  double tolerance = count > 3 ? atof(words[3]) : 1e-4;
  int watch = count > 4 ? atoi(words[4]) : 0, steps;
  if (rows < 3 || columns < 3)
    return fprintf(stderr, "usage: heat ROWS COLUMNS TOLERANCE [STEPS BETWEEN ROWS TO SHOW]\n"), 2;
  double(*plate)[columns] = malloc(sizeof(double[rows][columns]));
  double(*next)[columns] = malloc(sizeof(double[rows][columns]));
  if (!plate || !next)
    return fprintf(stderr, "out of memory\n"), 1;
  heat_up(rows, columns, plate);

#pragma acc data copy(plate[0 : rows][0 : columns]) create(next[0 : rows][0 : columns])
  {
    mirror(rows, columns, plate, next);
    steps = settle(rows, columns, plate, next, tolerance, 5000, watch);
  }

  double sum = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      sum += plate[i][j];
  printf("%d steps, centre %.6f, mean %.6f\n", steps, plate[rows / 2][columns / 2], sum / rows / columns);
  free(plate);
  free(next);
  return 0;
}
