/* Data of ORIGINAL to begin with, for all versions. */
static void make_all(void) {
  make_up();
  for (int k = 0; k < object_count; k++)
    if (is_special && is_float(&objects[k]) && !IS_RESULT(k))
      sprinkle(&objects[k]);
  for (int v = 1; v < VERSIONS; v++)
    if (IS_USED(v))
      copy_to(v);
}

/* All calls on the objects that main has described; the exit status. */
static int nw_check(void) {
  if (nw_repeats) {
    make_up();
    copy_to(GENERATED);
    for (int k = 0; k < nw_repeats; k++)
      call(GENERATED, "nw_call", GENERATED);
    report_devices();
    fclose(nw_report);
    return 0;
  }
  if (is_special)
    alarm(20); /* an iteration towards a limit may never end on such data */
  for (make_all(); !call_original(ORIGINAL); make_all())
    if (!nw_next_way()) {
      fprintf(nw_report, "outside\t%s\n", nw_outside);
      fclose(nw_report);
      return OUTSIDE;
    }
  if (is_special && !IS_EXACT) {
    call_rounded(UPWARD, FE_UPWARD);
    call_rounded(DOWNWARD, FE_DOWNWARD);
  }
  alarm(0);
  stage("original");
  call(GENERATED, "nw_call", GENERATED);
  stage("generated");
  report_devices();
  if (!IS_EXACT)
    call(WIDER, "nw_call", WIDER);
  if (!IS_EXACT && !is_special)
    look_again();
  int failures = 0;
  for (int k = 0; k < object_count; k++)
    failures += compare(k);
  fclose(nw_report);
  return failures ? 1 : 0;
}
