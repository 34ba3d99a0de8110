/* line 1 */
void f(void) { int x }
