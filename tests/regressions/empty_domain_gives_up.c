// was: isl gave up ("cannot handle void expression") on a nest whose inner loop runs for no value
//      (k from 2 below 1).
// now: The nest does nothing, and the translation says nothing about it.
unsigned Q[64];
void fn1(void) {
  for (int i = 1; i < 2; i += 2)
    for (unsigned k = 2; k < i; k++) {
      continue;
      unsigned w = (Q[i] * 3u) & 7;
    }
}
int main(void) { fn1(); }
