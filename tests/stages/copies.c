// What is copied: inputs in, wholly written outputs out, and both ways what is updated or perhaps written.
// RUN: %nestwarp compile --emit=kernels %s | FileCheck %s
// CHECK-DAG: buffer both {{.*}}) in out{{$}}
// CHECK-DAG: buffer in {{.*}}) in{{$}}
// CHECK-DAG: buffer out {{.*}}) out{{$}}
// CHECK-DAG: buffer some {{.*}}) in out{{$}}
void f(int n, int in[n], int out[n], int both[n], int some[n]) {
  for (int i = 0; i < n; i++) {
    out[i] = in[i];
    both[i] += 1;
    if (in[i] > 3)
      some[i] = 0;
  }
}
