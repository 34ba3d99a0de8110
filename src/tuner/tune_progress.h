// What nestwarp tune says while it searches: a bar with the best so far on a terminal, plain lines
// elsewhere.
#pragma once
#include "tuner/tune_function.h"

namespace nw {

class TuneProgress {
public:
  explicit TuneProgress(bool isQuiet);
  ~TuneProgress();
  TuneProgress(const TuneProgress &) = delete;

  // A line that stays.
  void say(const std::string &text);
  // The same where there is no bar.
  void tell(const std::string &text);
  // What is being done, and how much of it: shown on a terminal only.
  void show(const std::string &what, size_t done, size_t all, const std::string &best);

private:
  void clear();
  bool isQuiet, isTerminal, isShown = false;
  std::string last;
};

// "best 1.23 ms of 1.40 ms": all regions together, each with the best that is known of it.
std::string bestSoFar(const std::vector<TunedSearch> &regions, const TuneLog &underWay);

} // namespace nw
