// was: g<int> and g<double> shared one device function, found by its name.
// now: Each instance of the template has a device function of its own.
#include <cstdio>
template<class T> static T g(T x){ T r=0; for(int k=0;k<3;k++) r+=x/2; return r; }
int a[100]; double b[100];
int main(){ for(int i=0;i<100;i++){ a[i]+=g(i); b[i]+=g(i*0.5); }
 for(volatile int i=0;i<100;i++) printf("%d %g\n",a[i],b[i]); }
