enum { FINITE, POSITIVE_INFINITY, NEGATIVE_INFINITY, NOT_A_NUMBER };
static int kind_of(const object *o, long double x) {
  long double narrow = o->code == 'f'   ? (long double)(float)x
                       : o->code == 'd' ? (long double)(double)x
                                        : x;
  return narrow != narrow ? NOT_A_NUMBER
         : isinf(narrow)  ? narrow > 0 ? POSITIVE_INFINITY : NEGATIVE_INFINITY
                          : FINITE;
}

/* One unit in the last place of x. */
static long double unit_of(const object *o, long double x) {
  long double least = o->code == 'f' ? IS_FAST ? 0x1p-126L : 0x1p-149L
                      : IS_FAST      ? 0x1p-1022L
                                     : 0x1p-1074L;
  long double unit = fabsl(x) * (o->code == 'f' ? 0x1p-23L : 0x1p-52L);
  return unit > least ? unit : least;
}

/* Whether the original gives the same kind of value in whatever way it was run. */
static int is_settled(const object *o, long long i) {
  int kind = kind_of(o, value(o, ORIGINAL, i));
  return kind == kind_of(o, value(o, WIDER, i)) &&
         (!is_special ||
          (kind == kind_of(o, value(o, UPWARD, i)) && kind == kind_of(o, value(o, DOWNWARD, i))));
}

static long double off_by(const object *o, int version, long long i) {
  return fabsl(value(o, version, i) - value(o, WIDER, i));
}

static long double larger(long double a, long double b) { return a > b ? a : b; }

/* Whether the original was also run with other roundings. */
static int has_roundings;

/* How far the generated code may be off anywhere in the array: four times what the original is off
 * at most. */
static long double common_limit(const object *o) {
  long double own = 0, largest = 0;
  for (long long i = 0; i < o->count; i++)
    if (is_settled(o, i) && kind_of(o, value(o, ORIGINAL, i)) == FINITE) {
      own = larger(own, off_by(o, ORIGINAL, i));
      if (has_roundings)
        own = larger(own, larger(off_by(o, UPWARD, i), off_by(o, DOWNWARD, i)));
      largest = larger(largest, fabsl(value(o, WIDER, i)));
    }
  return 4 * own + unit_of(o, largest);
}

/* The same for one element among values of all sizes: held against how far the original strays in
 * other roundings. */
static long double own_limit(const object *o, long long i) {
  long double own =
      larger(off_by(o, ORIGINAL, i), larger(off_by(o, UPWARD, i), off_by(o, DOWNWARD, i)));
  /* What is left of a sum of large numbers is as inexact as they are, and the roundings of the
   * original may be lucky. This must not hide what becomes of tiny numbers. */
  long double expected = fabsl(value(o, WIDER, i)),
              ordinary = expected > 0x1p-20L ? 64 * unit_of(o, 1) : 0;
  return FACTOR * own + 4 * unit_of(o, expected) +
         1024 * (o->code == 'f' ? 0x1p-23L : 0x1p-52L) * expected + ordinary;
}

static int is_same(const object *o, long long i, long double limit) {
  if (IS_EXACT || !is_float(o)) {
    const char *a = (const char *)o->data[ORIGINAL] + (size_t)i * o->size,
               *b = (const char *)o->data[GENERATED] + (size_t)i * o->size;
    return !memcmp(a, b, o->size) ||
           (is_float(o) && value(o, ORIGINAL, i) != value(o, ORIGINAL, i) &&
            value(o, GENERATED, i) != value(o, GENERATED, i));
  }
  if (!is_settled(o, i))
    return 1;
  int kind = kind_of(o, value(o, ORIGINAL, i));
  if (kind != kind_of(o, value(o, GENERATED, i)))
    return 0;
  return kind != FINITE ||
         off_by(o, GENERATED, i) <= (is_special && !IS_FAST ? own_limit(o, i) : limit);
}

static void print_value(const object *o, int version, long long i) {
  if (is_float(o))
    fprintf(nw_report, "\t%.*Lg",
            version == WIDER ? o->code == 'f' ? 12 : 20
            : o->code == 'f' ? 9
                             : 17,
            value(o, version, i));
  else if (o->code == 'i')
    fprintf(nw_report, "\t%lld", (long long)value(o, version, i));
  else
    fprintf(nw_report, "\t%llu", (unsigned long long)value(o, version, i));
}

static long long count_differing(const object *o, long long *first) {
  long double limit = IS_EXACT || !is_float(o) ? 0 : common_limit(o);
  long long differing = 0;
  for (long long i = 0; i < o->count; i++)
    if (!is_same(o, i, limit) && !differing++)
      *first = i;
  return differing;
}

/* The same in another order may be off by more than the original, which can be lucky: terms that
 * cancel each other while they are close. How far it strays when it always rounds up, or always
 * down, tells. */
static void look_again(void) {
  long long first, differing = 0;
  for (int k = 0; k < object_count; k++)
    differing += is_float(&objects[k]) ? count_differing(&objects[k], &first) : 0;
  if (!differing)
    return;
  call_rounded(UPWARD, FE_UPWARD);
  call_rounded(DOWNWARD, FE_DOWNWARD);
  has_roundings = 1;
}

static int compare(int number) {
  const object *o = &objects[number];
  long long first = -1, differing = count_differing(o, &first);
  if (!differing)
    return 0;
  fprintf(nw_report, "different\t%d\t%lld\t%lld\t%lld", number, first, differing, o->count);
  print_value(o, ORIGINAL, first);
  print_value(o, GENERATED, first);
  if (IS_EXACT || !is_float(o))
    fprintf(nw_report, "\t-\n");
  else {
    print_value(o, WIDER, first);
    fprintf(nw_report, "\n");
  }
  return 1;
}
