// RUN: %nestwarp compile --emit=plan %s 2>&1 | FileCheck %s
// CHECK: remark: statements or expressions are nested more than 2000 deep here [NW0113]
#define T1(x) (((((((((((x)))))))))))
#define T2(x) T1(T1(T1(T1(T1(T1(T1(T1(T1(T1(x))))))))))
#define T3(x) T2(-T2(-T2(-T2(-T2(-T2(-T2(-T2(-T2(-T2(x))))))))))
void f(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] = T3(-T3(-T3(i)));
}
