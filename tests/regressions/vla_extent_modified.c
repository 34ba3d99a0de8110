// was: The extent of a variable-length array was read anew from a variable that had changed since
//      the array was declared.
// now: The extent is the variable's value at the declaration: 446728648 and 4221978169 are printed.
#include <stdio.h>
__attribute__((noinline)) void f(int n, int A[n][n]) { n = n - 1; for (int i=0;i<n;i++) for(int j=0;j<n;j++) A[i][j]+=i*10+j; }
__attribute__((noinline)) void g(int n) { int m=n; int A[m][m]; m=5; for (int i=0;i<n;i++) for(int j=0;j<n;j++) A[i][j]=i*10+j; unsigned h=0; for(volatile int i=0;i<n;i++) for(volatile int j=0;j<n;j++) h=h*31+A[i][j]; printf("%u\n",h); }
__attribute__((noinline)) void h(int n, int *b) { int m=n; int (*A)[m]=(void*)b; m-=3; for (int i=0;i<m;i++) for(int j=0;j<m;j++) A[i][j]+=i*10+j; }
int main(void){ static int b[30*30]; f(30,(void*)b); g(20); h(30,b); unsigned q=0; for(volatile int i=0;i<900;i++) q=q*31+b[i]; printf("%u\n",q);}
