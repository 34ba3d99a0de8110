// Threads along rows in many shapes: some go through shared memory with --coalesce, some cannot, and all are right.
void tri(int n, const double a[n][n], double b[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) b[i][j] = a[i][j] * 2; }
void off(int n, int m, const float a[n][m], float b[n][m]) { for (int i = 2; i < n - 1; i++) for (int j = 1; j < m - 1; j++) b[i - 1][j + 1] = a[i][j - 1] + a[i][j] + a[i + 1][j + 1]; }
void rev(int n, int m, const float a[n][m], float b[n][m]) { for (int i = 0; i < n; i++) for (int j = m - 1; j >= 0; j--) b[i][j] = a[i][m - 1 - j]; }
void two(int n, int m, const float a[n][m], float b[n][m], float c[n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { b[i][j] = a[i][j] + 1; c[i][j] = a[i][j] - 1; } }
void cond(int n, int m, const float a[n][m], float b[n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) if (a[i][j] > 0.5f) b[i][j] = a[i][j]; }
void bytes(int n, int m, const unsigned char a[n][m], unsigned char b[n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[i][j] = a[i][j] ^ 1; }
void cube(int n, int m, int l, const float a[n][m][l], float b[n][m][l]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < l; k++) b[i][j][k] = a[i][j][k] * 3; }
void part(int n, int m, const float a[n][m], float b[n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) if (i + j < n) b[i][j] = a[i][j]; }
void even(int n, int m, const float a[n][m], float b[n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j += 2) b[i][j] = a[i][j]; }
void flat(int n, int m, const float *a, float *b) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[i * m + j] = a[i * m + j] * 2; }
void acc(int n, int m, const float a[n][m], float s[n]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s[i] += a[i][j]; }
void run(int n, int m, const float a[n][m], float b[n][m]) { for (int i = 0; i < n; i++) { float s = 0; for (int j = 0; j < m; j++) { s += a[i][j]; b[i][j] = s; } } }
void inplace(int n, int m, float a[n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = a[i][j] * 2 + 1; }
