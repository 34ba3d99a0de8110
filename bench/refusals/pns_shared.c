// PNS with one net for all steps: every transition changes the tokens that the next one looks at.
void pns(int places, int transitions, int steps, const int from[transitions], const int to[transitions], const int chosen[steps], int tokens[places]) {
  for (int t = 0; t < steps; t++)
    if (tokens[from[chosen[t]]] > 0) {
      tokens[from[chosen[t]]]--;
      tokens[to[chosen[t]]]++;
    }
}
