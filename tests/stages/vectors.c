// Large steps whose neighbouring points touch neighbouring elements: a thread takes several of them, loads and stores 16 bytes at a time. The
// host asks whether the memory lies as it must; else, and for few points, there is the plain kernel.
// RUN: %nestwarp compile -q --emit=cuda %s --function add | FileCheck --check-prefix=ADD %s
// RUN: %nestwarp compile -q --emit=cuda %s --function smooth | FileCheck --check-prefix=SMOOTH %s
// RUN: %nestwarp compile -q --emit=opencl %s --function add | FileCheck --check-prefix=OPENCL %s
// RUN: %nestwarp compile -q --emit=plan %s --function smooth | FileCheck --check-prefix=PLAN %s
// RUN: %nestwarp compile -q --emit=cuda --no-vectors %s --function add | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile -q --emit=cuda %s --function choose | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile -q --emit=cuda %s --function jump | FileCheck --check-prefix=NONE %s
// RUN: %nestwarp compile -q --emit=plan %s --function add > %t.json
// RUN: sed 's/"vectorBytes": 16/"vectorBytes": 12/' %t.json > %t.bytes.json && not %nestwarp compile -q --emit=cuda --function add --plan %t.bytes.json %s 2>&1 | FileCheck --check-prefix=BYTES %s
// RUN: sed 's/^ *4$/3/' %t.json > %t.three.json && not %nestwarp compile -q --emit=cuda --function add --plan %t.three.json %s 2>&1 | FileCheck --check-prefix=THREE %s
// ADD: add_0_step0_wide(
// ADD: int i_0 = int(blockIdx.x * blockDim.x + threadIdx.x) * 4;
// ADD-NEXT: if (n >= i_0 + 4 && i_0 >= 0) {
// ADD: const float4 a_window_part = *(const float4 *)&a[i_0];
// ADD: #pragma unroll
// ADD-NEXT: for (int i = i_0; i < i_0 + 4; i++) {
// ADD-NEXT: c_window[i - i_0] = a_window[i - i_0] + b_window[i - i_0];
// ADD: *(float4 *)&c[i_0] = make_float4(c_window[0], c_window[1], c_window[2], c_window[3]);
// ADD-NEXT: } else {
// ADD-NEXT: for (int i = i_0; i <= i_0 + 3 && i <= n - 1; i++) {
// OPENCL: const float4 a_window_part = *(__global const float4 *)&a[i_0];
// OPENCL: *(__global float4 *)&c[i_0] = (float4)(c_window[0], c_window[1], c_window[2], c_window[3]);
// The borders, of the image and of the windows, are left to a kernel of their own.
// SMOOTH: smooth_0_step0_wide(
// SMOOTH: int j_0 = int(blockIdx.x * blockDim.x + threadIdx.x) * 8;
// SMOOTH: if (n >= j_0 + 9 && j_0 >= 1 && n >= i_0 + 9 && i_0 >= 1) {
// SMOOTH-NEXT: unsigned char in_window[10][10];
// SMOOTH: for (int nw_row = 0; nw_row < 10; nw_row++) {
// SMOOTH-NEXT: in_window[nw_row][0] = in[(long long)(i_0 - 1 + nw_row) * n + (j_0 - 1)];
// SMOOTH-NEXT: const uchar4 in_window_part1 = *(const uchar4 *)&in[(long long)(i_0 - 1 + nw_row) * n + j_0];
// SMOOTH: for (int u = 0; u <= 2; u++) {
// SMOOTH-NEXT: #pragma unroll
// SMOOTH-NEXT: for (int v = 0; v <= 2; v++) {
// SMOOTH-NEXT: sum = sum + (int)in_window[i + u - i_0][j + v - j_0];
// SMOOTH: *(uchar4 *)&out[(long long)(i_0 + nw_row) * n + j_0] = make_uchar4(
// SMOOTH-NOT: else
// SMOOTH: smooth_0_step0_wide_boundary(
// SMOOTH: int i = nw_i_border < 8 ? nw_i_border : nw_i_high - 8 + nw_i_border;
// SMOOTH: int j = nw_j_border < 8 ? nw_j_border : nw_j_high - 8 + nw_j_border;
// PLAN: "threadTile": [
// PLAN-NEXT: 8,
// PLAN-NEXT: 8
// PLAN: "vectorBytes": 16,
// PLAN-NEXT: "vectorsProfitableFrom":
// PLAN: "boundaryKernel": true,
// PLAN: 8 values of j and 8 of i in a thread, which moves 4 elements at a time; points at the border in a kernel of their own
// NONE-NOT: _wide
// BYTES: kernels[0].vectorBytes of entry 0 is 12; expected 0, 4, 8 or 16
// THREE: kernel step0 has wide accesses, for which a thread takes 2, 4, 8 or 16 values of i
void add(int n, const float a[n], const float b[n], float c[n]) {
  for (int i = 0; i < n; i++)
    c[i] = a[i] + b[i];
}

void smooth(int n, const unsigned char in[n][n], unsigned char out[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int sum = 0;
      for (int u = 0; u < 3; u++)
        for (int v = 0; v < 3; v++)
          if (i + u >= 1 && i + u < n + 1 && j + v >= 1 && j + v < n + 1)
            sum += in[i + u - 1][j + v - 1];
      out[i][j] = sum / 9;
    }
}

// Not every point writes: there is nothing to store as a whole.
void choose(int n, const float a[n], float c[n]) {
  for (int i = 0; i < n; i++)
    if (a[i] > 0)
      c[i] = a[i];
}

// Neighbouring points do not read neighbours.
void jump(int n, const float a[2 * n], float c[n]) {
  for (int i = 0; i < n; i++)
    c[i] = a[2 * i];
}
