// NW0207: an inner subscript beyond its row; the next nest is offloaded all the same.
// RUN: %nestwarp compile --emit=plan %s 2>&1 | FileCheck %s
int a[20][30];
void beyond(void) {
  for (int i = 0; i < 600; i++)
    a[0][i] = i;
}
// CHECK: :6:{{[0-9]+}}: remark: a subscript of 'a' leaves its row [NW0207]
// CHECK: a[0][i] = i;
// CHECK: ^
// CHECK: "function": "inside"
void inside(void) {
  for (int i = 0; i < 30; i++)
    a[0][i] = i;
}
