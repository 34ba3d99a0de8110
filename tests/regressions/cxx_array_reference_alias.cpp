// was: A reference to an array and the array were taken for distinct.
// now: The recurrence through both names keeps its order.
#include <cstdio>
int main(){ int arr[100]; int (&ra)[100]=arr; for(int i=0;i<100;i++) arr[i]=i; for(int i=1;i<100;i++) arr[i]=ra[i-1]+2;
 for(volatile int i=0;i<100;i++) printf("%d\n",arr[i]); }
