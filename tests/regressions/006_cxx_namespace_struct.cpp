// CRASH (segfault of nestwarp): A::P and B::P share one struct. convert_expr.cpp structOf(): identity by name
#include <cstdio>
namespace A{ struct P{int x,y;}; } namespace B{ struct P{double x; int y,z;}; }
A::P p[100]; B::P q[100];
int main(){ 
 for(int i=0;i<100;i++){ p[i].x=i; p[i].y=2*i; q[i].x=p[i].x*0.5; q[i].y=i; q[i].z=p[i].y; }
 for(volatile int i=0;i<100;i++) printf("%d %d %g %d %d\n",p[i].x,p[i].y,q[i].x,q[i].y,q[i].z); }
