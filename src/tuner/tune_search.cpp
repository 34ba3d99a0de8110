// The search on this machine.
#include "tuner/tune_search.h"
#include "support/process.h"
#include "support/text.h"
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace nw {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

class LocalSearch {
public:
  LocalSearch(TunedFunction &f, const SearchSettings &settings, TuneProgress &progress)
      : f(f), settings(settings), progress(progress) {}

  SearchEnd run() {
    begin = Clock::now();
    // Enough for the finals is left.
    while (!isStopped() && left() > 0.15 * settings.seconds) {
      std::vector<std::vector<int>> numbers = nextCandidates(f, settings, left(), progress);
      if (count(numbers) == 0 || isStopped() ||
          !measure(numbers, 0, left() - 0.1 * settings.seconds))
        break;
    }
    if (end.failed.empty() && !isStopped())
      finals();
    for (size_t r = 0; r < f.regions.size(); r++) {
      end.winners.push_back(hasFinals ? winnerOf(end.log, int(r)) : winnerOf(merged, int(r)));
      end.refused += f.regions[r].refused;
    }
    end.tally = tallyOf(merged);
    for (auto &[region, why] : reasonsOnHost(merged))
      end.onHost.push_back(
          fmt::format("{}: not on the device: {}", f.regions[size_t(region)].region->where, why));
    if (!hasFinals)
      end.log = merged;
    end.isStopped = isStopped();
    end.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return end;
  }

private:
  static size_t count(const std::vector<std::vector<int>> &numbers) {
    size_t all = 0;
    for (const std::vector<int> &n : numbers)
      all += n.size();
    return all;
  }

  bool isStopped() const { return wasStopped || (settings.isStopped && settings.isStopped()); }

  double left() const {
    return settings.seconds - std::chrono::duration<double>(Clock::now() - begin).count();
  }

  // Three of each region that were fastest, against the proposed plan.
  void finals() {
    constexpr size_t kFinalists = 3;
    std::vector<std::vector<int>> numbers(f.regions.size());
    for (auto &[key, m] : merged.candidates)
      if (key.second != 0 && m.fate == Fate::Timed)
        numbers[size_t(key.first)].push_back(key.second);
    for (size_t r = 0; r < numbers.size(); r++) {
      auto timeOf = [&](int n) { return merged.candidates.at({int(r), n}).milliseconds; };
      std::sort(numbers[r].begin(), numbers[r].end(),
                [&](int a, int b) { return timeOf(a) < timeOf(b); });
      numbers[r].resize(std::min(numbers[r].size(), kFinalists));
      std::sort(numbers[r].begin(), numbers[r].end());
    }
    if (count(numbers) > 0)
      hasFinals = measure(numbers, int(kFinalists), 0) && !isStopped();
  }

  // One bundle, measured; false where nothing more is to be measured.
  bool measure(const std::vector<std::vector<int>> &numbers, int finalists, double seconds) {
    ScratchDirectory scratch;
    std::string folder = scratch.path + "/bundle";
    std::vector<KernelSource> kernels;
    BundleJob job = tuneJob(f, numbers, settings.repeats, 1, kernels);
    writeBundle(folder, {job}, {"none: the kernels are compiled here", {}}, runtimeSources());
    std::vector<std::string> line = {runnerProgram(),
                                     "tune",
                                     folder,
                                     fmt::format("--finalists={}", finalists),
                                     "--library=" + fs::canonical(runtimeLibrary()).string(),
                                     "--part=1/1"};
    if (finalists == 0)
      line.push_back(fmt::format("--budget={}", std::max(1, int(seconds))));
    if (!settings.on.empty())
      line.push_back("--device=" + settings.on);
    std::string logs = fmt::format("{}/build-{}/{}", folder, readManifest(folder).id, job.name),
                said;
    size_t all = count(numbers);
    auto look = [&] {
      TuneLog log = readTuneLog("", textOf(logs + "/measure.log"));
      size_t done = 0;
      for (auto &[key, m] : log.candidates)
        done += key.second != 0 && m.fate != Fate::NotTried;
      progress.show(finalists                ? "finalists"
                    : log.candidates.empty() ? "candidates: building and checking"
                                             : "candidates of this batch",
                    done, all, bestSoFar(f.regions, log));
    };
    int status = runWatched(line, said, look, [&] { return isStopped(); });
    wasStopped |= status == 130;
    TuneLog log = logOf(folder, logs);
    take(log, numbers, finalists > 0);
    if (std::string best = bestSoFar(f.regions, {}); !finalists && !best.empty())
      progress.tell(fmt::format("{}: {} of at most {} candidates tried; {}", f.title(),
                                tallyOf(merged).tried, f.regions.size() * settings.options.most,
                                best));
    if (status > 1 && status != 130)
      end.failed = fmt::format("nestwarp-run ended with status {}:\n{}", status,
                               withoutControls(said, "\n\t"));
    auto proposed = log.candidates.find({0, 0});
    if (end.failed.empty() && status != 130 &&
        (proposed == log.candidates.end() || proposed->second.fate != Fate::Timed))
      end.failed = proposed != log.candidates.end() && !proposed->second.words.empty()
                       ? fmt::format("the proposed plan {}: {}",
                                     proposed->second.fate == Fate::Wrong
                                         ? "computes other results than the original"
                                         : "did not run on a device",
                                     proposed->second.words)
                       : "nothing was measured" + errorsOf(folder);
    return end.failed.empty() && status != 130;
  }

  static std::string textOf(const std::string &path) {
    try {
      return fs::exists(path) ? readFile(path, size_t(64) << 20) : "";
    } catch (const UserError &) {
      return "";
    }
  }

  // From the results; from the logs themselves where it was stopped.
  TuneLog logOf(const std::string &folder, const std::string &logs) const {
    if (fs::exists(folder + "/results.json"))
      for (const JobResult &j : readResults(folder + "/results.json", readManifest(folder)).jobs)
        return readTuneLog(j.check, j.measure);
    return readTuneLog(textOf(logs + "/check.log"), textOf(logs + "/measure.log"));
  }

  static std::string errorsOf(const std::string &folder) {
    if (fs::exists(folder + "/results.json"))
      for (const JobResult &j : readResults(folder + "/results.json", readManifest(folder)).jobs)
        return fmt::format(" ({}){}{}", j.verdict,
                           j.compiler.empty() && j.errors.empty() ? "" : "; it said:\n",
                           j.compiler + j.errors);
    return "";
  }

  // What a bundle has shown, for the strategy and for the end.
  void take(const TuneLog &log, const std::vector<std::vector<int>> &numbers, bool isFinal) {
    if (isFinal)
      end.log = log;
    merged.label = log.label, merged.device = log.device, merged.version = log.version;
    for (size_t r = 0; r < f.regions.size(); r++) {
      TunedSearch &s = f.regions[r];
      std::vector<int> all = numbers[r];
      all.push_back(0);
      for (int n : all) {
        auto found = log.candidates.find({int(r), n});
        if (found == log.candidates.end() || found->second.fate == Fate::NotTried)
          continue;
        const Measured &m = found->second;
        const MadeCandidate &made = s.made.at(n);
        if (isFault(m.fate))
          end.faults.push_back(fmt::format("{} {}: {}: {}", s.region->where,
                                           m.fate == Fate::Wrong ? "WRONG" : "CRASHED", made.words,
                                           m.words));
        if (isFinal && m.fate == Fate::Timed)
          continue;
        s.known.measured[made.choice] =
            m.fate == Fate::Timed || m.fate == Fate::Slow ? m.milliseconds : INFINITY;
        Measured &known = merged.candidates[{int(r), n}];
        if (n != 0 || known.fate != Fate::Timed || m.milliseconds < known.milliseconds)
          known = m;
      }
    }
  }

  TunedFunction &f;
  const SearchSettings &settings;
  TuneProgress &progress;
  Clock::time_point begin;
  TuneLog merged; // of all batches
  SearchEnd end;
  bool hasFinals = false, wasStopped = false;
};

} // namespace

