// A struct of more scalars than an int counts.
// RUN: %nestwarp compile --emit=program %s 2>&1 | FileCheck %s
struct large {
  int x;
  int history[2147483647];
};
static struct large huge[2];
void too_large(int n) {
  for (int i = 0; i < n; i++)
    huge[i].x = i;
}
// CHECK: :7:21: remark: struct 'large' is larger than 16 MiB [NW0102]
