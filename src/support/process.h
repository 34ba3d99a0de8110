// Running other programs, and folders for what is not kept.
#pragma once
#include "support/install_paths.h"
#include <functional>
#include <string>
#include <vector>

namespace nw {

// Runs the command and waits; its exit status, or 127 when it cannot be started.
int run(const std::vector<std::string> &command);
// The same with standard output captured.
int runCaptured(const std::vector<std::string> &command, std::string &output);
// The same with standard output and standard error captured, stopped after so many seconds (status
// 124).
int runLimited(const std::vector<std::string> &command, int seconds, std::string &output);

// The same without a limit: `look` is called while it runs, and where `isStopped` begins to hold,
// it is asked to end (SIGINT) and waited for.
int runWatched(const std::vector<std::string> &command, std::string &output,
               const std::function<void()> &look, const std::function<bool()> &isStopped);

// A directory of our own that is removed at the end, also after an error.
class ScratchDirectory {
public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory &) = delete;
  std::string path;
};

} // namespace nw
