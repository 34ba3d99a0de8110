// was: around loops that follow another, launches had n * n points and more for a few times n
//      instances: this program did not end
// now: such loops are counted from the one they follow
// expect: offload
// fp: exact
#include <stdio.h>
#include <stdlib.h>

static void diagonal(int n, float A[restrict n][2][2][2]) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < i + 2; j++)
      for (int k = 2 * i - 1; k < 2 * i + 1; k++)
        for (int l = n - i; l < n - i + 2; l++)
          A[i][j - i][k - 2 * i + 1][l - n + i] =
              1 + i % 7 + j % 11 + 3 * ((k + 1) % 13) + 5 * (l % 17);
}

// Rows of three values, cut off at both ends; w is not known.
static void bands(int n, int w, float A[restrict n][2 * w + 1], float C[restrict n][3],
                  const float b[restrict n]) {
  for (int i = w; i < n - w; i++)
    for (int j = i - w; j <= i + w; j++)
      A[i][j - i + w] = b[i] - b[j];
  for (int i = 0; i < n; i++)
    for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++)
      C[i][j - i + 1] = b[i] + b[j];
}

// In turns: what is close to i changes from one time step to the next.
static void moving(int n, int steps, float A[restrict n + steps][4]) {
  for (int t = 0; t < steps; t++)
    for (int i = t; i < n; i++)
      for (int j = i - t; j < i - t + 4; j++)
        A[i][j - i + t] += A[i + 1][j - i + t] + j % 5;
}

int main(void) {
  int n = 20000, w = 2;
  float *a = calloc((size_t)n + 8, 8 * sizeof *a), *c = calloc((size_t)n, 3 * sizeof *c),
        *b = malloc((size_t)n * sizeof *b);
  for (int i = 0; i < n; i++)
    b[i] = i % 101;
  diagonal(n, (float (*)[2][2][2])a);
  for (long k = 0; k < 8L * n; k += 199)
    printf("%g\n", a[k]);
  bands(n, w, (float (*)[2 * w + 1])a, (float (*)[3])c, b);
  for (long k = 0; k < 5L * n; k += 199)
    printf("%g\n", a[k]);
  for (long k = 0; k < 3L * n; k += 199)
    printf("%g\n", c[k]);
  moving(n / 10, 3, (float (*)[4])a);
  for (long k = 0; k < 4L * n / 10; k += 199)
    printf("%g\n", a[k]);
  free(a);
  free(b);
  free(c);
  return 0;
}
