// RUN: not %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck %s
float a[8];
// CHECK: nw0327_declare.c:[[#@LINE+1]]:1: error: 'declare' is not supported [NW0327]
#pragma acc declare create(a)
// CHECK: = help: use data, or enter data and exit data, where the variable is used

void good(void) {
#pragma acc enter data create(a)
}
