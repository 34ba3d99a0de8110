// Logs of tuning.
#include "tune/tune_log.h"
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace nw {

namespace {

std::vector<std::string> wordsOf(const std::string &line) {
  std::vector<std::string> words;
  std::istringstream parts(line);
  for (std::string w; std::getline(parts, w, '\t');)
    words.push_back(w);
  return words;
}

// A number from 0 on, finite; -1 where it is none.
double numberOf(const std::string &text) {
  char *end = nullptr;
  double number = std::strtod(text.c_str(), &end);
  return !text.empty() && !*end && std::isfinite(number) && number >= 0 ? number : -1;
}

// Median and spread of a line, from the word at `at` on; false where they are none.
bool readTimes(const std::vector<std::string> &words, double &median, double &spread) {
  if (words.size() != 6 || numberOf(words[3]) <= 0 || numberOf(words[4]) < 0)
    return false;
  median = numberOf(words[3]);
  spread = numberOf(words[4]);
  return true;
}

// Of two fates of one candidate, the one with the higher rank is what is known of it.
int rankOf(Fate fate) {
  switch (fate) {
  case Fate::NotTried:
    return 0;
  case Fate::OnHost:
    return 1;
  case Fate::Slow:
    return 2;
  case Fate::Timed:
    return 3;
  case Fate::Crashed:
    return 4;
  case Fate::Wrong:
    return 5;
  }
  return 0;
}

// The log with the faults that others have found. A proposed plan that crashed elsewhere is still
// what this part is measured by; one that is wrong is not, since candidates were compared with what
// it computes.
TuneLog withFaults(TuneLog log, const TuneLog &all) {
  for (auto &[key, m] : log.candidates)
    if (Fate fate = all.candidates.at(key).fate;
        fate == Fate::Wrong || (fate == Fate::Crashed && key.second != 0))
      m.fate = fate;
  return log;
}

void read(TuneLog &log, const std::string &text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (lines.eof()) // cut off: every line has an end
      break;
    std::vector<std::string> words = wordsOf(line);
    if (words.size() >= 3 && words[0] == "device") {
      log.label = words[1];
      log.device = words[2];
      log.version = words.size() > 3 ? words[3] : "";
      continue;
    }
    double region = words.size() > 2 ? numberOf(words[1]) : -1,
           number = words.size() > 2 ? numberOf(words[2]) : -1;
    if (region < 0 || number < 0 || region > 1e6 || number > 1e6)
      continue;
    Measured &m = log.candidates[{int(region), int(number)}];
    auto end = [&](Fate fate) {
      if (m.fate == Fate::Wrong ||
          (m.fate == Fate::Crashed && fate != Fate::Wrong)) // once wrong, always wrong
        return;
      m.fate = fate;
      m.words.clear();
      for (size_t k = 3; k < words.size(); k++)
        m.words += (k > 3 ? " " : "") + words[k];
    };
    if (words[0] == "wrong") {
      end(Fate::Wrong);
      if (words.size() == 7)
        m.words = words[3] + "[" + words[4] + "]: expected " + words[5] + ", found " + words[6];
    } else if (words[0] == "crashed")
      end(Fate::Crashed);
    else if (words[0] == "host")
      end(Fate::OnHost);
    else if (words[0] == "slow" && words.size() == 4 && numberOf(words[3]) > 0) {
      end(Fate::Slow);
      m.milliseconds = numberOf(words[3]);
    } else if (words[0] == "time" && readTimes(words, m.milliseconds, m.spread))
      end(Fate::Timed);
    else if (words[0] == "final")
      readTimes(words, m.finalTime, m.finalSpread);
  }
}

} // namespace

TuneLog readTuneLog(const std::string &check, const std::string &measure) {
  TuneLog log;
  read(log, check);
  read(log, measure);
  return log;
}

Winner winnerOf(const TuneLog &log, int region) {
  auto proposed = log.candidates.find({region, 0});
  if (proposed == log.candidates.end() || proposed->second.fate != Fate::Timed)
    return {};
  bool hasFinals = proposed->second.finalTime > 0;
  auto timeOf = [&](const Measured &m) { return hasFinals ? m.finalTime : m.milliseconds; };
  auto spreadOf = [&](const Measured &m) { return hasFinals ? m.finalSpread : m.spread; };
  const Measured &own = proposed->second;
  Winner winner{0, timeOf(own), spreadOf(own), timeOf(own), spreadOf(own)};
  winner.inFinals = hasFinals;
  winner.searched = own.milliseconds;
  for (auto &[key, m] : log.candidates) {
    if (key.first != region || key.second == 0 || m.fate != Fate::Timed || timeOf(m) <= 0)
      continue;
    winner.timed++;
    double apart = std::max(spreadOf(own) * timeOf(own), spreadOf(m) * timeOf(m));
    if (timeOf(own) - timeOf(m) > apart && timeOf(m) < winner.milliseconds) {
      winner.number = key.second;
      winner.milliseconds = timeOf(m);
      winner.spread = spreadOf(m);
    }
  }
  return winner;
}

Winner winnerOf(const std::vector<TuneLog> &parts, int region, size_t &part) {
  Winner best;
  int timed = 0;
  bool isFirst = true;
  TuneLog all = together(parts);
  for (size_t k = 0; k < parts.size(); k++) {
    Winner w = winnerOf(withFaults(parts[k], all), region);
    if (w.untuned <= 0)
      continue;
    timed += w.timed;
    if (isFirst || w.milliseconds / w.untuned < best.milliseconds / best.untuned) {
      best = w;
      part = k;
      isFirst = false;
    }
  }
  best.timed = timed;
  return best;
}

TuneLog together(const std::vector<TuneLog> &parts) {
  TuneLog all;
  for (const TuneLog &log : parts)
    for (auto &[key, m] : log.candidates)
      if (auto [known, isNew] = all.candidates.emplace(key, m);
          !isNew && rankOf(m.fate) > rankOf(known->second.fate))
        known->second = m;
  return all;
}

Tally tallyOf(const TuneLog &log) {
  Tally all;
  for (auto &[key, m] : log.candidates)
    if (key.second != 0) {
      all.tried += m.fate != Fate::NotTried;
      all.wrong += m.fate == Fate::Wrong;
      all.crashed += m.fate == Fate::Crashed;
      all.onHost += m.fate == Fate::OnHost;
      all.slow += m.fate == Fate::Slow;
    }
  return all;
}

std::set<std::pair<int, std::string>> reasonsOnHost(const TuneLog &log) {
  std::set<std::pair<int, std::string>> all;
  for (auto &[key, m] : log.candidates)
    if (m.fate == Fate::OnHost && !m.words.empty())
      all.insert({key.first, m.words});
  return all;
}

} // namespace nw
