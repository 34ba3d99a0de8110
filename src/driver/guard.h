// The translation in a process of its own, with a deep stack and limits that hold for code that
// never asks: whatever a source does to Clang, isl or us, the caller goes on.
#pragma once
#include "support/limits.h"
#include <functional>
#include <string>

namespace nw {

// How the work ended.
struct GuardedEnd {
  int status = 0;       // its exit status; of no meaning where it was stopped
  std::string stopped;  // why it did not come to its end, in words; empty where it did
  bool crashed = false; // stopped by a signal rather than by a limit: a bug
  std::string answer;   // what it left for the caller
};

// Whether the user sees on the terminal that the work goes on.
enum class Progress { Shown, Hidden };

// Runs `work` in a child process. Its exceptions are reported there, as by reportingErrors. After
// two seconds the time is shown, unless it is hidden or stderr is not a terminal.
GuardedEnd runGuarded(const Limits &limits,
                      const std::function<int(Watch &, std::string &answer)> &work,
                      Progress progress = Progress::Shown);

// For commands that do all their work in the child: the exit status, after a word about what
// stopped it.
int statusOf(const GuardedEnd &end, const std::string &file);

// Makes this process pass SIGINT, SIGTERM and SIGHUP on to the one that runGuarded starts, instead
// of ending, so that work which keeps what it has can end by itself. In that one, stopRequested
// tells of them.
void passSignalsOn();
bool stopRequested();

// Says what was thrown on stderr; the exit status that belongs to it.
int reportingErrors(const std::function<int()> &work);

} // namespace nw
