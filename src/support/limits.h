// What the translation of one file may cost, and the watch that keeps to it. Reaching a limit is no
// error: nests that are not finished by then stay on the host.
#pragma once
#include "support/diagnostics.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

struct isl_ctx;

namespace nw {

struct Limits {
  double seconds = 60;                 // of processor time; 0: as long as it takes
  long mebibytes = 4096;               // of resident memory; 0: as much as there is
  unsigned long operations = 10000000; // of isl, for one region
};

// A clock and a scale for one file, looked at between stages and, by a thread of its own, during
// them. The clock counts processor time, so that a busy machine does not change what goes to the
// device.
class Watch {
public:
  enum class Excess { None, Time, Memory };

  // `whenStuck` is called, from the watch's thread, when a limit was reached long ago and nobody
  // has noticed: the code that runs never asks. It must not return.
  explicit Watch(const Limits &limits, void (*whenStuck)(Excess) = nullptr);
  ~Watch();
  Watch(const Watch &) = delete;

  const Limits limits;
  // The limit that was reached first.
  Excess excess();
  // The remark NW0298 about the nest at `at`, once a limit is reached.
  std::optional<Diagnostic> reached(Location at);
  // No limits any more.
  void stop();

  // For its lifetime, computations of isl in this context end, with isl's exception, when a limit
  // is reached.
  class Interruptible {
  public:
    Interruptible(Watch &watch, isl_ctx *ctx);
    ~Interruptible();
    Interruptible(const Interruptible &) = delete;

  private:
    Watch &watch;
    isl_ctx *previous;
  };

private:
  void look();

  const double beginBusy;
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  void (*whenStuck)(Excess);
  std::atomic<Excess> found = Excess::None;
  std::mutex mutex; // of the rest
  std::condition_variable ends;
  bool stopped = false;
  isl_ctx *running = nullptr;
  std::thread thread;
};

} // namespace nw
