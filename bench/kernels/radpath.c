// Radiological path: what a ray from a source to each point of a detector passes of a body of n x n x n cells, each with its density.
// Rays go down through the layers and lean by less than a cell for each, so that within a layer a ray crosses at most one plane of each
// of the other directions: three pieces, cut at 'first' and 'second' of its way through the layer (Siddon's method, layer by layer).
#include <math.h>
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void radpath(int m, int n, DATA_TYPE sourceX, DATA_TYPE sourceY, DATA_TYPE sourceZ, DATA_TYPE pitch, const DATA_TYPE density[n][n][n],
             DATA_TYPE path[m][m]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      DATA_TYPE leanX = (pitch * (j + (DATA_TYPE)0.5) - sourceX) / (n + sourceZ);
      DATA_TYPE leanY = (pitch * (i + (DATA_TYPE)0.5) - sourceY) / (n + sourceZ);
      DATA_TYPE sum = 0;
      for (int k = 0; k < n; k++) {
        DATA_TYPE x = sourceX + leanX * (k + sourceZ), y = sourceY + leanY * (k + sourceZ);
        DATA_TYPE endX = x + leanX, endY = y + leanY;
        int column = (int)x, row = (int)y, lastColumn = (int)endX, lastRow = (int)endY;
        DATA_TYPE cutX = lastColumn == column ? 1 : ((lastColumn > column ? lastColumn : column) - x) / leanX;
        DATA_TYPE cutY = lastRow == row ? 1 : ((lastRow > row ? lastRow : row) - y) / leanY;
        DATA_TYPE first = cutX < cutY ? cutX : cutY, second = cutX < cutY ? cutY : cutX;
        int middleColumn = cutX < cutY ? lastColumn : column, middleRow = cutX < cutY ? row : lastRow;
        sum += first * density[k][row][column] + (second - first) * density[k][middleRow][middleColumn] +
               (1 - second) * density[k][lastRow][lastColumn];
      }
      path[i][j] = sum * (DATA_TYPE)sqrt(1 + leanX * leanX + leanY * leanY);
    }
}
