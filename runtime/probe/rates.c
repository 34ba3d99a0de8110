/* Arithmetic: how many operations the whole device does in a second, from chains that do not wait
 * for each other. */
#include <stdio.h>

#include "probe.h"

typedef struct rate {
  const char *kernel, *field;
  double each; /* operations of a thread in a round */
  int rounds;
} rate;

static const rate rates[] = {
    {"probe_fp32", "fp32PerSecond", 32, 2048},
    {"probe_fp64", "fp64PerSecond", 32, 512},
    {"probe_special", "specialPerSecond", 32, 512},
    {"probe_integer", "integerPerSecond", 32, 1024},
    {"probe_multiply", "integerMultiplyPerSecond", 32, 1024},
};

static int measure(nw_probe *probe, const rate *r, double *per_second) {
  enum { THREADS = 256 };
  double seconds, double_a = 0.5, double_b = 0.25;
  float float_a = 0.5f, float_b = 0.25f;
  unsigned word_a = 3, word_b = 7;
  int rounds = probe->quick ? r->rounds / 16 : r->rounds;
  long long blocks = nw_probe_blocks(probe, THREADS);
  int is_double = r->kernel == rates[1].kernel,
      is_float = r->kernel == rates[0].kernel || r->kernel == rates[2].kernel;
  nw_rt_value values[4] = {NW_PROBE_VALUE(probe->out_buffer), NW_PROBE_VALUE(rounds),
                           NW_PROBE_VALUE(word_a), NW_PROBE_VALUE(word_b)};
  nw_rt_value floats[2] = {NW_PROBE_VALUE(float_a), NW_PROBE_VALUE(float_b)};
  nw_rt_value doubles[2] = {NW_PROBE_VALUE(double_a), NW_PROBE_VALUE(double_b)};
  for (int i = 0; i < 2; ++i)
    values[2 + i] = is_double ? doubles[i] : is_float ? floats[i] : values[2 + i];
  nw_probe_job job = {r->kernel, nw_probe_shape(blocks, THREADS), values, 4, 0, 1};
  if (!nw_probe_time(probe, &job, &seconds))
    return 0;
  *per_second = r->each * rounds * (double)blocks * THREADS / seconds;
  return 1;
}

int nw_probe_rates(nw_probe *probe) {
  for (size_t i = 0; i < sizeof rates / sizeof *rates; ++i) {
    double per_second;
    if (rates[i].kernel == rates[1].kernel && !probe->has_fp64)
      continue;
    if (!measure(probe, &rates[i], &per_second))
      return 0;
    nw_probe_measure(probe, rates[i].field, per_second);
  }
  return 1;
}
