// Results of tuning on another machine, put into the database.
#pragma once
#include "tune/database.h"
#include "tune/tune_log.h"
#include <set>

namespace nw {

// `path` is a bundle's folder, of which all files of results are taken (parts of one search have a
// file each), or one such file. Says what was found; the exit status: 1 where a candidate computes
// something else, or nothing was measured.
int importTuning(const std::string &path, TuneDatabase &database);

// How a region fared. The times are those of one round, of the finals where there were any. `what`:
// how the winner's plan differs.
std::string outcomeInWords(const Winner &winner, const std::string &what);

// The same said, and into the database. The result has the winner's plan, and how it
// differs. Where the proposed plan stays, a plan that won before, at the same sizes on the same
// device, is forgotten only if it is among the plans that were `measured` now. Returns false where
// nothing was measured, or cannot be kept.
bool keepWinner(const std::string &title, const Winner &winner, TunedResult result,
                const std::set<std::string> &measured, TuneDatabase &database);

// cuda:0 to cuda.
std::string backendOf(const std::string &label);
std::string dateNow();

} // namespace nw
