// RNA reducing after Nussinov: the most base pairs of every subsequence.
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

#define MATCH(a, b) ((a) + (b) == 3 ? 1 : 0)
#define LARGER(a, b) ((a) >= (b) ? (a) : (b))

void nussinov(int n, int seq[n], DATA_TYPE table[n][n]) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      table[i][j] = LARGER(table[i][j], table[i][j - 1]);
      if (i + 1 < n)
        table[i][j] = LARGER(table[i][j], table[i + 1][j]);
      if (i + 1 < n) {
        // adjacent bases do not pair
        if (i < j - 1)
          table[i][j] = LARGER(table[i][j], table[i + 1][j - 1] + MATCH(seq[i], seq[j]));
        else
          table[i][j] = LARGER(table[i][j], table[i + 1][j - 1]);
      }
      for (int k = i + 1; k < j; k++)
        table[i][j] = LARGER(table[i][j], table[i][k] + table[k + 1][j]);
    }
}

// Bases 0..3 (0 pairs with 3, 1 with 2), no pairs found yet.
void prepare_nussinov(int n, int seq[n], DATA_TYPE table[n][n]) {
  for (int i = 0; i < n; i++) {
    seq[i] = (seq[i] % 4 + 4) % 4;
    for (int j = 0; j < n; j++)
      table[i][j] = 0;
  }
}
