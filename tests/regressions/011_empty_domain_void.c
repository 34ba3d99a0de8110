// GIVES UP: "the polyhedral library gave up ... cannot handle void expression" on a nest whose inner domain is
// empty at compile time (k from 2 below 1). expected: nothing, silently. Probably Statement with an empty domain
// (leaf() returns early for an empty scope, but the counters' loop/AST remains; or isl_ast_expr of an empty pw_aff).
unsigned Q[64];
void fn1(void) {
  for (int i = 1; i < 2; i += 2)
    for (unsigned k = 2; k < i; k++) {
      continue;
      unsigned w = (Q[i] * 3u) & 7;
    }
}
int main(void) { fn1(); }
