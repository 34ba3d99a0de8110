// RUN: not %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
void use(void *);
struct bits {
  int flag : 3, n;
} v[8];
void bad(int n, float **rows) {
  int x = 0;
  // CHECK: nw0322_no_array.c:[[#@LINE+4]]:23: error: 'copy(rows[0:n][0:n])' has more subscripts than the array has contiguous dimensions [NW0322]
  // CHECK-NEXT: [[#@LINE+3]] | #pragma acc data copy(rows[0:n][0:n])
  // CHECK-NEXT: {{^      [|]                       \^$}}
  // CHECK-NEXT: = help: an array of pointers is not contiguous: use one block of memory
#pragma acc data copy(rows[0:n][0:n])
  x = 1;
  // CHECK: error: 'use_device(x)' names something that is neither an array nor a pointer [NW0322]
#pragma acc host_data use_device(x)
  use(&x);
  // CHECK: error: 'device(v[n].flag)' names a bit-field, which has no address [NW0322]
#pragma acc update device(v[n].flag)
}

// CHECK-NOT: error
void good(int n, float *p) {
#pragma acc host_data use_device(p)
  use(p);
#pragma acc parallel loop deviceptr(p)
  for (int i = 0; i < n; i++)
    p[i] = i;
#pragma acc update device(v[n].n) self(v[1])
}
