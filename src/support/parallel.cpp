// Processes that share out work.
#include "support/parallel.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace nw {

namespace {

struct Frame {
  uint64_t index, size;
};

bool sendAll(int to, const char *bytes, size_t size) {
  for (size_t sent = 0; sent < size;) {
    ssize_t n = write(to, bytes + sent, size - sent);
    if (n < 0 && errno != EINTR)
      return false;
    sent += n > 0 ? size_t(n) : 0;
  }
  return true;
}

[[noreturn]] void runWorker(int to, size_t first, size_t step, size_t count,
                            const std::function<std::string(size_t)> &work,
                            const Deadline &deadline, const std::function<bool()> &isStopped) {
  for (size_t k = first; k < count; k += step) {
    if ((deadline && std::chrono::steady_clock::now() > *deadline) || (isStopped && isStopped()))
      break;
    std::string answer = work(k);
    Frame frame{k, answer.size()};
    if (!sendAll(to, reinterpret_cast<const char *>(&frame), sizeof frame) ||
        !sendAll(to, answer.data(), answer.size()))
      break;
  }
  _exit(0); // nothing of the parent's is flushed or removed twice
}

// Whole frames of what a worker has sent.
void take(std::string &received, std::vector<std::optional<std::string>> &answers) {
  size_t at = 0;
  for (Frame frame; received.size() - at >= sizeof frame; at += sizeof frame + frame.size) {
    std::memcpy(&frame, received.data() + at, sizeof frame);
    if (received.size() - at - sizeof frame < frame.size)
      break;
    if (frame.index < answers.size())
      answers[frame.index] = received.substr(at + sizeof frame, frame.size);
  }
  received.erase(0, at);
}

} // namespace

std::vector<std::optional<std::string>> inProcesses(size_t count,
                                                    const std::function<std::string(size_t)> &work,
                                                    const Deadline &deadline,
                                                    const std::function<bool()> &isStopped) {
  std::vector<std::optional<std::string>> answers(count);
  size_t workers = std::min<size_t>({std::max(1u, std::thread::hardware_concurrency()), 64, count});
  std::map<int, std::string> open; // ends of pipes, and what came so far
  std::vector<pid_t> children;
  std::fflush(nullptr);
  pid_t caller = getpid();
  for (size_t w = 0; w < workers; w++) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      break;
    pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != caller)
        _exit(1);
      close(ends[0]);
      runWorker(ends[1], w, workers, count, work, deadline, isStopped);
    }
    close(ends[1]);
    if (child < 0) {
      close(ends[0]);
      break;
    }
    children.push_back(child);
    open[ends[0]];
  }
  bool isTold = false;
  while (!open.empty()) {
    if (isStopped && isStopped() && !isTold) { // they end with the piece they are at
      for (pid_t child : children)
        kill(child, SIGINT);
      isTold = true;
    }
    std::vector<pollfd> ready;
    for (auto &[end, text] : open)
      ready.push_back({end, POLLIN, 0});
    if (poll(ready.data(), ready.size(), 200) < 0 && errno != EINTR)
      break;
    for (const pollfd &p : ready) {
      char buffer[65536];
      ssize_t n = p.revents ? read(p.fd, buffer, sizeof buffer) : -1;
      if (n > 0) {
        open[p.fd].append(buffer, size_t(n));
        take(open[p.fd], answers);
      } else if (n == 0) {
        close(p.fd);
        open.erase(p.fd);
      }
    }
  }
  for (pid_t child : children)
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  return answers;
}

} // namespace nw
