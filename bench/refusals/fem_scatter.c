// FEM element by element: each tetrahedron takes the values of its four nodes, and adds what its own matrix makes of them to theirs.
void fem(int nodes, int elements, const int node[elements][4], const float stiffness[elements][4][4], const float x[nodes], float y[nodes]) {
  for (int e = 0; e < elements; e++)
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++)
        y[node[e][a]] += stiffness[e][a][b] * x[node[e][b]];
}
