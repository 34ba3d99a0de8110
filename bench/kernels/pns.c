// PNS: a stochastic Petri net, simulated n times: in each step a transition is drawn, and if both places that it takes from have a token,
// it takes one from each and puts one into two others. Every simulation has tokens and random numbers of its own.
void pns(int n, int places, int transitions, int steps, const int from[transitions][2], const int to[transitions][2], const unsigned seed[n],
         int tokens[n][places], int fired[n]) {
  for (int s = 0; s < n; s++) {
    unsigned state = seed[s];
    int count = 0;
    for (int t = 0; t < steps; t++) {
      state = state * 1664525u + 1013904223u;
      int chosen = (int)((state >> 8) % (unsigned)transitions);
      int a = from[chosen][0], b = from[chosen][1];
      if (tokens[s][a] > 0 && tokens[s][b] > 0) {
        tokens[s][a]--;
        tokens[s][b]--;
        tokens[s][to[chosen][0]]++;
        tokens[s][to[chosen][1]]++;
        count++;
      }
    }
    fired[s] = count;
  }
}

void prepare_pns(int n, int places, int transitions, int steps, int from[transitions][2], int to[transitions][2], unsigned seed[n],
                 int tokens[n][places], int fired[n]) {
  for (int t = 0; t < transitions; t++)
    for (int k = 0; k < 2; k++) {
      from[t][k] = (3 * t + k) % places;
      to[t][k] = (5 * t + 2 * k + 1) % places;
    }
  for (int s = 0; s < n; s++)
    for (int p = 0; p < places; p++)
      tokens[s][p] = (s + p) % 4;
}
