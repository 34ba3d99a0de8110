// RPES of all orders: how many roots an integral needs depends on its shells, and a table of functions has one for each order.
void rpes(int n, const int order[n], double (*const root[])(double), const double t[n], double weight[n]) {
  for (int i = 0; i < n; i++)
    weight[i] = root[order[i]](t[i]);
}
