// RUN: not %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
float a[8][16], b[8][16];
void bad(int k) {
  // CHECK: nw0321_pieces.c:[[#@LINE+4]]:23: error: 'copy(a[0:4][2:3])': this section is not contiguous [NW0321]
  // CHECK-NEXT: [[#@LINE+3]] | #pragma acc data copy(a[0:4][2:3])
  // CHECK-NEXT: {{^      [|]                       \^$}}
  // CHECK-NEXT: = help: name whole rows; only update takes such a section
#pragma acc data copy(a[0:4][2:3])
  a[0][0] = 1;
  // CHECK: error: 'create(b[k:2][:15])': this section is not contiguous [NW0321]
#pragma acc enter data create(b[k:2][:15])
}

// One row, whole rows, and an update of a part.
// CHECK-NOT: error
void good(int k) {
#pragma acc data copy(a[k][2:3], b[1:4][0:16])
  {
#pragma acc update host(b[1:4][2:3])
  }
}
