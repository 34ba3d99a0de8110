// RC5-72: the cipher's first word for each of n keys from a first one on, 72 bits each, as a search for the key computes it: 26 subkeys,
// mixed three times with the key's three words, then 12 rounds.
void rc5(int n, unsigned keyLow, unsigned keyMiddle, unsigned keyHigh, unsigned plain0, unsigned plain1, unsigned word[n]) {
  for (int i = 0; i < n; i++) {
    unsigned S[26], L[3];
    L[0] = keyHigh;
    L[1] = keyMiddle;
    L[2] = keyLow + (unsigned)i;
    S[0] = 0xb7e15163u;
    for (int k = 1; k < 26; k++)
      S[k] = S[k - 1] + 0x9e3779b9u;
    unsigned a = 0, b = 0;
    for (int round = 0; round < 3; round++)
      for (int k = 0; k < 26; k++) {
        unsigned x = S[k] + a + b;
        a = x << 3 | x >> 29;
        S[k] = a;
        unsigned by = a + b, y = L[(26 * round + k) % 3] + by;
        b = y << (by & 31) | y >> (32 - by & 31);
        L[(26 * round + k) % 3] = b;
      }
    unsigned p = plain0 + S[0], q = plain1 + S[1];
    for (int round = 1; round <= 12; round++) {
      unsigned x = p ^ q;
      p = (x << (q & 31) | x >> (32 - q & 31)) + S[2 * round];
      unsigned y = q ^ p;
      q = (y << (p & 31) | y >> (32 - p & 31)) + S[2 * round + 1];
    }
    word[i] = p;
  }
}
