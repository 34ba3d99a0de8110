// A filter near the border of an image: loops that are short whatever the sizes run over their constants, written out, and ask once, inside.
// RUN: %nestwarp compile -q --no-vectors --emit=cuda %s | FileCheck %s
// RUN: %nestwarp check -q %s --size n=7,2 | FileCheck --check-prefix=RIGHT %s
// RIGHT: filter (n=7): same
// RIGHT: filter (n=2): same
void filter(int n, const float in[n][n], float out[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int u = 0; u < 3; u++)
        for (int v = 0; v < 3; v++)
          if (i + u >= 1 && i + u < n + 1 && j + v >= 1 && j + v < n + 1)
            sum += in[i + u - 1][j + v - 1];
      out[i][j] = sum;
    }
}
// CHECK: #pragma unroll
// CHECK-NEXT: for (int u = 0; u <= 2; u++) {
// CHECK: for (int v = 0; v <= 2; v++) {
// CHECK-NEXT: if (u >= -i + 1 && u <= n - i && (v >= -j + 1 && v <= n - j)) {
