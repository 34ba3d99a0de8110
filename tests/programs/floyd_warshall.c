// All-pairs shortest paths, in place on the matrix of edge lengths.
// int: yes

#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void floyd_warshall(int n, DATA_TYPE path[n][n]) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}

// Positive edge lengths, some edges missing (a very long way round).
void prepare_floyd_warshall(int n, DATA_TYPE path[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      DATA_TYPE length = path[i][j] < 0 ? -path[i][j] : path[i][j];
      if (i == j)
        path[i][j] = 0;
      else if ((3 * i + j) % 7 < 5)
        path[i][j] = 9999;
      else
        path[i][j] = 1 + 5 * length;
    }
}
