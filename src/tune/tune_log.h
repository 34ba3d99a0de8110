// What a driver that tunes has found (src/tuner/tune_driver.cpp has the lines of its logs), and
// which candidate is the one to take. Logs come from another process, and perhaps from another
// machine: lines that are not understood are passed over, numbers are checked.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

namespace nw {

// How a candidate fared.
enum class Fate { NotTried, Wrong, Crashed, OnHost, Slow, Timed };
inline bool isFault(Fate fate) { return fate == Fate::Wrong || fate == Fate::Crashed; }

struct Measured {
  Fate fate = Fate::NotTried;
  double milliseconds = 0;               // median; of a slow one, what it took once
  double spread = 0;                     // distance of the quartiles, as a part of the median
  double finalTime = 0, finalSpread = 0; // among the finalists; 0: it was none
  std::string words;                     // of one that is wrong, crashed or stayed on the host
};

// Of one driver on one device: what is known of each region's candidates, by number; 0 is the
// proposed plan.
struct TuneLog {
  std::string label, device, version; // cuda:0, its name, its compiler
  std::map<std::pair<int, int>, Measured> candidates;
};

// `check` is the log at small sizes, `measure` that at the sizes to tune for; either may be cut
// off.
TuneLog readTuneLog(const std::string &check, const std::string &measure);

// The winner of a region: faster than the proposed plan in the finals by more than both spread;
// without finals, by what the search has measured. Number 0 where none is.
struct Winner {
  int number = 0;
  double milliseconds = 0, spread = 0, untuned = 0, untunedSpread = 0;
  int timed = 0;         // plans besides the proposed one that have a time
  bool inFinals = false; // the times are those of the finals
  double searched = 0;   // the proposed plan's time during the search
};
Winner winnerOf(const TuneLog &log, int region);
// Of several parts that have measured the proposed plan each for itself: that with the best ratio
// to it. The part's index goes to `part`. What one part calls wrong or crashed wins in none.
Winner winnerOf(const std::vector<TuneLog> &parts, int region, size_t &part);

// What the parts know of each candidate: faults before times, and times before none.
TuneLog together(const std::vector<TuneLog> &parts);

struct Tally {
  int tried = 0, wrong = 0, crashed = 0, onHost = 0, slow = 0;
};
Tally tallyOf(const TuneLog &log);

// Why plans did not run on the device, each reason once, by region.
std::set<std::pair<int, std::string>> reasonsOnHost(const TuneLog &log);

} // namespace nw
