// was: std::abs of a double was the integer's abs: the translator crashed, and -0.0 stayed
//      negative. Overloads for integers handed integers to the device's function of numbers, and a
//      function of another namespace was taken for the library's.
// now: what g++ prints.
// expect: offload
// fp: tol
// strict-expect: offload
#include <cmath>
#include <cstdio>
#include <cstdlib>

constexpr int N = 200;
static double a[N], b[N];
static float f[N], g[N];
static int k[N], count[N];
static long wide[N];

namespace other {
double round(double x, int digits);
}

int main() {
  for (volatile int i = 0; i < N; i++) {
    a[i] = (i - 100) * 0.25;
    f[i] = float(i - 70) * 0.5f;
    k[i] = i - 60;
    wide[i] = (i - 50) * 5000000000L;
  }
  a[7] = -0.0;
  int errors = 0;
  for (int i = 0; i < N; i++)
    if (std::abs(a[i]) > 1)
      errors++;
  for (int i = 0; i < N; i++) {
    b[i] = std::abs(a[i]) + std::fabs(f[i]) + std::sqrt(k[i] < 0 ? 0 : k[i]) + std::floor(k[i]);
    if (std::fmax(f[i], a[i]) > std::abs(f[i]) || std::sqrt(std::abs(f[i])) < 2)
      count[i] = std::abs(k[i]) + int(std::abs(wide[i]) / 1000000000);
    g[i] = std::abs(f[i]) + std::fmin(f[i], 2.0f);
  }
  b[7] = std::abs(a[7]);
  for (int i = 0; i < N; i++)
    a[i] = other::round(a[i], 1);
  std::printf("%d\n", errors);
  for (volatile int i = 0; i < N; i++)
    std::printf("%d: %g %g %d %g %d\n", i, b[i], g[i], count[i], a[i], std::signbit(b[i]));
}

double other::round(double x, int digits) { return std::floor(x * (10 << digits)) / 3; }
