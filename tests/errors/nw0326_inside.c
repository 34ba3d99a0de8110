// RUN: not %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck %s
float a[8];
void bad(void) {
#pragma acc parallel
  {
    // CHECK: nw0326_inside.c:[[#@LINE+1]]:1: error: 'update' stands inside of 'parallel' (line 4) [NW0326]
#pragma acc update host(a)
    // CHECK: error: 'data' stands inside of 'parallel' (line 4) [NW0326]
#pragma acc data copy(a)
    {
    // CHECK: error: 'parallel loop' stands inside of 'parallel' (line 4) [NW0326]
#pragma acc parallel loop
      for (int i = 0; i < 8; i++)
        a[i] = 1;
    }
  }
}
