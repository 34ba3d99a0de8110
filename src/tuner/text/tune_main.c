static int nw_check(void) {
  char **words = nw_argument_words;
  if (nw_argument_count != 9)
    return 2;
  clock_gettime(CLOCK_MONOTONIC, &nw_begin);
  read_work(words[4], words[5]);
  nw_log = fopen(words[5], "a");
  if (!nw_log)
    return 2;
  int repeats = nw_repeats < 1 ? 1 : nw_repeats >= MOST_RUNS ? MOST_RUNS - 1 : nw_repeats;
  if (strcmp(words[2], "small") == 0)
    return check_small((unsigned)atoi(words[6]));
  return measure_full(repeats, (unsigned)atoi(words[6]), atof(words[7]), atoi(words[8]));
}
