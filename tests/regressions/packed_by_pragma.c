// was: structs under #pragma pack were laid out on the device as if there were no pragma.
// now: what gcc prints; such nests stay on the host.
#include <stdio.h>

#define N 200

#pragma pack(push, 1)
struct packed {
  char kind;
  int value;
};
#pragma pack(pop)
static struct packed a[N];

int main(void) {
  for (volatile int i = 0; i < N; i++) {
    a[i].kind = (char)(i % 5);
    a[i].value = i * 3;
  }
  for (int i = 0; i < N; i++)
    a[i].value += a[i].kind;
  for (volatile int i = 0; i < N; i++)
    printf("%d %d\n", a[i].kind, a[i].value);
  return 0;
}
