/* Calls the region of update.c: once, or in several threads at the same time. Wrong numbers are told. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void update(int n, int *a, int *b, int *c);

enum { N = 20000, MOST = 64 };

static void *calls(void *turns) {
  int *a = malloc(sizeof(int) * N), *b = malloc(sizeof(int) * N), *c = malloc(sizeof(int) * N);
  long wrong = 0;
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i, c[i] = -1;
  for (int t = 0; t < *(int *)turns; t++)
    update(N, a, b, c);
  for (int i = 0; i < N; i++) {
    int x = i, y = i;
    for (int t = 0; t < *(int *)turns; t++)
      x = x * 2 + 1, y = y * 3 + 1;
    wrong += a[i] != x || b[i] != y || c[i] != x + i;
  }
  free(a), free(b), free(c);
  return (void *)wrong;
}

int main(int count, char **words) {
  int threads = count > 1 ? atoi(words[1]) : 1, turns = count > 2 ? atoi(words[2]) : 1;
  pthread_t all[MOST];
  long wrong = 0;
  for (int t = 0; t < threads && t < MOST; t++)
    pthread_create(&all[t], 0, calls, &turns);
  for (int t = 0; t < threads && t < MOST; t++) {
    void *one;
    pthread_join(all[t], &one);
    wrong += (long)one;
  }
  printf("%ld wrong\n", wrong);
  return 0;
}
