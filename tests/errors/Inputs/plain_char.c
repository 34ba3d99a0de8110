void count_letters(int n, const char letters[n], int counts[n]) {
  for (int i = 0; i < n; i++)
    counts[i] = counts[i] + letters[i];
}
