// The same from C++.
// STATISTICS: data_copies_in 1
// STATISTICS: data_copies_out 1
#include <cstdio>
namespace {
const int kCount = 300;
double values[kCount];
void increase(int n, double *x) {
#pragma acc parallel loop present(x[0:n])
  for (int i = 0; i < n; i++)
    x[i] = x[i] + 1.5;
}
} // namespace

int main() {
  for (int i = 0; i < kCount; i++)
    values[i] = i;
#pragma acc data copy(values)
  {
    for (int t = 0; t < 4; t++)
      increase(kCount, values);
#pragma acc host_data use_device(values)
    std::printf("%d\n", values != nullptr);
  }
  std::printf("%.2f %.2f\n", values[0], values[299]);
}
