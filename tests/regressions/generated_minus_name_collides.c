// was: The generated name minus_j collided with the user's array minus_j, and the kernels could not
//      be built.
// now: Generated names are none of the user's.
#include <stdio.h>
int a[60][60],minus_j[60];
void f(int n,int minus_i){ for(int i=0;i<n;i++){ for(int j=n-2;j>=0;j--) a[i][j]+=a[i][j+1]+minus_j[i]; } for(int i=n-1;i>=0;i--) a[i][3]+=minus_i; }
int main(void){ for(volatile int i=0;i<60;i++)for(volatile int j=0;j<60;j++)a[i][j]=i*j%7,minus_j[i]=i; f(60,5); for(volatile int i=0;i<60;i++) printf("%d %d\n",a[i][0],a[i][20]); }
