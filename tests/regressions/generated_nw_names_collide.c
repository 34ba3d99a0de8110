// was: Generated arguments such as nw_places, nw_blocks and NAME_shift were taken for the user's
//      variables of that name: 0 was printed.
// now: Generated names are none of the user's: 45 is printed.
#include <stdio.h>
int nw_places, a[60];
__attribute__((noinline)) void h(int n) { for (int i = 0; i < n; i++) nw_places += a[i]; }
int main(void) { for (volatile int i = 0; i < 60; i++) a[i] = 1; h(45); printf("%d\n", nw_places); }
