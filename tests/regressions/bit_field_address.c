// was: The host text took the address of a bit-field, which C forbids; the build failed.
// now: Such a nest stays on the host, and the program builds.
#include <stdio.h>
struct opt { unsigned a : 3; int n; };
__attribute__((noinline)) void f(struct opt *p, int n, int *A) { for (int i = 0; i < n; i++) A[i] = p->a * i; }
int main(void) { static int a[100]; struct opt o = {5, 1}; f(&o, 100, a); printf("%d\n", a[99]); }
