// RUN: not %nestwarp compile -fopenacc --emit=program %s 2>&1 | FileCheck --strict-whitespace %s
float a[8];
void use(void *);
int bad(int n) {
#pragma acc data copy(a)
  {
    if (n > 3)
      // CHECK: nw0324_jump.c:[[#@LINE+4]]:7: error: this jump leaves the block of 'data' [NW0324]
      // CHECK-NEXT: [[#@LINE+3]] |       return 1;
      // CHECK-NEXT: {{^      [|]       \^$}}
      // CHECK-NEXT: = help: leave the block only at its end
      return 1;
  }
  for (int i = 0; i < n; i++) {
#pragma acc data copy(a)
    {
      use(a);
      // CHECK: error: this jump leaves the block of 'data' [NW0324]
      if (i == 2)
        continue;
    }
#pragma acc host_data use_device(a)
    {
      use(a);
      // CHECK: error: this jump leaves the block of 'host_data' [NW0324]
      break;
    }
  }
#pragma acc data copy(a)
  {
    // CHECK: error: this jump leaves the block of 'data' [NW0324]
    goto end;
  }
end:
  return 0;
}

// Jumps that stay inside.
// CHECK-NOT: error
void good(int n) {
#pragma acc data copy(a)
  {
    for (int i = 0; i < n; i++)
      if (i == 3)
        break;
    switch (n) {
    case 1: use(a); break;
    }
    goto inside;
  inside:
    use(a);
  }
}
