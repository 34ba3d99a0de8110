// A question about a number uses it more than once: inside of each other they would grow without
// bounds.
// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck %s
#define ASK(x) ((float)__builtin_isinf_sign(x) + 2)
#define THREE(x) ASK(ASK(ASK(x)))
#define TWELVE(x) THREE(THREE(THREE(THREE(x))))
// CHECK: calls of 'isinf_sign' stand inside each other too often [NW0105]
void bad(int n, float a[n], float b[n]) {
  for (int i = 0; i < n; i++)
    b[i] = TWELVE(a[i]);
}

// CHECK: region {{[0-9]+}} of good
void good(int n, float a[n], float b[n]) {
  for (int i = 0; i < n; i++)
    b[i] = THREE(a[i]);
}
