// FEM: the product of a stiffness matrix with a vector, node by node: each node has the values of its row and the nodes that they belong to.
#ifndef DATA_TYPE
#define DATA_TYPE float
#endif

void fem(int n, int neighbours, const int neighbour[n][neighbours], const DATA_TYPE stiffness[n][neighbours], const DATA_TYPE x[n], DATA_TYPE y[n]) {
  for (int i = 0; i < n; i++) {
    DATA_TYPE sum = 0;
    for (int k = 0; k < neighbours; k++)
      sum += stiffness[i][k] * x[neighbour[i][k]];
    y[i] = sum;
  }
}

void prepare_fem(int n, int neighbours, int neighbour[n][neighbours], DATA_TYPE stiffness[n][neighbours], DATA_TYPE x[n], DATA_TYPE y[n]) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < neighbours; k++)
      neighbour[i][k] = (i + 7 * k) % n;
}
