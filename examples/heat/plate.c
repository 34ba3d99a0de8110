/* The plate: how it begins, and copies of it. */
#include "heat.h"

/* On the host: it is called before anything is on the device. */
void heat_up(int rows, int columns, double plate[rows][columns]) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      plate[i][j] = i == 0 ? 100.0 : j == 0 ? 50.0 : 0.0;
}

void mirror(int rows, int columns, double from[restrict rows][columns], double to[restrict rows][columns]) {
#pragma acc parallel loop collapse(2) present(from[0 : rows][0 : columns], to[0 : rows][0 : columns])
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      to[i][j] = from[i][j];
}
