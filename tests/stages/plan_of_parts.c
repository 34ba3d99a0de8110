// Nests that are refused together, and taken one by one: a plan of these is replayed on these.
// RUN: %nestwarp compile -q --emit=plan %s > %t.json && %nestwarp compile -q --emit=cuda --plan %t.json %s > %t.again.cu
// RUN: %nestwarp compile -q --emit=cuda %s > %t.cu && cmp %t.cu %t.again.cu
// RUN: FileCheck --check-prefix=PLAN --input-file=%t.json %s
// PLAN: "region": 0
// PLAN: "region": 1
double fmin(double, double);
double fmax(double, double);
float fminf(float, float);
float fmaxf(float, float);
static signed char v_own;
static int helper_own(int a, int b) { return (a * 3 + b) & 255; }
void kernel(int n, int m, int w, double B[10], long long C[w], short *s, double (*M0)[20], signed char M1[20][13]) {
  for (int i = 0; i < n; i++) {
    for (int j = 1; j < m; j++) {
      M0[j][i] = M1[i][j];
    }
  }
  for (int i = w - 1; i >= 0; i -= 2) {
    for (int j = 0; j < 3 && j < m; j++) {
      for (int k = w - 1; k >= 1; k -= 2) {
        M0[i][k] *= (((s[0] % 9) * (fmax(fmin(B[k - 1], 1000.0), (-1000.0)))) < 3) ? 1 : (-1);
        C[k] = C[k] > ((long long)(v_own - ((i > (n - 2)) ? v_own : s[0]))) ? C[k] : ((long long)(v_own - ((i > (n - 2)) ? v_own : s[0])));
        M1[i][j] = (int)(fmax(fmin(v_own + B[k], 100.0), (-100.0)));
      }
    }
  }
}
