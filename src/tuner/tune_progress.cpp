// Progress of tuning.
#include "tuner/tune_progress.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace nw {

TuneProgress::TuneProgress(bool isQuiet) : isQuiet(isQuiet), isTerminal(isatty(2)) {}

TuneProgress::~TuneProgress() { clear(); }

void TuneProgress::clear() {
  if (isShown)
    std::fputs("\r\x1b[K", stderr);
  isShown = false;
}

void TuneProgress::say(const std::string &text) {
  clear();
  if (!isQuiet)
    std::fprintf(stderr, "nestwarp: %s\n", text.c_str());
}

void TuneProgress::tell(const std::string &text) {
  if (!isTerminal)
    say(text);
}

void TuneProgress::show(const std::string &what, size_t done, size_t all, const std::string &best) {
  if (!isTerminal || isQuiet)
    return;
  constexpr size_t kWidth = 24;
  size_t filled = all ? std::min(kWidth, kWidth * done / all) : 0;
  std::string text = fmt::format("[{}{}] {} of {} {}{}{}", std::string(filled, '#'),
                                 std::string(kWidth - filled, '.'), done, all, what,
                                 best.empty() ? "" : "; ", best);
  if (isShown && text == last)
    return;
  std::fprintf(stderr, "\r\x1b[K%s", text.c_str());
  std::fflush(stderr);
  isShown = true;
  last = text;
}

std::string bestSoFar(const std::vector<TunedSearch> &regions, const TuneLog &underWay) {
  double best = 0, untuned = 0;
  for (size_t r = 0; r < regions.size(); r++) {
    double least = INFINITY, proposed = INFINITY;
    auto see = [&](double time, bool isProposed) {
      least = std::min(least, time);
      if (isProposed)
        proposed = std::min(proposed, time);
    };
    Candidate first = proposedCandidate(regions[r].space);
    for (auto &[candidate, time] : regions[r].known.measured)
      see(time, candidate == first);
    for (auto &[key, m] : underWay.candidates)
      if (key.first == int(r) && m.fate == Fate::Timed)
        see(m.milliseconds, key.second == 0);
    if (!std::isfinite(proposed))
      return "";
    best += least;
    untuned += proposed;
  }
  return fmt::format("best so far {:.4g} ms, the proposed plan {:.4g} ms", best, untuned);
}

} // namespace nw
