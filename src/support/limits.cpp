// The watch's thread.
#include "support/limits.h"
#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <isl/ctx.h>
#include <unistd.h>

namespace nw {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks(20);
// How far a limit may be passed before the watch no longer hopes that somebody asks; and how much
// longer than its processor time the work may take, since it may wait for something that never
// comes.
constexpr double kPatience = 1.25, kPatienceSeconds = 2, kPatienceMebibytes = 256,
                 kPatienceWaiting = 20;

// Processor time of this process.
double busySeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

// Resident memory of this process; 0 where it cannot be told.
long residentMebibytes() {
  std::FILE *file = std::fopen("/proc/self/statm", "r");
  if (!file)
    return 0;
  long all = 0, resident = 0;
  int read = std::fscanf(file, "%ld %ld", &all, &resident);
  std::fclose(file);
  return read == 2 ? resident / (1048576 / sysconf(_SC_PAGESIZE)) : 0;
}

} // namespace

Watch::Watch(const Limits &limits, void (*whenStuck)(Excess))
    : limits(limits), beginBusy(busySeconds()), whenStuck(whenStuck) {
  thread = std::thread([this] {
    std::unique_lock lock(mutex);
    while (!ends.wait_for(lock, kBetweenLooks, [this] { return stopped; }))
      look();
  });
}

Watch::~Watch() { stop(); }

void Watch::stop() {
  {
    std::lock_guard lock(mutex);
    stopped = true;
  }
  ends.notify_all();
  if (thread.joinable())
    thread.join();
}

Watch::Excess Watch::excess() {
  if (found == Excess::None) {
    if (limits.seconds > 0 && busySeconds() - beginBusy > limits.seconds)
      found = Excess::Time;
    else if (limits.mebibytes > 0 && residentMebibytes() > limits.mebibytes)
      found = Excess::Memory;
  }
  return found;
}

void Watch::look() {
  if (excess() != Excess::None && running)
    isl_ctx_abort(running);
  if (!whenStuck)
    return;
  double patience = limits.seconds * kPatience + kPatienceSeconds;
  double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (limits.seconds > 0 &&
      (busySeconds() - beginBusy > patience || passed > patience * kPatienceWaiting))
    whenStuck(Excess::Time);
  if (limits.mebibytes > 0 &&
      double(residentMebibytes()) > double(limits.mebibytes) * kPatience + kPatienceMebibytes)
    whenStuck(Excess::Memory);
}

std::optional<Diagnostic> Watch::reached(Location at) {
  switch (excess()) {
  case Excess::None:
    return std::nullopt;
  case Excess::Time:
    return Diagnostic{
        "NW0298", Severity::Remark, at,
        fmt::format(
            "translating this file reached its time limit of {} s before this nest was finished",
            limits.seconds),
        "it stays on the host; --time-limit=SECONDS allows more"};
  case Excess::Memory:
    return Diagnostic{"NW0298", Severity::Remark, at,
                      fmt::format("translating this file reached its memory limit of {} MiB before "
                                  "this nest was finished",
                                  limits.mebibytes),
                      "it stays on the host; --memory-limit=MIB allows more"};
  }
  return std::nullopt;
}

Watch::Interruptible::Interruptible(Watch &watch, isl_ctx *ctx) : watch(watch) {
  std::lock_guard lock(watch.mutex);
  previous = watch.running;
  watch.running = ctx;
}

Watch::Interruptible::~Interruptible() {
  std::lock_guard lock(watch.mutex);
  if (watch.running)
    isl_ctx_resume(watch.running);
  watch.running = previous;
}

} // namespace nw
