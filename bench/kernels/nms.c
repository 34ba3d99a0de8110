// Non-maximum suppression, as in Canny's edge detector: a point keeps its strength if neither neighbour along its gradient is stronger.
// The direction is one of four; 2.414 is the tangent of 67.5 degrees. Points at the border are no edges.
#include <math.h>
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void nms(int m, int n, const DATA_TYPE strength[m][n], const DATA_TYPE gradientX[m][n], const DATA_TYPE gradientY[m][n], DATA_TYPE edge[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      DATA_TYPE kept = 0;
      if (i > 0 && i < m - 1 && j > 0 && j < n - 1) {
        DATA_TYPE gx = gradientX[i][j], gy = gradientY[i][j], here = strength[i][j];
        DATA_TYPE ax = gx < 0 ? -gx : gx, ay = gy < 0 ? -gy : gy;
        DATA_TYPE before, behind;
        if (ax > (DATA_TYPE)2.414 * ay) {
          before = strength[i][j - 1];
          behind = strength[i][j + 1];
        } else if (ay > (DATA_TYPE)2.414 * ax) {
          before = strength[i - 1][j];
          behind = strength[i + 1][j];
        } else if ((gx > 0) == (gy > 0)) {
          before = strength[i - 1][j - 1];
          behind = strength[i + 1][j + 1];
        } else {
          before = strength[i - 1][j + 1];
          behind = strength[i + 1][j - 1];
        }
        if (here >= before && here >= behind)
          kept = here;
      }
      edge[i][j] = kept;
    }
}
