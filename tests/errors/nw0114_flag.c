// Flags that change what C means, and that no kernel can follow: the file stays on the host.
// RUN: sh -c '%nestwarp compile -ftrapv --emit=program %s' 2>&1 | FileCheck %s
// CHECK: nw0114_flag.c: warning: the whole file stays on the host because of -ftrapv: a kernel cannot stop the program where a signed integer overflows [NW0114]
// CHECK-NEXT: = help: compile it without -ftrapv to use a device
// CHECK-NOT: region
//
// RUN: %nestwarp cc -frounding-math -fsanitize=undefined -c %s -o %t.o 2>&1 | FileCheck --check-prefix=TWO %s
// TWO: warning: the whole file stays on the host because of -frounding-math: kernels round to the nearest, whatever mode the program sets [NW0114]
// TWO: warning: the whole file stays on the host because of -fsanitize=undefined: the checks are the host compiler's, and kernels would run without them [NW0114]
// TWO: 0 regions for the device
//
// What is taken back, or comes from NESTWARP_CC.
// RUN: env NESTWARP_CC=cc %nestwarp cc -ftrapv -fno-trapv -fopenmp -fno-openmp -c %s -o %t.o 2>&1 | FileCheck --check-prefix=BACK %s
// BACK-NOT: NW0114
// BACK: 1 region for the device
// RUN: env NESTWARP_CC="cc -fmath-errno" %nestwarp cc -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ENV %s
// ENV: because of -fmath-errno: the functions of math.h set no errno in kernels
//
// OpenACC's directives have to be carried out.
// RUN: sh -c '%nestwarp cc -fopenacc -ftrapv -c %S/Inputs/acc_loop.c -o %t.o; test $? = 2' 2>&1 | FileCheck --check-prefix=ACC %s
// ACC: acc_loop.c: -ftrapv is not for files whose work the device has to do
//
// Strict means one arithmetic.
// RUN: sh -c '%nestwarp cc --fp=strict -ffast-math -c %s -o %t.o; test $? = 2' 2>&1 | FileCheck --check-prefix=MIXED %s
// RUN: sh -c '%nestwarp compile --fp=strict -ffast-math --emit=program %s; test $? = 2' 2>&1 | FileCheck --check-prefix=MIXED %s
// MIXED: --fp=strict and -ffast-math contradict each other
void f(int n, int a[n]) {
  for (int i = 0; i < n; i++)
    a[i] += 1;
}
