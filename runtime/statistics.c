/* The statistics of a run: counters kept by nestwarp_rt.c, printed as one line of JSON on stderr
 * when the process exits, if NESTWARP_STATS is set to 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

nw_rt_statistics nw_rt_counted;

void nw_rt_count_on_host(const char *where, const char *reason) {
  nw_rt_counted.regions_on_host += 1;
  nw_rt_counted.where = where;
  nw_rt_counted.reason = reason;
}

void nw_rt_statistics_in_child(void) { memset(&nw_rt_counted, 0, sizeof nw_rt_counted); }

nw_account nw_account_so_far(void) {
  nw_account account = {nw_rt_counted.regions_offloaded, nw_rt_counted.regions_on_host,
                        nw_rt_counted.where, nw_rt_counted.reason, NULL};
  const nw_rt_device *device = nw_rt_counted.device;
  if (device)
    account.device = device->description;
  return account;
}

nw_device_words nw_device_in_words(void) {
  const nw_rt_device *device = nw_rt_counted.device;
  return device ? (nw_device_words){device->label, device->name, device->version}
                : (nw_device_words){"", "", ""};
}

void nw_rt_quote(const char *text, char *quoted, size_t size) {
  size_t used = 0;
  quoted[used++] = '"';
  for (; *text && used + 9 < size; ++text) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') {
      quoted[used++] = '\\';
      quoted[used++] = (char)c;
    } else if (c < 0x20) {
      used += (size_t)sprintf(quoted + used, "\\u%04x", c);
    } else {
      quoted[used++] = (char)c;
    }
  }
  quoted[used++] = '"';
  quoted[used] = 0;
}

/* Prints the line. Takes no lock and touches no device: the process may be exiting inside a region.
 */
static void print_statistics(void) {
  const nw_rt_device *device = nw_rt_counted.device;
  char name[320] = "none", quoted[700], why[700] = "", reason[700];
  if (device)
    snprintf(name, sizeof name, "%s %s", device->label, device->name);
  nw_rt_quote(name, quoted, sizeof quoted);
  if (nw_rt_counted.reason)
    snprintf(why, sizeof why, "%s: %s", nw_rt_counted.where, nw_rt_counted.reason);
  nw_rt_quote(why, reason, sizeof reason);
  fprintf(stderr,
          "nestwarp-stats: {\"device\": %s, \"kernel_launches\": %lld, \"graph_launches\": %lld, "
          "\"largest_launch\": %lld, "
          "\"regions_offloaded\": %lld, \"regions_on_host\": %lld, \"bytes_to_device\": %lld, "
          "\"bytes_from_device\": %lld, \"copies_to_device\": %lld, \"copies_from_device\": %lld, "
          "\"data_copies_in\": %lld, "
          "\"data_copies_out\": %lld, \"exchanges\": %lld, \"last_on_host\": %s}\n",
          quoted, (long long)nw_rt_counted.kernel_launches, (long long)nw_rt_counted.graph_launches,
          (long long)nw_rt_counted.largest_launch, (long long)nw_rt_counted.regions_offloaded,
          (long long)nw_rt_counted.regions_on_host, (long long)nw_rt_counted.bytes_to_device,
          (long long)nw_rt_counted.bytes_from_device, (long long)nw_rt_counted.copies_to_device,
          (long long)nw_rt_counted.copies_from_device, (long long)nw_rt_counted.data_copies_in,
          (long long)nw_rt_counted.data_copies_out, (long long)nw_rt_counted.exchanges, reason);
}

/* Asks for the line at exit, before main begins: it is printed even if no region ever runs. */
__attribute__((constructor)) static void prepare_statistics(void) {
  const char *wanted = getenv("NESTWARP_STATS");
  if (wanted && *wanted && strcmp(wanted, "0") != 0)
    atexit(print_statistics);
}
