// Annotations, and blocks of another size than they say.
// follows: tests/cuda/annotated.cu
// as written: 1
#include "values.h"

int main() {
  for (int threads : {256, 64}) {
    Array<float> a(ASIZE * ASIZE), b(ASIZE * ASIZE, 2);
    launch(a, b, threads);
    show("b", threads, b);
  }
}
