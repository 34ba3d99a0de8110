// was: 'm->sum' and 'm -> sum' were told apart by their spelling and taken for two scalars.
// now: They are one: 247 is printed, and stored into the array.
#include <stdio.h>
struct M{int cols; int sum; int *d;}; int buf[200];
__attribute__((noinline)) void h2(struct M*m,int*p){ for(int i=0;i<50;i++){ m->sum += p[i]; } for(int i=0;i<50;i++) p[i]=m -> sum; }
int main(void){ for(volatile int i=0;i<200;i++)buf[i]=i%11; struct M m={30,5,buf}; h2(&m,buf); printf("%d\n",m.sum);  h2(&m,buf+3); printf("%d\n",m.sum);
 for(volatile int k=0;k<100;k++)printf("%d ",buf[k]); puts("");}
