// was: A::P and B::P were taken for one struct, and the translator crashed.
// now: They are two structs, and the translation ends.
#include <cstdio>
namespace A{ struct P{int x,y;}; } namespace B{ struct P{double x; int y,z;}; }
A::P p[100]; B::P q[100];
int main(){ 
 for(int i=0;i<100;i++){ p[i].x=i; p[i].y=2*i; q[i].x=p[i].x*0.5; q[i].y=i; q[i].z=p[i].y; }
 for(volatile int i=0;i<100;i++) printf("%d %d %g %d %d\n",p[i].x,p[i].y,q[i].x,q[i].y,q[i].z); }
