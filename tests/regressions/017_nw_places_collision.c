// WRONG CODE: the generated kernel argument nw_places (also nw_blocks, nw_folded, nw_shared, nw_place, nw_block, NAME_shift,
// NAME_count) is merged with a user's variable of that name. expected 45, actual 0. lower.cpp: not made unique.
#include <stdio.h>
int nw_places, a[60];
__attribute__((noinline)) void h(int n) { for (int i = 0; i < n; i++) nw_places += a[i]; }
int main(void) { for (volatile int i = 0; i < 60; i++) a[i] = 1; h(45); printf("%d\n", nw_places); }
