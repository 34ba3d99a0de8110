// Results of tuning, remembered in a file of SQLite. Several processes may read and write it at
// once. A file of ours that is damaged, and whatever is in our own folder, is set aside; one that
// cannot be opened, and one that the user has named though it is none of ours, is done without: a
// warning, no error, since all it can cost is speed (but for those who would write into it).
#pragma once
#include "tune/sizes.h"
#include <functional>
#include <memory>

struct sqlite3;

namespace nw {

// Which plans and which results are understood. Results of another number are not looked at; raise
// it where plans change their meaning or their files (kPlanVersion).
constexpr int kTuningVersion = 3;

// What was found for one region at certain sizes on a device.
struct TunedResult {
  std::string program; // hash of the region, see tune/program_key.h
  std::string planned; // the device that plans were made for, as in --device; "portable" where none
                       // was named
  std::string backend; // cuda or opencl
  std::string device;  // that it was measured on, in words
  Sizes sizes;
  std::string compiler; // the device's, in words
  std::string plan;     // JSON, one plan; empty: the proposed one is best
  std::string what;     // how it differs from that, in words
  double milliseconds = 0, spread = 0,
         untuned =
             0; // median; distance of the quartiles, as a part of it; median of the proposed plan
  std::string date;
};

// Where a database is.
struct DatabaseLocation {
  std::string path;     // empty: nowhere
  bool isNamed = false; // by the user, who may have meant another file
};

class TuneDatabase {
public:
  using Warn = std::function<void(const std::string &)>;
  // Opens the file; with `isWriter` it is made where it is not there. Never throws: where it cannot
  // be used, it is as if it were empty.
  TuneDatabase(const DatabaseLocation &location, bool isWriter, Warn warn);
  ~TuneDatabase();
  TuneDatabase(const TuneDatabase &) = delete;

  bool isOpen() const { return handle != nullptr; }
  // All results of a region for plans of a device, newest first. Where there are none but of
  // another kTuningVersion, that is said, once.
  std::vector<TunedResult> find(const std::string &program, const std::string &planned);
  // Adds a result, in place of an older one for the same region, sizes and device; whether it is
  // there now.
  bool put(const TunedResult &result);

private:
  enum class State { Good, Absent, Foreign, Failed };
  State open();
  void setAside(const std::string &why);
  void close();
  bool run(const char *statement);
  void noteOtherVersions(const std::string &program, const std::string &planned);
  const char *goingOn() const { return isWriter ? "" : "; going on without tuning results"; }

  std::string path;
  bool isWriter;
  Warn warn;
  sqlite3 *handle = nullptr;
  std::string problem;   // of the last thing that failed
  bool hasNoted = false; // that there are results of another version
};

// --db, else NESTWARP_TUNE_DB, else $XDG_CACHE_HOME/nestwarp/tune.db, else
// ~/.cache/nestwarp/tune.db; empty where there is no such file.
DatabaseLocation tuneDatabaseLocation(const std::string &given);

} // namespace nw
