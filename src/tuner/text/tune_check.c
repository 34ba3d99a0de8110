static int is_wrong_small(int region, int number) {
  long long first = 0;
  for (int again = 0; again < 2; again++) {
    int differing = -1;
    for (int k = 0; k < object_count && differing < 0; k++)
      if (count_differing(&objects[k], &first))
        differing = k;
    if (differing < 0)
      return 0;
    if (again || IS_EXACT || has_roundings) {
      note_wrong(region, number, &objects[differing], ORIGINAL, first);
      return 1;
    }
    look_again(); /* how far the original strays; its data are used up by that, so it is done once */
  }
  return 0;
}

/* A region that did not run on the device would be compared with itself. */
static void note_unreached(int region, int number) {
  note("host\t%d\t%d\tat the sizes of the check (%s) the region did not run on the device (%s), so nothing could be compared; --check-size gives other sizes\n", region, number, nw_small_sizes, why_on_host());
}

static int forms_of(int region, int number) {
  for (int i = 0; nw_forms[i].region >= 0; i++)
    if (nw_forms[i].region == region && nw_forms[i].number == number)
      return nw_forms[i].count;
  return 0;
}

/* 0: the device has been given up. */
static int check_candidate(const candidate *c, long long expected, unsigned seconds) {
  for (int form = 0; form <= forms_of(c->region, c->number); form++) {
    alarm(seconds);
    choose_untuned();
    if (!choose_form(c->region, c->number, form)) {
      note("host\t%d\t%d\tit was not built\n", c->region, c->number);
      return 1;
    }
    if (run_once(INPUTS, NULL) < expected) {
      note("host\t%d\t%d\t%s\n", c->region, c->number, why_on_host());
      choose_untuned();
      return run_once(INPUTS, NULL) >= expected;
    }
    if (is_wrong_small(c->region, c->number))
      return 1;
  }
  note("right\t%d\t%d\n", c->region, c->number);
  return 1;
}

/* The proposed plan, which is what is measured against. A form that does not run here is no fault: it may not be needed. */
static int is_proposed_wrong(long long expected, unsigned seconds) {
  if (is_wrong_small(0, 0))
    return 1;
  for (int r = 0; r < REGIONS; r++)
    for (int form = 1; form <= forms_of(r, 0); form++) {
      alarm(seconds);
      choose_untuned();
      if (choose_form(r, 0, form) && run_once(INPUTS, NULL) >= expected && is_wrong_small(r, 0))
        return 1;
    }
  return 0;
}

static int check_small(unsigned seconds) {
  int is_reached[REGIONS];
  alarm(5 * seconds); /* for the original */
  make_up();
  for (int v = 1; v < VERSIONS; v++)
    copy_to(v);
  call(ORIGINAL, "nw_call", ORIGINAL);
  if (!IS_EXACT)
    call(WIDER, "nw_call", WIDER);
  nw_listen_for_times(take_time);
  choose_untuned();
  alarm(seconds);
  long long expected = run_once(INPUTS, NULL);
  memcpy(is_reached, nw_reached, sizeof is_reached);
  say_device();
  if (!expected) {
    note_unreached(0, 0);
    return 3;
  }
  if (candidate_count == 0) /* the first driver's */
    return is_proposed_wrong(expected, seconds);
  for (int i = 0; i < candidate_count; i++) {
    candidate *c = &candidates[i];
    if (c->is_known)
      continue;
    note("try\t%d\t%d\n", c->region, c->number);
    if (!is_reached[c->region])
      note_unreached(c->region, c->number);
    else if (!check_candidate(c, expected, seconds))
      return 4;
  }
  return 0;
}
