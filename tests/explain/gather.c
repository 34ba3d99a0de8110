// Subscripts that depend on data: something between side by side and each lane elsewhere is assumed, and said; sizes that nobody gives are assumed, too.
// RUN: %nestwarp explain --verbose %s --registers=model | FileCheck %s
// CHECK: sizes: n = 1024
// CHECK: assumed: n = 1024 (give --size)
// CHECK: load index[i] {{.*}}: coalesced; 4.0 transactions
// CHECK: load a[index[i]] {{.*}}: scattered: data decide; 6.7 transactions per access of a warp (4.0 would do)
// CHECK: in the way: line {{[0-9]+}}: a[index[i]] takes 6.7 transactions {{.*}} its subscripts depend on data, so its addresses were guessed
void gather(int n, float a[n], int index[n], float out[n]) {
  for (int i = 0; i < n; i++)
    out[i] = a[index[i]];
}
