// Fields of structs are told apart: reading y and writing x is not a dependence.
// RUN: %nestwarp compile --emit=program %s | FileCheck --check-prefix=PROGRAM %s
// RUN: %nestwarp compile --emit=cuda %s | FileCheck --check-prefix=CUDA %s
// PROGRAM: reads {{.*}}S0[i0] -> p[i0, 1]
// PROGRAM: writes {{.*}}S0[i0] -> p[i0, 0]
// CUDA: struct point {
// CUDA: p[i].x = p[i].y + 1;
struct point { int x, y; };
void f(int n, struct point p[n]) {
  for (int i = 0; i < n; i++)
    p[i].x = p[i].y + 1;
}
