// nestwarp_samples FILE...: compiles each file and runs original and kernels side by side in the
// interpreter. Prints a line for each region; the status is 1 when anything was found.
#include "driver/pipeline.h"
#include "verify/interpreter/sampled.h"
#include <ctime>
#include <fmt/format.h>

using namespace nw;

static double seconds() { return double(std::clock()) / CLOCKS_PER_SEC; } // of the processor

static int check(const std::string &file, const SampleOptions &options) {
  int found = 0;
  CompileOptions compileOptions;
  compileOptions.file = file;
  compileOptions.always = true;
  Compilation done = compile(compileOptions);
  for (const CompiledRegion &r : done.regions) {
    double begin = seconds();
    SampleReport report = runSamples(r.program, r.kernels, commonDevice(), options);
    fmt::print("{:<40} {:>2} inputs {:>3} runs {:>8} steps {:>7.1f} ms {}\n",
               file + ":" + std::to_string(r.program.region.at.line), report.inputs, report.runs,
               report.steps, 1000 * (seconds() - begin), report.inputs ? "" : report.skippedWhy);
    for (const Finding &f : report.findings)
      fmt::print("    {}: {}\n", f.check, f.what);
    found += !report.findings.empty();
  }
  return found;
}

int main(int count, char **arguments) {
  SampleOptions options;
  int found = 0;
  for (int k = 1; k < count; k++) {
    std::string word = arguments[k];
    if (word == "--larger") {
      options.larger = true;
      options.budget = 5000000;
      options.seed = 77;
      continue;
    }
    try {
      found += check(word, options);
    } catch (const UserError &e) {
      fmt::print("{}: {}\n", word, e.message);
      found++;
    } catch (const InternalError &e) {
      fmt::print("{}: {}\n", word, e.message);
      found++;
    }
  }
  fmt::print("{} with findings\n", found);
  return found ? 1 : 0;
}
