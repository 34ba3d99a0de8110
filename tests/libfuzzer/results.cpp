// Any bytes as the results of a bundle, read as `nestwarp check --import` and `nestwarp tune
// --import` read them: reports, times and logs with them. A UserError, or for numbers that are none
// an exception of the library's, is the only way to say no.
#include "check/check_harness.h"
#include "check/times_table.h"
#include "support/diagnostics.h"
#include "tune/bundle.h"
#include "tune/tune_log.h"
#include <cmath>
#include <cstdlib>

using namespace nw;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Manifest m;
  m.id = "0";
  for (const char *name : {"a", "b"}) {
    m.jobs.emplace_back();
    m.jobs.back().name = name;
  }
  try {
    Results r = parseResults(std::string(data, data + size), "results.json", m);
    for (const JobResult &job : r.jobs) {
      for (auto &[kind, report] : job.reports)
        readReport(report.text);
      printTimes(job.times, job.kernelTimes);
      TuneLog log = readTuneLog(job.check, job.measure);
      tallyOf(log);
      Winner w = winnerOf(log, 0);
      if (w.number &&
          !(w.milliseconds > 0 && w.milliseconds < w.untuned && std::isfinite(w.untuned)))
        std::abort(); // a winner is faster
    }
  } catch (const UserError &) {
  } catch (const std::exception &) { // importResults makes a UserError of it
  }
  return 0;
}
