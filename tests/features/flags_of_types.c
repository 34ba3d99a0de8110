// expect: offload
// flags: -fpack-struct -fshort-enums -fshort-wchar
// feature: flags that change types: packed structs, small enumerations, short wide characters
#include <stddef.h>
#include <stdio.h>

#define N 200

struct packed {
  char kind;
  int value;
};
static struct packed a[N];
enum color { RED, GREEN = 200 };
static enum color colors[N], others[N];
static wchar_t letters[N];
static int sums[N];

int main(void) {
  for (volatile int i = 0; i < N; i++) {
    a[i].kind = (char)(i % 5);
    a[i].value = i * 3;
    colors[i] = i % 2 ? GREEN : RED;
    letters[i] = (wchar_t)(i * 700);
  }
  for (int i = 0; i < N; i++)
    a[i].value += a[i].kind;
  for (int i = 0; i < N; i++) {
    others[i] = colors[N - 1 - i];
    letters[i] = (wchar_t)(letters[i] + 3000);
    sums[i] = (int)sizeof(enum color) * 1000 + colors[i] + letters[i];
  }
  for (volatile int i = 0; i < N; i++)
    printf("%d %d %d %d %d\n", a[i].kind, a[i].value, others[i], (int)letters[i], sums[i]);
  return 0;
}
