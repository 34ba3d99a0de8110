// RUN: not %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
// RUN: not %nestwarp cc -fopenacc -c %s -o %t.o 2>&1 | FileCheck --strict-whitespace %s
void bad(int n, float a[n], float b[n], float factor) {
#pragma acc parallel loop default(none) copy(a[0:n]) firstprivate(n)
  for (int i = 0; i < n; i++)
    // CHECK: nw0328_default_none.c:[[#@LINE+3]]:12: error: 'b' is in no data clause, but default(none) requires one [NW0328]
    // CHECK: {{^      [|]            \^$}}
    // CHECK: nw0328_default_none.c:[[#@LINE+1]]:19: error: 'factor' is in no data clause, but default(none) requires one [NW0328]
    a[i] = b[i] * factor;
}

// Of the data construct around.
void around(int n, float a[n], float b[n]) {
#pragma acc data copy(a[0:n]) default(none)
  {
#pragma acc parallel firstprivate(n)
    for (int i = 0; i < n; i++)
      // CHECK: nw0328_default_none.c:[[#@LINE+1]]:14: error: 'b' is in no data clause{{.*}} [NW0328]
      a[i] = b[i];
  }
}

// Counters, constants, what is declared inside, and what clauses of loops name, need no clause.
void good(int n, float a[n]) {
  const float two = 2;
  int i;
  float t, sum = 0;
#pragma acc data copy(a[0:n])
  {
#pragma acc parallel default(none) firstprivate(n)
    {
#pragma acc loop private(t) reduction(+ : sum)
      for (i = 0; i < n; i++) {
        float own = a[i];
        t = own * two;
        sum += t;
      }
    }
  }
}
// CHECK-NOT: NW0328
