// RUN: not %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
float a[8], b[4][4];
void use(void *, unsigned long);
int bad(int n, float *p) {
  float sum = 0;
#pragma acc host_data use_device(a)
  {
    use(a, sizeof a[0]);
    // CHECK: nw0329_host_data.c:[[#@LINE+4]]:11: error: 'a' is an address on the device here, through which the host cannot read or write [NW0329]
    // CHECK-NEXT: [[#@LINE+3]] |     sum = a[n];
    // CHECK-NEXT: {{^ +[|] +\^$}}
    // CHECK-NEXT: = help: end the block of host_data before, or only pass the address on
    sum = a[n];
  }
#pragma acc host_data use_device(p)
  {
    float *q = p;
    // CHECK: nw0329_host_data.c:[[#@LINE+1]]:5: error: 'p' is an address on the device here{{.*}} [NW0329]
    *q = 1;
  }
  return sum > 0;
}

// CHECK-NOT: error
int good(int n, float *p) {
  float sum = 0;
#pragma acc host_data use_device(a, b)
  {
    float *q = n > 3 ? &a[1] : a;
    use(&a[n], 1);
    use(b[n], sizeof b[n][0]);
    use(&b[1][2], q != 0);
  }
#pragma acc host_data use_device(p)
  {
#pragma acc parallel loop deviceptr(p)
    for (int i = 0; i < n; i++)
      p[i] = 0;
  }
#pragma acc host_data use_device(p) if_present
  sum += p[0];
#pragma acc host_data use_device(p) if(n > 3)
  use(n > 3 ? 0 : &p[3], n > 3 ? 0 : p[3] > 2);
  float *r = a;
#pragma acc host_data use_device(p)
  {
    use(p, 1);
    r = p;
    use(r, 1);
    r = a;
    sum += r[2];
  }
  return sum > 0;
}
