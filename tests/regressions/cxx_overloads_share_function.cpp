// was: f(int) and f(double) shared one device function, found by its name.
// now: Each overload has a device function of its own.
#include <cstdio>
static int f(int x){ int r=0; for(int k=0;k<3;k++) r+=x; return r; }
static double f(double x){ double r=1; for(int k=0;k<3;k++) r*=x; return r; }
int a[100]; double b[100];
int main(){ for(int i=0;i<100;i++){ a[i]=f(i); b[i]=f(i*0.5); }
 for(volatile int i=0;i<100;i++) printf("%d %g\n",a[i],b[i]); }
