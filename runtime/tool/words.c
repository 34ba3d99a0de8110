/* Words of two outputs: whether they say the same. A mistake must not pass for rounding, so that a
 * word is a floating-point number only where it is written as C's printf writes one, and nothing is
 * added to the relative tolerance but what printing takes away. */
#define _GNU_SOURCE
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bundle.h"
#include "results.h"

/* Of sums in another order, and of a device's functions; docs/bundles.md has what was measured. */
static const double tolerances[] = {
    [OUTPUTS_STRICT] = 0, [OUTPUTS_DOUBLE] = 1e-9, [OUTPUTS_FLOAT] = 1e-5, [OUTPUTS_FAST] = 1e-4};

typedef struct number {
  double value;
  int is_float; /* has a point or an exponent, or is -0, an infinity or a NaN */
  int decimals; /* digits behind the point */
  int digits;   /* all that count */
  double unit;  /* of the last digit */
} number;

/* As by %d, %f, %e or %g; 0 where the word is something else, such as a name, or a checksum in
 * hexadecimal. */
static int read_number(const char *word, number *n) {
  const char *at = word + (*word == '-' || *word == '+');
  memset(n, 0, sizeof *n);
  n->value = strtod(word, NULL);
  if (strcasecmp(at, "nan") == 0 || strcasecmp(at, "inf") == 0 || strcasecmp(at, "infinity") == 0)
    return n->is_float = 1;
  const char *first = at, *point = NULL;
  for (; isdigit((unsigned char)*at) || (*at == '.' && !point); ++at) {
    if (*at == '.')
      point = at;
    else if (n->digits || *at != '0')
      n->digits += 1;
  }
  if (at == first || (point && at == first + 1))
    return 0;
  n->decimals = point ? (int)(at - point) - 1 : 0;
  int exponent = 0;
  const char *mantissa = at;
  if ((*at == 'e' || *at == 'E') && (at[1] == '-' || at[1] == '+')) {
    exponent = atoi(at + 1);
    for (at += 2; isdigit((unsigned char)*at); ++at)
      ;
  }
  n->is_float = point || at != mantissa || (*word == '-' && n->value == 0);
  n->unit = pow(10, exponent - n->decimals);
  return !*at;
}

/* Numbers that agree may be printed a unit apart, one rounded down and one up. Where words have
 * another number of decimals, as by %g, which leaves out zeros at the end, the longer one must have
 * all the digits of %g. */
static double unit_of(const number *a, const number *b) {
  const number *longer = a->unit < b->unit ? a : b;
  if (!longer->decimals || (a->decimals != b->decimals && longer->digits < 6))
    return 0;
  return longer->unit * 1.001; /* the difference of the numbers is rounded itself */
}

int is_same_word(const char *a, const char *b, outputs kind) {
  number x, y;
  if (strcmp(a, b) == 0)
    return 1;
  if (!read_number(a, &x) || !read_number(b, &y) || (!x.is_float && !y.is_float))
    return 0;
  if (isnan(x.value) && isnan(y.value))
    return 1; /* its sign says nothing */
  if (kind == OUTPUTS_STRICT)
    return 0;
  if (!isfinite(x.value) || !isfinite(y.value))
    return x.value == y.value;
  return fabs(x.value - y.value) <=
         tolerances[kind] * fmax(fabs(x.value), fabs(y.value)) + unit_of(&x, &y);
}
