// BUILD FAIL: the host text names a global of a namespace without its qualifier ('arr' was not declared; did you mean
// 'n1::arr'). describe(): made.spelling = v->getNameAsString() must be the qualified name (also static members of a class,
// variables of an anonymous or nested namespace, enum-scoped ones). The user's build breaks, so it is more than a refusal.
#include <cstdio>
namespace n1 { int arr[80]; static const int tab[3] = {4, 5, 6}; }
struct S { static int st[80]; }; int S::st[80];
int main() {
  for (int i = 0; i < 80; i++) n1::arr[i] = i + n1::tab[i % 3];
  for (int i = 0; i < 80; i++) S::st[i] = n1::arr[i] * 2;
  for (volatile int i = 0; i < 80; i++) printf("%d %d\n", n1::arr[i], S::st[i]);
}
