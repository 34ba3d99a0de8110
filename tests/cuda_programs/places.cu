// Kernels in places where they are hard to find; launches from a macro and from a template are those of the original kernel.
// follows: tests/cuda/places.cu
// as written: 8
#include "values.h"

int main() {
  for (int n : {1, 31, 32, 33}) {
    Array<float> a(2 * n);
    outer::launch_inside(n, a);
    launch_later(n, a);
    launch_by_macro(n, a);
    show("single elements", n, a);
    launch_wide(n, a);
    show("wide", n, a);
  }
}
