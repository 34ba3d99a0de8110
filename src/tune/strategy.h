// Which candidates are measured next, given what was measured so far. Strategies are pure: the same
// space, predictions and times give the same batch, so that a search can be replayed and tested
// with made-up times.
#pragma once
#include "tune/space.h"
#include <map>
#include <set>

namespace nw {

enum class Strategy {
  Model, // the candidates that the model of time likes best, unlike each other; then the search
         // ends
  Exhaustive, // all of them, in the model's order; those that it has no time for at the end
  Random,     // drawn from the space, whatever the model says: to judge the model, and the others
  Local,      // the proposed plan and the model's best, then neighbours of the best so far, and
              // mutations
};

// What is known of the candidates of one region.
struct Knowledge {
  std::vector<Candidate> pool; // that may be measured; those that the model has no time for, too
  std::map<Candidate, double> predicted; // seconds
  std::map<Candidate, double>
      measured;        // milliseconds; infinity for those that were wrong or did not run
  bool isIdle = false; // the model says that plans take no time at all: at these sizes, there is
                       // nothing to do
  std::set<Candidate> refused; // that cannot be made: never measured, and not counted
  bool isOpen(const Candidate &c) const { return !measured.count(c) && !refused.count(c); }
};

struct SearchOptions {
  Strategy strategy = Strategy::Model;
  size_t batch = 8; // candidates at a time
  size_t most = 32; // in all, beside the proposed one
  unsigned seed = 1;
};

// How many candidates the pool has, at most: several times as many as will be measured, since some
// are refused.
size_t poolSize(const SearchOptions &options);

// Candidates that are worth a prediction: the proposed one, all that differ from it in one knob,
// and, as far as `most` goes, mixtures of such changes. For the exhaustive strategy all there are,
// as far as `most` goes; for the random one, changes of one to four knobs alone.
std::vector<Candidate> poolOf(const Space &space, Strategy strategy, size_t most, unsigned seed);

// The next batch, best first; empty: the search has ended. The proposed candidate is never part of
// it: it is measured with every batch.
std::vector<Candidate> nextBatch(const Space &space, const Knowledge &known,
                                 const SearchOptions &options);

// The fastest that was measured; the proposed one where none was.
Candidate bestOf(const Space &space, const Knowledge &known);

} // namespace nw
