/* The main function of nestwarp-run, the tool of the machine that has the device: `devices` lists
 * the devices that compiled programs can use, `probe` measures one of them, and a folder is a
 * bundle to run. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device.h"
#include "../probe/probe.h"
#include "bundle.h"
#include "nestwarp_rt.h"

static int usage(FILE *stream, int status) {
  fprintf(
      stream,
      "usage: nestwarp-run devices [--format=json [--device=NAME]]\n"
      "         lists the devices; * marks the one used by default; NAME as in NESTWARP_DEVICE: "
      "that one alone\n"
      "       nestwarp-run probe [--quick] [--device=NAME] [--output FILE]\n"
      "         measures a device and writes what it finds as JSON; NAME as in NESTWARP_DEVICE\n"
      "       nestwarp-run probe --kernels=cuda|opencl\n"
      "         prints the kernels that it measures with\n"
      "       nestwarp-run DIR [--device=NAME] [--output=FILE.json] [--only=TEXT] "
      "[--sanitize=TOOL] [--limit=SECONDS] [--jobs=N]\n"
      "         builds, runs, checks and times the jobs of a bundle; stopped and called again, it "
      "goes on. Results\n"
      "         go to DIR/results.json or DIR/FILE.json; TEXT chooses jobs by name; TOOL is one of "
      "compute-sanitizer's:\n"
      "         memcheck, racecheck, initcheck, synccheck; one run of a job takes 300 seconds at "
      "most;\n"
      "         N jobs are built and checked side by side, and then timed one after the other\n"
      "       nestwarp-run tune DIR [--device=NAME] [--output=FILE.json] [--only=TEXT] "
      "[--budget=SECONDS] [--part=K/N] [--finalists=N] [--limit=SECONDS]\n"
      "         checks and times the candidates of a bundle that nestwarp tune has written; "
      "stopped and called again, it goes on.\n"
      "         --budget: begin no other candidate of a job after so many seconds; --part: every "
      "N-th candidate, from the K-th on\n"
      "         (ranks of MPI and tasks of Slurm find out for themselves), results go to "
      "DIR/results-K-of-N.json then;\n"
      "         --limit: seconds for one candidate, 60 if not said\n");
  return status;
}

/* The device that programs would run on; without a name, the one of NESTWARP_DEVICE, else the
 * default. What is wrong with the name has been said. */
static int list_chosen(const char *name) {
  if (*name)
    setenv("NESTWARP_DEVICE", name, 1);
  const nw_rt_device *device = nw_rt_device_in_use();
  return device && nw_rt_list_devices_as_json(device) == 1 ? 0 : 1;
}

static int devices(int count, char **arguments) {
  int as_json = count >= 1 && strcmp(arguments[0], "--format=json") == 0;
  if (as_json && count == 2 && strncmp(arguments[1], "--device=", 9) == 0)
    return list_chosen(arguments[1] + 9);
  if (count > as_json)
    return usage(stderr, 2);
  if (as_json)
    nw_rt_list_devices_as_json(NULL);
  else if (nw_list_devices() == 0)
    fprintf(stderr, "nestwarp: no GPU or OpenCL device found\n");
  return 0;
}

static int print_kernels(const char *language) {
  int is_cuda = strcmp(language, "cuda") == 0;
  if (!is_cuda && strcmp(language, "opencl") != 0)
    return usage(stderr, 2);
  char *source = nw_probe_source(is_cuda, 1);
  int done = source && fputs(source, stdout) >= 0;
  free(source);
  return done ? 0 : 1;
}

static int probe(int count, char **arguments) {
  nw_probe_options options = {NULL, 0};
  if (count == 1 && strncmp(arguments[0], "--kernels=", 10) == 0)
    return print_kernels(arguments[0] + 10);
  for (int i = 0; i < count; ++i) {
    if (strcmp(arguments[i], "--quick") == 0)
      options.quick = 1;
    else if (strncmp(arguments[i], "--device=", 9) == 0)
      setenv("NESTWARP_DEVICE", arguments[i] + 9, 1);
    else if (strncmp(arguments[i], "--output=", 9) == 0)
      options.output = arguments[i] + 9;
    else if (strcmp(arguments[i], "--output") == 0 && i + 1 < count)
      options.output = arguments[++i];
    else
      return usage(stderr, 2);
  }
  return nw_probe_run(&options);
}

