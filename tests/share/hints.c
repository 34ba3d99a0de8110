// Hints on many shapes of nests: some are carried out, some are not, and all are right with --share=obey.
void jac(int n, float a[n][n], float b[n][n]) {
#pragma acc share(a[TB_Y][TB_X])
#pragma acc parallel loop collapse(2)
  for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) b[i][j] = a[i][j] + a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1];
}
void flatjac(int n, float *a, float *b) {
#pragma acc share(a[TB_X])
#pragma acc parallel loop collapse(2)
  for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++) b[i*n+j] = a[i*n+j] + a[(i-1)*n+j] + a[(i+1)*n+j] + a[i*n+j-1] + a[i*n+j+1];
}
void conv(int n, int w, double a[n][n], double k[7], double b[n][n]) {
#pragma acc share(a[TB_Y][TB_X])
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++) for (int j = 3; j < n - 3; j++) { double s = 0; for (int u = -3; u <= 3; u++) s += k[u + 3] * a[i][j - u]; b[i][j] = s; }
}
void varw(int n, int w, double a[n][n], double b[n][n]) {
#pragma acc share(a[TB_Y][TB_X])
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { double s = 0; for (int u = 0; u < w; u++) if (j + u < n) s += a[i][j + u]; b[i][j] = s; }
}
void lower(int n, float a[n][n], float b[n][n]) {
#pragma acc share(a[TB_Y][TB_X])
#pragma acc parallel loop
  for (int i = 1; i < n; i++) for (int j = 1; j < i; j++) b[i][j] = a[i][j] + a[i - 1][j] + a[i][j - 1] + a[j][i];
}
void xsum(int n, float x[n][n], float y[n][n]) {
#pragma acc share(y[TB_Y][TB_X])
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) y[i][j] += x[k][j];
}
void line(int n, float x[n], float y[n]) {
#pragma acc share(x[TB_X])
#pragma acc parallel loop
  for (int i = 1; i < n - 1; i++) y[i] = x[i - 1] + x[i] + x[i + 1];
}
void edge(int n, float x[n], float y[n]) {
#pragma acc share(x[TB_X])
#pragma acc parallel loop
  for (int i = 0; i < n; i++) y[i] = (i > 1 ? x[i - 2] : 1.0f) + x[i] + (i < n - 2 && n > 5 ? x[i + 2] : 2.0f);
}
