/* The main function of nestwarp-run, a small tool of the runtime: `nestwarp-run devices` lists the devices that compiled
 * programs can use. */
#include <stdio.h>
#include <string.h>

#include "nestwarp_rt.h"

static int usage(FILE *stream, int status) {
  fprintf(stream, "usage: nestwarp-run devices    list the devices; * marks the one used by default\n");
  return status;
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "devices") == 0) {
    if (nw_list_devices() == 0)
      fprintf(stderr, "nestwarp: no GPU or OpenCL device found\n");
    return 0;
  }
  if (count == 2 && (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0))
    return usage(stdout, 0);
  return usage(stderr, 2);
}