static int is_tool(const char *word) {
  return strcmp(word, "memcheck") == 0 || strcmp(word, "racecheck") == 0 ||
         strcmp(word, "initcheck") == 0 || strcmp(word, "synccheck") == 0;
}

/* A plain name in the bundle's folder that is none of the bundle's own files. */
static int is_file_of_results(const char *name) {
  size_t length = strlen(name);
  return length > 5 && length < 200 && name[0] != '.' && !strchr(name, '/') &&
         strcmp(name + length - 5, ".json") == 0;
}

/* A name that fits into a line. */
static int is_device(const char *name) {
  size_t length = strlen(name);
  for (size_t i = 0; i < length; ++i)
    if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
      return 0;
  return length < 150;
}

static int run(const char *folder, int tunes, int count, char **arguments) {
  run_options options = {.output = NULL,
                         .seconds = tunes ? 60 : 300,
                         .tunes = tunes,
                         .parts = 1,
                         .at_once = 1,
                         .finalists = 3};
  char own[64] = "results.json";
  if (tunes)
    part_from_environment(&options.part, &options.parts);
  for (int i = 0; i < count; ++i) {
    const char *at = strchr(arguments[i], '=');
    size_t length = at ? (size_t)(at - arguments[i]) : 0;
    if (length == 8 && strncmp(arguments[i], "--device", 8) == 0 && is_device(at + 1))
      options.device = at + 1;
    else if (length == 8 && strncmp(arguments[i], "--output", 8) == 0 && is_file_of_results(at + 1))
      options.output = at + 1;
    else if (length == 6 && strncmp(arguments[i], "--only", 6) == 0)
      options.only = at + 1;
    else if (length == 10 && strncmp(arguments[i], "--sanitize", 10) == 0 && is_tool(at + 1))
      options.sanitizer = at + 1;
    else if (length == 7 && strncmp(arguments[i], "--limit", 7) == 0 && atoi(at + 1) > 0)
      options.seconds = atoi(at + 1);
    else if (length == 6 && strncmp(arguments[i], "--jobs", 6) == 0 && atoi(at + 1) > 0 &&
             atoi(at + 1) <= MOST_AHEAD)
      options.at_once = atoi(at + 1);
    else if (tunes && length == 8 && strncmp(arguments[i], "--budget", 8) == 0 && atoi(at + 1) > 0)
      options.budget = atoi(at + 1);
    else if (tunes && length == 6 && strncmp(arguments[i], "--part", 6) == 0 &&
             read_part(at + 1, &options.part, &options.parts))
      continue;
    else if (tunes && length == 11 && strncmp(arguments[i], "--finalists", 11) == 0 &&
             atoi(at + 1) >= 0)
      options.finalists = atoi(at + 1);
    else if (tunes && length == 9 && strncmp(arguments[i], "--library", 9) == 0 &&
             at[1] == '/') /* nestwarp tune has one */
      options.library = at + 1;
    else {
      fprintf(stderr, "nestwarp-run: %s is not valid\n", arguments[i]);
      return usage(stderr, 2);
    }
  }
  if (options.parts > 1) {
    snprintf(own, sizeof own, "results-%d-of-%d.json", options.part + 1, options.parts);
    printf("nestwarp-run: part %d of %d\n", options.part + 1, options.parts);
  }
  if (!options.output)
    options.output = own;
  watch_for_stop();
  return run_bundle(folder, &options);
}

int main(int count, char **arguments) {
  if (count >= 2 && strcmp(arguments[1], "devices") == 0)
    return devices(count - 2, arguments + 2);
  if (count >= 2 && strcmp(arguments[1], "probe") == 0)
    return probe(count - 2, arguments + 2);
  if (count == 2 && (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0))
    return usage(stdout, 0);
  if (count >= 3 && strcmp(arguments[1], "tune") == 0 && arguments[2][0] != '-')
    return run(arguments[2], 1, count - 3, arguments + 3);
  if (count >= 2 && arguments[1][0] != '-' && strcmp(arguments[1], "tune") != 0)
    return run(arguments[1], 0, count - 2, arguments + 2);
  return usage(stderr, 2);
}
