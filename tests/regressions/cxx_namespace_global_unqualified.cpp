// was: The host text named a global of a namespace without its qualifier, and the user's build
//      failed.
// now: Globals are named by their qualified names; the program builds.
#include <cstdio>
namespace n1 { int arr[80]; static const int tab[3] = {4, 5, 6}; }
struct S { static int st[80]; }; int S::st[80];
int main() {
  for (int i = 0; i < 80; i++) n1::arr[i] = i + n1::tab[i % 3];
  for (int i = 0; i < 80; i++) S::st[i] = n1::arr[i] * 2;
  for (volatile int i = 0; i < 80; i++) printf("%d %d\n", n1::arr[i], S::st[i]);
}
