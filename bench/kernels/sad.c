// SAD motion estimation: for each block of 16 x 16 pixels of a picture, and each of 32 x 32 places in the picture before, the sum of
// absolute differences. The picture before has 16 more rows and columns on every side.
void sad(int rows, int columns, const unsigned char now[16 * rows][16 * columns], const unsigned char before[16 * rows + 32][16 * columns + 32],
         int difference[rows][columns][32][32]) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      for (int u = 0; u < 32; u++)
        for (int v = 0; v < 32; v++) {
          int sum = 0;
          for (int k = 0; k < 16; k++)
            for (int l = 0; l < 16; l++) {
              int apart = now[16 * i + k][16 * j + l] - before[16 * i + u + k][16 * j + v + l];
              sum += apart < 0 ? -apart : apart;
            }
          difference[i][j][u][v] = sum;
        }
}
