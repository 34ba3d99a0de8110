// Processes.
#include "support/process.h"
#include "support/diagnostics.h"
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nw {

namespace fs = std::filesystem;

// `outputTo`: where standard output goes; -1: where ours does. With `isGroup` errors go there, too,
// and the child leads a process group, so that it can be stopped with everything it started.
static int spawn(const std::vector<std::string> &command, int outputTo, pid_t &child,
                 bool isGroup = false) {
  std::vector<char *> argv;
  for (const std::string &a : command)
    argv.push_back(const_cast<char *>(a.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (outputTo >= 0)
    posix_spawn_file_actions_adddup2(&actions, outputTo, 1);
  if (outputTo >= 0 && isGroup)
    posix_spawn_file_actions_adddup2(&actions, outputTo, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (isGroup)
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  int error = posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

static int waitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run(const std::vector<std::string> &command) {
  pid_t child;
  return spawn(command, -1, child) ? 127 : waitFor(child);
}

int runCaptured(const std::vector<std::string> &command, std::string &output) {
  int ends[2];
  if (pipe(ends) != 0)
    return 127;
  pid_t child;
  int error = spawn(command, ends[1], child);
  close(ends[1]);
  char buffer[65536];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    output.append(buffer, size_t(n));
  close(ends[0]);
  return error ? 127 : waitFor(child);
}

int runLimited(const std::vector<std::string> &command, int seconds, std::string &output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return 127;
  pid_t child;
  int error = spawn(command, ends[1], child, true);
  close(ends[1]);
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  bool isLate = false;
  char buffer[65536];
  while (!error && !isLate) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                    end - std::chrono::steady_clock::now())
                    .count();
    pollfd ready = {ends[0], POLLIN, 0};
    int events = left > 0 ? poll(&ready, 1, int(left)) : 0;
    if (events < 0 && errno == EINTR)
      continue;
    isLate = events == 0;
    ssize_t n = events > 0 ? read(ends[0], buffer, sizeof buffer) : 0;
    if (n > 0)
      output.append(buffer, size_t(n));
    else if (!isLate)
      break;
  }
  close(ends[0]);
  if (error)
    return 127;
  if (isLate)
    kill(-child, SIGKILL);
  int status = waitFor(child);
  return isLate ? 124 : status;
}

int runWatched(const std::vector<std::string> &command, std::string &output,
               const std::function<void()> &look, const std::function<bool()> &isStopped) {
  constexpr int kMilliseconds = 100;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return 127;
  pid_t child;
  int error = spawn(command, ends[1], child, true);
  close(ends[1]);
  bool isTold = false;
  char buffer[65536];
  while (!error) {
    pollfd ready = {ends[0], POLLIN, 0};
    int events = poll(&ready, 1, kMilliseconds);
    ssize_t n = events > 0 ? read(ends[0], buffer, sizeof buffer) : -1;
    if (n == 0)
      break;
    output.append(buffer, n > 0 ? size_t(n) : 0);
    if (isStopped() && !isTold)
      isTold = kill(child, SIGINT) == 0;
    look();
  }
  close(ends[0]);
  return error ? 127 : waitFor(child);
}

ScratchDirectory::ScratchDirectory() {
  const char *given = std::getenv("TMPDIR");
  std::string place = given && *given ? given : "/tmp", pattern = place + "/nestwarp.XXXXXX";
  if (!mkdtemp(pattern.data()))
    throw UserError{fmt::format("cannot create a temporary directory in '{}': {}; set TMPDIR to a "
                                "directory that can be written",
                                place, std::strerror(errno))};
  path = pattern;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

} // namespace nw
