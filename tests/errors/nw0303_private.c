// RUN: %nestwarp compile -fopenacc --emit=program %s > %t 2>&1; FileCheck %s < %t; FileCheck --check-prefix=PROGRAM %s < %t
float bad(int n, float a[n]) {
  float t = 1;
// CHECK: nw0303_private.c:[[#@LINE+1]]:35: warning: 't' is private to the iterations of this loop, but is also read outside it [NW0303]
#pragma acc parallel loop private(t)
  for (int i = 0; i < n; i++) {
    t = a[i];
    a[i] = t * t;
  }
  return t;
}

void pointer(int n, float *p, float a[n]) {
// CHECK: nw0303_private.c:[[#@LINE+1]]:35: warning: 'p' is a pointer, and what it points to cannot be private [NW0303]
#pragma acc parallel loop private(p)
  for (int i = 0; i < n; i++)
    a[i] = p[i];
}

void good(int n, float a[n]) {
  float t;
#pragma acc parallel loop private(t)
  for (int i = 0; i < n; i++) {
    t = a[i];
    a[i] = t * t;
  }
}
// PROGRAM: region 0 of good

// Of parallel without loop: an array of each gang.
void gangs(int n, int key[n], float a[n]) {
  float tmp[8];
// CHECK: nw0303_private.c:[[#@LINE+1]]:30: warning: the array 'tmp' is private to gangs, but a parallel loop writes it and it is used outside that loop [NW0303]
#pragma acc parallel private(tmp)
  {
    tmp[0] = 5;
#pragma acc loop
    for (int i = 0; i < n; i++) {
      tmp[key[i] & 7] = a[i];
      a[i] = tmp[0];
    }
  }
}

void first(int n, int key[n], float a[n]) {
  float tmp[8] = {1};
// CHECK: nw0303_private.c:[[#@LINE+1]]:35: warning: the array 'tmp' is firstprivate, and a parallel loop writes it [NW0303]
#pragma acc parallel firstprivate(tmp)
#pragma acc loop
  for (int i = 0; i < n; i++) {
    tmp[key[i] & 7] = a[i];
    a[i] = tmp[0];
  }
}

// What is only read is the same for all.
void table(int n, int key[n], float a[n]) {
  float tmp[8] = {1};
#pragma acc parallel firstprivate(tmp)
#pragma acc loop
  for (int i = 0; i < n; i++)
    a[i] = tmp[key[i] & 7];
}
// PROGRAM: region {{[0-9]+}} of table

void part(int n, float a[n]) {
  float x[4];
// CHECK: nw0303_private.c:[[#@LINE+1]]:37: warning: 'private' names a part of a variable [NW0303]
#pragma acc parallel loop private(x[0])
  for (int i = 0; i < n; i++)
    x[0] = a[i], a[i] = x[0];
}
