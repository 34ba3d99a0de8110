// Ways to misuse directives that Clang tells: each is an error at the word, and nothing is compiled. Ours have files of their own, by code.
// RUN: not %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck --implicit-check-not=region %s
void conflicts(int n, float a[n]) {
  float s = 0;
  // CHECK: openacc_misuse.c:[[#@LINE+1]]:32: error: OpenACC clause 'seq' may not appear on the same construct as a 'gang' clause
#pragma acc parallel loop gang seq
  for (int i = 0; i < n; i++)
    a[i] = 1;
  // CHECK: openacc_misuse.c:[[#@LINE+1]]:39: error: OpenACC clause 'seq' may not appear on the same construct as a 'independent' clause
#pragma acc parallel loop independent seq
  for (int i = 0; i < n; i++)
    a[i] = 1;
  // CHECK: openacc_misuse.c:[[#@LINE+1]]:39: error: OpenACC clause 'collapse' cannot combine with previous 'collapse' clause
#pragma acc parallel loop collapse(1) collapse(1)
  for (int i = 0; i < n; i++)
    a[i] = 1;
}

void numbers(int n, float a[n]) {
  // CHECK: openacc_misuse.c:[[#@LINE+1]]:36: error: OpenACC 'collapse' clause loop count must be a positive integer value, evaluated to 0
#pragma acc parallel loop collapse(0)
  for (int i = 0; i < n; i++)
    a[i] = 1;
  // CHECK: openacc_misuse.c:[[#@LINE+1]]:1: error: 'collapse' clause specifies a loop count greater than the number of available loops
#pragma acc parallel loop collapse(3)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      ;
  // CHECK: openacc_misuse.c:[[#@LINE+1]]:1: error: 'tile' clause specifies a loop count greater than the number of available loops
#pragma acc parallel loop tile(2, 2)
  for (int i = 0; i < n; i++)
    ;
}

void words(int n, float a[n]) {
  float s = 0;
  // CHECK: openacc_misuse.c:[[#@LINE+1]]:38: error: invalid reduction operator
#pragma acc parallel loop reduction( - : s)
  for (int i = 0; i < n; i++)
    s += a[i];
  // CHECK: openacc_misuse.c:[[#@LINE+1]]:27: error: invalid OpenACC clause 'vectr'
#pragma acc parallel loop vectr
  for (int i = 0; i < n; i++)
    a[i] = 1;
  // CHECK: openacc_misuse.c:[[#@LINE+1]]:33: error: invalid OpenACC clause 'bogus'
#pragma acc update host(a[0:n]) bogus(2)
  // CHECK: openacc_misuse.c:[[#@LINE+1]]:23: error: use of undeclared identifier 'zz'
#pragma acc data copy(zz)
  a[0] = s;
  // CHECK: openacc_misuse.c:[[#@LINE+1]]:34: error: use of undeclared identifier 'q'
#pragma acc host_data use_device(q)
  a[0] = s;
}

void places(int n, float a[n]) {
  // CHECK: openacc_misuse.c:[[#@LINE+2]]:3: error: OpenACC 'parallel loop' construct can only be applied to a 'for' loop
#pragma acc parallel loop
  a[0] = 1;
}
