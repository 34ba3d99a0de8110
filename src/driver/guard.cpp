// The child process.
#include "driver/guard.h"
#include "support/diagnostics.h"
#include "support/exit_status.h"
#include "support/isl_tools.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nw {

namespace {

// Exit statuses of a child that a limit stopped.
enum Stopped { kByTime = 251, kByMemory = 252 };

// Trees are walked by recursion, ours and Clang's; only what is used of a stack takes memory.
constexpr size_t kStackSizes[] = {size_t(512) << 20, size_t(64) << 20};

void leave(Watch::Excess why) { _exit(why == Watch::Excess::Time ? kByTime : kByMemory); }

// Calls the function on a thread with a deep stack, or right here where there is none to be had.
void onDeepStack(const std::function<void()> &work) {
  for (size_t size : kStackSizes) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, size);
    pthread_t thread;
    auto call = [](void *what) -> void * {
      (*static_cast<const std::function<void()> *>(what))();
      return nullptr;
    };
    int failed =
        pthread_create(&thread, &attributes, call, const_cast<std::function<void()> *>(&work));
    pthread_attr_destroy(&attributes);
    if (!failed) {
      pthread_join(thread, nullptr);
      return;
    }
  }
  work();
}

void sendAll(int to, const std::string &text) {
  for (size_t sent = 0; sent < text.size();) {
    ssize_t n = write(to, text.data() + sent, text.size() - sent);
    if (n < 0 && errno != EINTR)
      return;
    sent += n > 0 ? size_t(n) : 0;
  }
}

// The seconds so far, in one line of the terminal. The cursor goes back to its beginning, so that
// what the child says comes over it.
class Clock {
public:
  explicit Clock(Progress progress) : isShown(progress == Progress::Shown && isatty(2)) {}
  ~Clock() {
    if (seconds > kPatience)
      std::fputs("\x1b[K", stderr);
  }
  void tick() {
    if (isShown && ++seconds > kPatience)
      std::fprintf(stderr, "nestwarp: %d s\r", seconds);
  }
  // For poll, in milliseconds.
  int wait() const { return isShown ? 1000 : -1; }

private:
  static constexpr int kPatience = 2;
  bool isShown;
  int seconds = 0;
};

std::string receiveAll(int from, Clock clock) {
  std::string text;
  char buffer[65536];
  for (;;) {
    pollfd ready = {from, POLLIN, 0};
    int events = poll(&ready, 1, clock.wait());
    if (events == 0)
      clock.tick();
    if (events <= 0 && (events == 0 || errno == EINTR))
      continue;
    ssize_t n = read(from, buffer, sizeof buffer);
    if (n == 0 || (n < 0 && errno != EINTR))
      return text;
    text.append(buffer, n > 0 ? size_t(n) : 0);
  }
}

volatile sig_atomic_t stopFlag = 0;
volatile pid_t guardedChild = 0; // 0 in the child itself

void passOn(int signal) {
  stopFlag = 1;
  if (guardedChild > 0)
    kill(guardedChild, signal);
}

[[noreturn]] void runChild(const Limits &limits,
                           const std::function<int(Watch &, std::string &)> &work, int answerTo) {
  int status = 0;
  std::string answer;
  {
    Watch watch(limits, leave);
    onDeepStack([&] { status = reportingErrors([&] { return work(watch, answer); }); });
  }
  std::fflush(nullptr);
  sendAll(answerTo, answer);
  close(answerTo);
  std::exit(status);
}

} // namespace

void passSignalsOn() {
  struct sigaction action = {};
  action.sa_handler = passOn;
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    sigaction(signal, &action, nullptr);
}

bool stopRequested() { return stopFlag; }

int reportingErrors(const std::function<int()> &work) {
  try {
    return work();
  } catch (const UserError &e) {
    std::fprintf(stderr, "nestwarp: %s\n", e.message.c_str());
    return e.exitStatus;
  } catch (const InternalError &e) {
    std::fprintf(stderr, "nestwarp: internal error: %s\n", e.message.c_str());
  } catch (const isl::exception &e) {
    std::fprintf(stderr, "nestwarp: internal error in isl: %s\n", e.what());
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "nestwarp: out of memory\n");
    return kFailed;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "nestwarp: internal error: %s\n", e.what());
  }
  return kInternal;
}

GuardedEnd runGuarded(const Limits &limits,
                      const std::function<int(Watch &, std::string &answer)> &work,
                      Progress progress) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw UserError{std::string("cannot create a pipe: ") + std::strerror(errno)};
  std::fflush(nullptr);
  pid_t caller = getpid();
  pid_t child = fork();
  if (child < 0)
    throw UserError{std::string("cannot start a process: ") + std::strerror(errno)};
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody waits for the answer of an orphan
    if (getppid() != caller)
      _exit(1);
    close(ends[0]);
    runChild(limits, work, ends[1]);
  }
  guardedChild = child;
  close(ends[1]);
  if (stopFlag) // it came before the child was known
    kill(child, SIGINT);
  GuardedEnd end;
  end.answer = receiveAll(ends[0], Clock(progress));
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  guardedChild = 0;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE) {
    end.status = 128 + SIGPIPE; // whoever read the output has enough of it (| head)
  } else if (WIFSIGNALED(status)) {
    end.crashed = true;
    int signal = WTERMSIG(status);
    end.stopped =
        fmt::format("it crashed ({}{})", strsignal(signal),
                    signal == SIGSEGV   ? "; perhaps its stack was too small for this nesting"
                    : signal == SIGKILL ? "; perhaps the system ran out of memory"
                                        : "");
  } else if (WEXITSTATUS(status) == kByTime) {
    end.stopped = fmt::format("it took longer than {} s (--time-limit)", limits.seconds);
  } else if (WEXITSTATUS(status) == kByMemory) {
    end.stopped = fmt::format("it needed more than {} MiB (--memory-limit)", limits.mebibytes);
  } else {
    end.status = WEXITSTATUS(status);
  }
  return end;
}

int statusOf(const GuardedEnd &end, const std::string &file) {
  if (end.stopped.empty())
    return end.status;
  std::fprintf(stderr, "nestwarp: %s%s: the translation was stopped: %s\n",
               end.crashed ? "internal error: " : "", file.c_str(), end.stopped.c_str());
  return end.crashed ? kInternal : kFailed;
}

} // namespace nw
