// was: A reference and the variable it is bound to were taken for distinct.
// now: What is stored through one is read through the other.
#include <cstdio>
int a[100];
int main(){ for(volatile int i=0;i<100;i++) a[i]=i;
 int s=0; int &r=s; for(int i=0;i<100;i++){ r+=a[i]; a[i]=s; }
 for(volatile int i=0;i<100;i++) printf("%d\n",a[i]); printf("%d\n",s); 
 for(int i=0;i<100;i++) r+=a[i]; for(int i=0;i<100;i++) a[i]+=s;
 for(volatile int i=0;i<100;i++) printf("%d\n",a[i]); printf("%d\n",s); }
