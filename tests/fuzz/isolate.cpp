// Work in a child process, so that a crash or a hang is a verdict like any other.
#include "engine.h"
#include <csignal>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nw::fuzz {

namespace {

// Fields of a line are separated by unit separators; newlines within them become record separators.
std::string packed(std::string text) {
  for (char &c : text)
    c = c == '\n' ? '\x1e' : c == '\x1f' ? ' ' : c;
  return text;
}

std::string unpacked(std::string text) {
  for (char &c : text)
    c = c == '\x1e' ? '\n' : c;
  return text;
}

std::vector<std::string> fieldsOf(const std::string &line) {
  std::vector<std::string> fields(1);
  for (char c : line)
    if (c == '\x1f')
      fields.emplace_back();
    else
      fields.back() += c;
  for (std::string &f : fields)
    f = unpacked(f);
  return fields;
}

void writeAll(int to, const std::string &text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t n = write(to, text.data() + done, text.size() - done);
    if (n <= 0)
      _exit(3);
    done += size_t(n);
  }
}

double processorSeconds(pid_t process) {
  clockid_t clock;
  timespec t{};
  if (clock_getcpuclockid(process, &clock) == 0)
    clock_gettime(clock, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

} // namespace

Isolated isolated(int secondsEach,
                  const std::function<void(const Begin &, const Report &, Counts &)> &work) {
  int ends[2];
  Isolated out;
  if (pipe(ends) != 0)
    return out;
  fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    setpgid(0, 0); // so that what it starts can be ended with it
    Counts counts;
    work([&](int k) { writeAll(ends[1], fmt::format("begin\x1f{}\n", k)); },
         [&](int k, const Verdict &v) {
           writeAll(ends[1], fmt::format("end\x1f{}\x1f{}\x1f{}\x1f{}\n", k, packed(v.kind),
                                         packed(v.what), packed(v.plan)));
         },
         counts);
    for (auto &[name, count] : counts)
      writeAll(ends[1], fmt::format("count\x1f{}\x1f{}\n", packed(name), count));
    writeAll(ends[1], "done\n");
    _exit(0);
  }
  close(ends[1]);
  int current = -1;
  bool isDone = false, isLate = false;
  std::string pending;
  double sinceNews = 0; // processor time, which does not depend on what else the machine does
  int silent = 0;
  for (;;) {
    pollfd p{ends[0], POLLIN, 0};
    int ready = poll(&p, 1, 1000);
    if (ready == 0 &&
        (processorSeconds(child) < sinceNews + secondsEach && ++silent < 10 * secondsEach))
      continue;
    if (ready == 0) {
      isLate = true;
      kill(-child, SIGKILL);
      kill(child, SIGKILL);
      break;
    }
    char buffer[65536];
    ssize_t n = read(ends[0], buffer, sizeof buffer);
    if (n <= 0)
      break;
    pending.append(buffer, size_t(n));
    sinceNews = processorSeconds(child);
    silent = 0;
    for (size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1)) {
      std::vector<std::string> f = fieldsOf(pending.substr(0, end));
      if (f[0] == "begin")
        current = std::stoi(f[1]);
      else if (f[0] == "end") {
        out.verdicts[std::stoi(f[1])] = {f[2], f[3], f[4]};
        current = -1;
      } else if (f[0] == "count")
        out.counts[f[1]] += std::stoll(f[2]);
      else
        isDone = true;
    }
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (isDone)
    return out;
  Verdict lost{"crash", "the process ended", ""};
  if (isLate)
    lost = {"hang", fmt::format("nothing after {} s of processor time", secondsEach), ""};
  else if (WIFSIGNALED(status))
    lost.what = fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  else
    lost.what = fmt::format("exit status {}", WEXITSTATUS(status));
  out.verdicts[current] = lost;
  return out;
}

} // namespace nw::fuzz
