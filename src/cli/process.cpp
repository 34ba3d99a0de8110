// Processes and places.
#include "cli/process.h"
#include "support/diagnostics.h"
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace nw {

namespace fs = std::filesystem;

static int spawn(const std::vector<std::string> &command, int outputTo, pid_t &child) {
  std::vector<char *> argv;
  for (const std::string &a : command)
    argv.push_back(const_cast<char *>(a.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (outputTo >= 0)
    posix_spawn_file_actions_adddup2(&actions, outputTo, 1);
  int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
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

ScratchDirectory::ScratchDirectory() {
  std::string pattern = (fs::temp_directory_path() / "nestwarp.XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    throw UserError{"cannot make a temporary directory in " + fs::temp_directory_path().string()};
  path = pattern;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

std::string executableDirectory() { return fs::read_symlink("/proc/self/exe").parent_path().string(); }

static std::string firstOf(std::initializer_list<std::string> candidates, const char *what) {
  for (const std::string &c : candidates)
    if (fs::exists(c))
      return c;
  throw UserError{std::string("cannot find ") + what + " beside the executable; was nestwarp moved without its runtime?"};
}

std::string runtimeLibrary() {
  std::string here = executableDirectory();
  return firstOf({here + "/libnestwarp_rt.a", here + "/../lib/libnestwarp_rt.a"}, "libnestwarp_rt.a");
}

std::string runtimeSources() {
  std::string here = executableDirectory();
  std::string header = firstOf({here + "/../runtime/nestwarp_rt.h", here + "/../share/nestwarp/runtime/nestwarp_rt.h", std::string(NESTWARP_SOURCE_DIR) + "/runtime/nestwarp_rt.h"}, "runtime/nestwarp_rt.h");
  return fs::weakly_canonical(header).parent_path().string();
}

std::string runnerProgram() {
  std::string here = executableDirectory();
  return firstOf({here + "/nestwarp-run", here + "/../bin/nestwarp-run"}, "nestwarp-run");
}

} // namespace nw
