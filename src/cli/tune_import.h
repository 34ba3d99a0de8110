// Results of tuning on another machine, put into the database.
#pragma once
#include "tune/database.h"
#include "tune/tune_log.h"

namespace nw {

// `path` is a bundle's folder, of which all files of results are taken (parts of one search have a file each), or one such file. Says what was found;
// the exit status: 1 where a candidate computes something else, or nothing was measured.
int importTuning(const std::string &path, TuneDatabase &database);

// How a region fared, in words; and into the database. `plan` is the winner's, `words` how it differs. Returns false where nothing was measured, or cannot be kept.
bool keepWinner(const std::string &title, const Winner &winner, TunedResult result, TuneDatabase &database);

// cuda:0 to cuda.
std::string backendOf(const std::string &label);
std::string dateNow();

} // namespace nw
