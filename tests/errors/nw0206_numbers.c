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
