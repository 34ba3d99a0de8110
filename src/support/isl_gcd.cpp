// Greatest common divisors, by which isl keeps the rows of its tables small: after each step of a
// linear program it divides rows by them. Its own function looks for the smallest number first, and
// for numbers of more than 32 bits takes bits off one by one, in memory that it asks for. The
// linker puts these functions in place of isl's, for isl's own calls too (--wrap); what they do not
// know is left to isl.
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <isl/ctx.h>
#include <numeric>

extern "C" {
// A number of isl: a small one with a mark, or a pointer to a large one.
using Word = intptr_t;
Word isl_sioimath_encode_small(int32_t value);
void __real_isl_seq_gcd(Word *numbers, unsigned count, Word *divisor);
void __real_isl_seq_normalize(isl_ctx *ctx, Word *numbers, unsigned count);

// The large ones.
int mp_int_to_int(void *number, long *value);
int mp_int_set_value(void *number, long value);
int __real_mp_int_gcd(void *a, void *b, void *divisor);
}

namespace {

constexpr int kDone = 0; // of functions on large numbers

constexpr Word small(int32_t value) { return Word(uint64_t(int64_t(value)) << 32 | 1); }
constexpr int32_t valueOf(Word word) { return int32_t(word >> 32); }
constexpr bool isSmall(Word word) { return (word & 1) && valueOf(word) != INT32_MIN; }

// Whether isl says numbers as it is thought here.
bool isKnownForm() {
  static const bool is = isl_sioimath_encode_small(0) == small(0) &&
                         isl_sioimath_encode_small(5) == small(5) &&
                         isl_sioimath_encode_small(-7) == small(-7);
  return is;
}

// The divisor of numbers of which the others are multiples; -1 where that takes large numbers.
int64_t divisorOf(const Word *numbers, unsigned count) {
  if (!isKnownForm())
    return -1;
  uint32_t divisor = 0;
  bool areSmall = true;
  for (unsigned n = 0; n < count; n++) {
    if (numbers[n] == small(0))
      continue;
    areSmall &= isSmall(numbers[n]);
    if (isSmall(numbers[n]))
      divisor = std::gcd(divisor, uint32_t(std::abs(valueOf(numbers[n]))));
    if (divisor == 1)
      return 1;
  }
  return areSmall ? int64_t(divisor) : -1;
}

} // namespace

extern "C" {
void __wrap_isl_seq_gcd(Word *numbers, unsigned count, Word *divisor) {
  int64_t found = isSmall(*divisor) ? divisorOf(numbers, count) : -1;
  if (found < 0)
    return __real_isl_seq_gcd(numbers, count, divisor);
  *divisor = small(int32_t(found));
}

// Divides the numbers by their divisor.
void __wrap_isl_seq_normalize(isl_ctx *ctx, Word *numbers, unsigned count) {
  int64_t divisor = divisorOf(numbers, count);
  if (divisor < 0)
    return __real_isl_seq_normalize(ctx, numbers, count);
  for (unsigned n = 0; divisor > 1 && n < count; n++)
    numbers[n] = small(valueOf(numbers[n]) / int32_t(divisor));
}

int __wrap_mp_int_gcd(void *a, void *b, void *divisor) {
  long x = 0, y = 0;
  if (mp_int_to_int(a, &x) != kDone || mp_int_to_int(b, &y) != kDone || (x == 0 && y == 0) ||
      x == LONG_MIN || y == LONG_MIN)
    return __real_mp_int_gcd(a, b, divisor);
  return mp_int_set_value(divisor, std::gcd(std::labs(x), std::labs(y)));
}
}
