// NW0206: numbers that the device would have to compute with and cannot; smaller ones are taken.
// RUN: %nestwarp compile --emit=plan %s 2>&1 | FileCheck %s
void wide(long n, int a[64]) {
  for (long i = 0; i < 64; i++)
    if (1000000007 * i < 1000000009 * n)
      a[i] = 1;
}
// CHECK: :4:3: remark: a bound or condition of this nest needs numbers of more than 64 bits [NW0206]
// CHECK: "function": "narrow"
void narrow(long n, int a[64]) {
  for (long i = 0; i < 64; i++)
    if (107 * i < 109 * n)
      a[i] = 1;
}
// A nest that is refused leaves its neighbours together: two regions, the first of two nests.
// RUN: %nestwarp compile -q --emit=schedule --function between %s | FileCheck --check-prefix=BETWEEN %s
// RUN: %nestwarp compile -q --emit=plan --function between %s | FileCheck --check-prefix=PLAN %s
// BETWEEN-COUNT-2: schedule (
// BETWEEN-NOT: schedule (
// PLAN: "function": "between"
// PLAN: "region": 0
// PLAN: "function": "between"
// PLAN: "region": 1
// PLAN-NOT: "region"
void between(long n, int a[64], int b[64], int c[64]) {
  for (int i = 0; i < 64; i++)
    a[i] = i;
  for (int i = 0; i < 64; i++)
    b[i] = a[i] + 1;
  for (long i = 0; i < 64; i++)
    if (1000000007 * i < 1000000009 * n)
      a[i] = 1;
  for (int i = 0; i < 64; i++)
    c[i] = b[i] + 1;
}
