// The search on this machine: batches of candidates as bundles, each measured by nestwarp-run in a
// process of its own (PoCL and libclang do not go together), until the strategy has no more, the
// time is up, or the user stops it.
#pragma once
#include "tuner/tune_function.h"
#include "tuner/tune_progress.h"

namespace nw {

struct SearchSettings {
  SearchOptions options;
  int repeats = 7;
  double seconds = 60; // for each function
  std::string on;      // NESTWARP_DEVICE
  std::function<bool()> isStopped;
};

// How the search for a function has ended.
struct SearchEnd {
  TuneLog log;                 // of the last bundle: finals, or the batch that was cut off
  std::vector<Winner> winners; // for each region
  Tally tally;
  size_t refused = 0;
  double seconds = 0;
  bool isStopped = false;
  std::vector<std::string> faults; // candidates that were wrong or crashed: bugs of ours
  std::vector<std::string> onHost; // why candidates did not run on the device
  std::string failed;              // why nothing was measured
};

// Predicts and chooses what to measure, for all regions of the function; the numbers of the
// candidates. Empty lists: the search has ended. `seconds` are what is left of the time, of which a
// part goes into it; 0: as long as it takes.
std::vector<std::vector<int>> nextCandidates(TunedFunction &f, const SearchSettings &settings,
                                             double seconds, TuneProgress &progress);

SearchEnd searchHere(TunedFunction &f, const SearchSettings &settings, TuneProgress &progress);

} // namespace nw
