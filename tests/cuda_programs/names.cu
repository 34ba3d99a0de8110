// Names that clash, and arguments that are not written: their values arrive.
// follows: tests/cuda/names.cu
// as written: 8
#include "values.h"

int any() { return 20; }

int main() {
  for (int n : kSizes) {
    Array<float> a(2 * n * n + 40), b(n, 2);
    Array<double> d(n);
    Array<unsigned long long> u(n);
    outer::before_the_definition(b, n);
    launch(a, d, u, n);
    outer::other::launch_there(b, n);
    show("a", n, a);
    show("b", n, b);
    show("d", n, d);
    show("u", n, u);
  }
}
