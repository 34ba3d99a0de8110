// RUN: not %nestwarp compile -fopenacc --emit=program -I %S/Inputs %s 2>&1 | FileCheck %s
// CHECK: error: nestwarp does not handle directives in a header, a template or a lambda ({{.*}}acc_header.h:3) [NW0323]
// CHECK: = help: move it into an ordinary function of this file
#include "acc_header.h"
#define UPDATE _Pragma("acc update host(a)")
float a[8];
void bad(void) {
  // CHECK: nw0323_place.c:[[#@LINE+2]]:3: error: 'update' comes out of a macro or a _Pragma, where nestwarp cannot handle it [NW0323]
  // CHECK: = help: write the directive as #pragma acc in the source
  UPDATE
}

#define PART a[0:8]
void part(void) {
  // CHECK: nw0323_place.c:[[#@LINE+2]]:25: error: what 'self' names comes out of a macro [NW0323]
  // CHECK: = help: write the variable and its section without the macro
#pragma acc update host(PART)
}

#define LENGTH 8
// CHECK-NOT: error
void good(void) {
#pragma acc update host(a[0:LENGTH])
}
