// Bundles: folders with everything that another machine needs to run checks and measurements, and
// nothing it has to trust. Written here, run there by nestwarp-run, which sends back one file of
// results. docs/bundles.md has the format.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace nw {

struct BundleJob {
  std::string name; // of its folder
  bool isProgram =
      false; // two programs whose outputs are compared; else functions that a driver calls
  bool isTuning = false; // a function whose regions have candidates
  std::vector<std::pair<int, int>>
      candidates;  // region and number of each, in order; number 0 is the proposed plan
  int repeats = 0; // calls that are timed
  std::string numbers = "float";     // how exact a program prints them: strict, double, float, fast
  std::vector<std::string> flags;    // for the C compiler: -D and -std=
  std::vector<std::string> includes; // folders of headers in the job's folder
  std::vector<std::string> data;     // kinds that a driver runs on
  std::map<std::string, std::string> about; // what the import has to know
  std::map<std::string, std::string> files; // path in the job's folder -> content
};

// Kernels as machine code (tune/cubins.h).
struct BundleCubins {
  std::string about;                        // for which architectures; or why there are none
  std::map<std::string, std::string> files; // name -> bytes
};

// Writes the folder, which must not be there or be empty; `runtime` is where the runtime's sources
// are.
void writeBundle(const std::string &folder, const std::vector<BundleJob> &jobs,
                 const BundleCubins &cubins, const std::string &runtime);

// The jobs of a bundle without their files, from its manifest; throws a UserError where it is none.
struct Manifest {
  std::string id;
  std::vector<BundleJob> jobs;
};
Manifest readManifest(const std::string &folder);
// The same from its text; `path` is for messages.
Manifest parseManifest(const std::string &text, const std::string &path);

// What came back of one job.
struct JobResult {
  std::string job, verdict;
  struct Report {
    int status = 0;
    std::string text;
  };
  std::map<std::string, Report> reports; // by kind of data
  std::string compiler, errors, sanitizer;
  std::string times, kernelTimes; // JSON, or empty
  std::string timesMistake;       // why there are none, or are not understood
  std::string difference;         // of a program's outputs
  std::string check, measure;     // logs of a driver that tunes, see tune/tune_log.h
};

struct Results {
  std::string bundle, date, machine, device, sanitizer;
  int jobsFromCubins = 0;
  std::vector<JobResult> jobs;
};

// Reads a file of results; throws a UserError where it is none, is cut off, or belongs to another
// bundle.
Results readResults(const std::string &path, const Manifest &manifest);
Results parseResults(const std::string &text, const std::string &path, const Manifest &manifest);

} // namespace nw