std::vector<std::vector<int>> nextCandidates(TunedFunction &f, const SearchSettings &settings,
                                             double seconds, TuneProgress &progress) {
  // Of what is left, a quarter for predictions and a third for making candidates, at most.
  auto within = [&](double part) -> Deadline {
    if (seconds <= 0)
      return {};
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                              part * seconds / double(f.regions.size())));
  };
  std::vector<std::vector<int>> numbers(f.regions.size());
  for (size_t r = 0; r < f.regions.size(); r++) {
    TunedSearch &s = f.regions[r];
    std::vector<Candidate> open;
    if (s.known.pool.empty())
      open = s.known.pool = poolOf(s.space, settings.options.strategy, poolSize(settings.options),
                                   settings.options.seed);
    else if (settings.options.strategy == Strategy::Local)
      open = neighbours(s.space, bestOf(s.space, s.known));
    std::erase_if(
        open, [&](const Candidate &c) { return s.known.predicted.count(c) || !s.known.isOpen(c); });
    if (!open.empty() &&
        settings.options.strategy != Strategy::Random) { // which does not ask the model
      progress.show(fmt::format("plans predicted for {}", s.region->where), 0, open.size(), "");
      s.refused +=
          predict(*s.region, s.space, open, f.target, s.known, within(0.25), settings.isStopped);
    }
    // Those that are refused make room for others; but not for ever.
    for (int tries = 0; tries < 8 && numbers[r].empty(); tries++) {
      std::vector<Candidate> batch = nextBatch(s.space, s.known, settings.options);
      if (batch.empty() || (settings.isStopped && settings.isStopped()))
        break;
      progress.show(fmt::format("candidates made for {}", s.region->where), 0, batch.size(),
                    bestSoFar(f.regions, {}));
      for (MadeCandidate &m : make(*s.region, s.space, batch, f.target, f.compilation->emitOptions,
                                   within(0.33), settings.isStopped)) {
        bool isRefused = !m.refused.empty() ||
                         std::any_of(s.made.begin(), s.made.end(),
                                     [&](auto &other) { return other.second.text == m.text; });
        s.refused += isRefused;
        if (isRefused)
          s.known.refused.insert(m.choice);
        else
          numbers[r].push_back(s.add(std::move(m)));
      }
    }
  }
  return numbers;
}

SearchEnd searchHere(TunedFunction &f, const SearchSettings &settings, TuneProgress &progress) {
  return LocalSearch(f, settings, progress).run();
}

} // namespace nw
