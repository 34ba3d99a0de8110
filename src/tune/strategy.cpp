// The strategies.
#include "tune/strategy.h"
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace nw {

namespace {

// The same on every machine, which std::uniform_int_distribution is not.
size_t below(std::mt19937 &random, size_t bound) { return size_t(random()) % bound; }

// Other values for a few knobs.
Candidate mutated(const Space &space, Candidate c, size_t knobs, std::mt19937 &random) {
  for (size_t n = 0; n < knobs; n++) {
    size_t k = below(random, space.knobs.size());
    c[k] = below(random, space.knobs[k].values.size());
  }
  return c;
}

// A candidate that resembles others costs more the more of them there are: what the model has wrong
// about one, it has wrong about all.
constexpr double kPenalty = 0.15;

// The best predicted ones that are not measured, each held against those that are chosen already.
std::vector<Candidate> diverse(const Knowledge &known, const Candidate &proposed, size_t many) {
  std::vector<std::pair<double, Candidate>> open;
  for (auto &[candidate, seconds] : known.predicted)
    if (candidate != proposed && known.isOpen(candidate) && std::isfinite(seconds))
      open.push_back({seconds, candidate});
  std::stable_sort(open.begin(), open.end(), [](auto &a, auto &b) { return a.first < b.first; });
  std::vector<Candidate> chosen;
  std::vector<size_t> alike(open.size());
  for (size_t n = 0; n < many && n < open.size(); n++) {
    size_t best = open.size();
    for (size_t k = 0; k < open.size(); k++)
      if (std::isfinite(open[k].first) &&
          (best == open.size() || open[k].first * (1 + kPenalty * double(alike[k])) <
                                      open[best].first * (1 + kPenalty * double(alike[best]))))
        best = k;
    if (best == open.size())
      break;
    chosen.push_back(open[best].second);
    open[best].first = INFINITY;
    for (size_t k = 0; k < open.size(); k++)
      alike[k] += distance(open[k].second, chosen.back()) <= 1;
  }
  return chosen;
}

// Those with a prediction first, best first; then by how far they are from the proposed one.
std::vector<Candidate> inModelsOrder(std::vector<Candidate> all, const Knowledge &known,
                                     const Candidate &proposed) {
  auto key = [&](const Candidate &c) {
    auto found = known.predicted.find(c);
    return std::pair{found == known.predicted.end() ? INFINITY : found->second,
                     distance(c, proposed)};
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Candidate &a, const Candidate &b) { return key(a) < key(b); });
  return all;
}

// Those of the pool that are neither measured nor refused.
std::vector<Candidate> openOf(const Knowledge &known, const Candidate &proposed) {
  std::vector<Candidate> open;
  for (const Candidate &c : known.pool)
    if (c != proposed && known.isOpen(c))
      open.push_back(c);
  return open;
}

// A part of those that are open, in an order that the seed decides.
std::vector<Candidate> drawn(const Knowledge &known, const Candidate &proposed,
                             const SearchOptions &options) {
  std::vector<Candidate> open = openOf(known, proposed);
  std::mt19937 random(options.seed);
  for (size_t n = open.size(); n > 1; n--)
    std::swap(open[n - 1], open[below(random, n)]);
  open.resize(std::min(open.size(), options.batch));
  return open;
}

std::vector<Candidate> localBatch(const Space &space, const Knowledge &known,
                                  const SearchOptions &options) {
  Candidate proposed = proposedCandidate(space), best = bestOf(space, known);
  bool isFirst = known.measured.size() <= 1;
  std::vector<Candidate> batch =
      isFirst ? diverse(known, proposed, (options.batch + 1) / 2) : std::vector<Candidate>();
  std::set<Candidate> taken(batch.begin(), batch.end());
  auto take = [&](const Candidate &c) {
    if (batch.size() < options.batch && c != proposed && known.isOpen(c) && taken.insert(c).second)
      batch.push_back(c);
  };
  // Three of four are neighbours of the best; the rest are mutations of the best three.
  size_t steps = options.batch - options.batch / 4;
  for (const Candidate &c : inModelsOrder(neighbours(space, best), known, proposed))
    if (batch.size() < steps)
      take(c);
  std::vector<std::pair<double, Candidate>> ranked;
  for (auto &[c, time] : known.measured)
    if (std::isfinite(time))
      ranked.push_back({time, c});
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(ranked.size(), size_t(3)));
  if (ranked.empty())
    ranked.push_back({0, proposed});
  std::mt19937 random(options.seed + unsigned(known.measured.size()));
  for (size_t tries = 0; tries < 8 * options.batch && batch.size() < options.batch; tries++)
    take(mutated(space, ranked[below(random, ranked.size())].second, 2 + below(random, 2), random));
  for (const Candidate &c : neighbours(space, best))
    take(c);
  return batch;
}

} // namespace

size_t poolSize(const SearchOptions &options) {
  return options.strategy == Strategy::Exhaustive ? std::max<size_t>(4096, 2 * options.most)
                                                  : std::max<size_t>(64, 4 * options.most);
}

std::vector<Candidate> poolOf(const Space &space, Strategy strategy, size_t most, unsigned seed) {
  std::vector<Candidate> pool = {proposedCandidate(space)};
  std::set<Candidate> known(pool.begin(), pool.end());
  auto take = [&](const Candidate &c) {
    if (pool.size() < most && known.insert(c).second)
      pool.push_back(c);
  };
  if (space.knobs.empty())
    return pool;
  std::mt19937 random(seed);
  if (strategy == Strategy::Random) {
    for (size_t tries = 0; tries < 16 * most && pool.size() < most; tries++)
      take(mutated(space, pool[0], 1 + below(random, 4), random));
    return pool;
  }
  for (const Candidate &c : neighbours(space, pool[0]))
    take(c);
  size_t all = sizeOf(space);
  if (strategy == Strategy::Exhaustive || all <= most) {
    for (size_t n = 0; n < all && pool.size() < most; n++)
      take(candidateAt(space, n));
    return pool;
  }
  for (size_t tries = 0; tries < 16 * most && pool.size() < most; tries++)
    take(mutated(space, pool[0], 2 + below(random, 3), random));
  return pool;
}

Candidate bestOf(const Space &space, const Knowledge &known) {
  Candidate best = proposedCandidate(space);
  double least = known.measured.count(best) ? known.measured.at(best) : INFINITY;
  for (auto &[candidate, time] : known.measured)
    if (time < least) {
      least = time;
      best = candidate;
    }
  return best;
}

std::vector<Candidate> nextBatch(const Space &space, const Knowledge &known,
                                 const SearchOptions &options) {
  Candidate proposed = proposedCandidate(space);
  size_t done = known.measured.size() - known.measured.count(proposed);
  size_t left = options.most > done ? options.most - done : 0;
  SearchOptions now = options;
  now.batch = std::min(options.batch, left);
  if (now.batch == 0 || space.knobs.empty())
    return {};
  if (options.strategy == Strategy::Local)
    return localBatch(space, known, now);
  if (options.strategy == Strategy::Model)
    return diverse(known, proposed, now.batch);
  if (options.strategy == Strategy::Random)
    return drawn(known, proposed, now);
  std::vector<Candidate> open = inModelsOrder(openOf(known, proposed), known, proposed);
  open.resize(std::min(open.size(), now.batch));
  return open;
}

} // namespace nw
