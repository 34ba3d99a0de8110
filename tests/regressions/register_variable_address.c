// was: The host text took the address of a register variable, which C forbids; the build failed.
// now: Such a nest stays on the host, and the program builds.
#include <stdio.h>
int main(void) { static int a[100]; register int s = 0; register int i; for (i = 0; i < 100; i++) a[i] = i; for (i = 0; i < 100; i++) s += a[i]; printf("%d\n", s); }
