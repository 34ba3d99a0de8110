// What the fuzzer does with a program: each engine compiles it, runs it beside a reference, and
// gives a verdict.
#pragma once
#include "render.h"
#include <functional>
#include <memory>

namespace nw::fuzz {

// What is wrong with a program; nothing if `kind` is empty. Kinds are short and stable: a smaller
// program shows the same mistake if it has the same kind.
struct Verdict {
  std::string kind, what;
  std::string plan; // JSON of the regions, where they were made
};

// How often what was seen, by name.
using Counts = std::map<std::string, long long>;

// Compiled C functions of some programs with the same flags, called in this process.
class NativeLibrary {
public:
  NativeLibrary(const std::vector<Program> &programs, const std::string &folder);
  ~NativeLibrary();
  NativeLibrary(const NativeLibrary &) = delete;
  bool isThere() const { return handle; }
  void call(const Program &program, const Sizes &sizes, const std::vector<void *> &data) const;

private:
  void *handle = nullptr;
};

// Interprets original and kernels of every region, for several sizes, devices and plans that follow
// from the program's seed. With a library, the front end is held against the C compiler too.
Verdict tryByInterpreter(const Program &program, const std::string &folder,
                         const NativeLibrary *native, Counts &counts);

// Whole programs in processes of their own: one file of all programs, which have the same flags,
// printed hashes compared. The verdicts are in the order of the programs.
std::vector<Verdict> tryByPocl(const std::vector<Program> &programs, const std::string &folder,
                               Counts &counts);
std::vector<Verdict> tryByEmulation(const std::vector<Program> &programs, const std::string &folder,
                                    Counts &counts);

// Runs `work` in a process of its own. It reports numbered verdicts; a number that was begun and
// never reported crashed, or took longer than the limit.
struct Isolated {
  std::map<int, Verdict> verdicts;
  Counts counts;
};
using Report = std::function<void(int number, const Verdict &)>;
using Begin = std::function<void(int number)>;
Isolated isolated(int secondsEach,
                  const std::function<void(const Begin &, const Report &, Counts &)> &work);

} // namespace nw::fuzz
