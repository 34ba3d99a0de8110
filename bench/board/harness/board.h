// One kernel at one size: ways to compute it (columns), timed beside each other in one process,
// every result checked.
//
// A column's time is that of the whole region, between two events of one stream: launches, the gaps
// between them, and whatever the host does to launch. Inputs and outputs are on the device. Before
// every run, outside of the time: arrays that columns change are restored, outputs are filled with
// ones, the cache is filled with other lines, and the stream has run empty.
//
// First each column runs once and its result is checked; then, after three rounds that do not
// count, the columns take turns; the result of the last turn is checked again. What is found is
// printed on stdout, one JSON object a line.
#pragma once
#include "arrays.h"
#include "device.h"
#include "failure.h"
#include "host.h"
#include "opencl.h"
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace board {

class Board {
public:
  /// Sizes are the command's words that are numbers; `names` says what they are.
  /// Options: --without COLUMN, --repeats N, --warm (the cache is left as it is).
  Board(const char *program, std::vector<std::string> names, int argc, char **argv);
  ~Board();
  Board(const Board &) = delete;

  int size(size_t k) const { return sizes_[k]; }
  cublasHandle_t cublas() const { return cublas_; }
  const DeviceFacts &device() const { return device_; }

  template <class T> Array<T> input(std::vector<T> data) {
    return array(std::move(data), Memory::Before::Kept);
  }
  template <class T> Array<T> changed(std::vector<T> data) {
    return array(std::move(data), Memory::Before::Restored);
  }
  template <class T> Array<T> output(size_t count) {
    memory_.push_back(
        std::make_unique<Memory>(count * sizeof(T), nullptr, Memory::Before::Poisoned));
    return Array<T>{memory_.back().get(), {}, count};
  }

  /// Bytes that must move and operations that must be done.
  void floor(double bytes, double operations, Precision precision, std::string note = "");

  /// `error` is called after a run; the result is right if it is at most `tolerance`. `measure`
  /// says what the number is.
  void check(std::string measure, double tolerance, std::function<double()> error);

  /// The usual check: largest difference of any element over the reference's root mean square.
  template <class T>
  void expect(const Array<T> &array, std::vector<double> reference, double tolerance) {
    check("largest difference / root mean square", tolerance,
          [&array, reference = std::move(reference)] {
            return largestDifference(array.result(), reference);
          });
  }

  /// Adds a column; `how` says in a few words what it does. `run` enqueues its work on the stream.
  void column(const std::string &name, const std::string &how,
              std::function<void(cudaStream_t)> run);

  /// The columns of generated code, called as the C function is: the arguments in the order of its
  /// parameters. Those with a tuned plan and those of OpenCL are there if their libraries are.
  template <class... Arguments> void ours(Arguments... arguments) {
    oursOf("ours", "generated", "ours", arguments...);
    if (isThere("tuned"))
      oursOf("ours_tuned", "generated, with a tuned plan", "tuned", arguments...);
    if (isThere("opencl"))
      oursOfOpenCl(arguments...);
  }

  /// Checks and times everything; the status for main.
  int run();

private:
  struct Column {
    std::string name, how;
    std::function<void(cudaStream_t)> run;
    std::string failure;
    bool right = true;
    double error = 0;
    std::vector<double> times;
    std::function<double()> runTimed; // instead of run: with times of its own
    std::function<void()>
        fetch; // brings results to where they are checked; nothing where they are there
  };
  struct Check {
    std::string measure;
    double tolerance;
    std::function<double()> error;
  };

  template <class T> Array<T> array(std::vector<T> data, Memory::Before before) {
    memory_.push_back(std::make_unique<Memory>(data.size() * sizeof(T), data.data(), before));
    size_t count = data.size();
    return Array<T>{memory_.back().get(), std::move(data), count};
  }
  template <class T> static char letter() {
    return std::is_pointer_v<T>          ? 'p'
           : std::is_same_v<T, int>      ? 'i'
           : std::is_same_v<T, unsigned> ? 'u'
           : std::is_same_v<T, float>    ? 'f'
                                         : 'd';
  }

  struct Library {
    void *library, *function;
    std::string why; // there is no function
  };
  Library loaded(const std::string &kind, const std::string &signature) const;
  bool isThere(const std::string &kind) const;
  const Memory &memoryAt(const void *address) const;

  template <class... Arguments>
  void oursOf(const char *name, const char *how, const char *kind, Arguments... arguments) {
    Library found = loaded(kind, {letter<Arguments>()...});
    column(name, how, [=](cudaStream_t stream) {
      if (!found.function)
        throw Failure(found.why);
      if (!reinterpret_cast<int (*)(Arguments..., void *)>(found.function)(arguments..., stream))
        throw Failure("the region function of the generated code returned 0");
    });
  }

  template <class... Arguments> void oursOfOpenCl(Arguments... arguments) {
    Library found = loaded("opencl", {letter<Arguments>()...});
    auto side = std::make_shared<std::unique_ptr<OpenClLibrary>>();
    column("ours_opencl", "generated OpenCL", nullptr);
    if (columns_.empty() || columns_.back().name != "ours_opencl")
      return; // not wanted
    Board *self = this;
    columns_.back().runTimed = [=] {
      if (!found.function)
        throw Failure(found.why);
      if (!*side)
        *side = std::make_unique<OpenClLibrary>(found.library);
      OpenClLibrary &cl = **side;
      auto call = reinterpret_cast<int (*)(Arguments..., void *)>(found.function);
      std::tuple<Arguments...> there{self->inOpenCl(cl, arguments)...};
      cl.prepare();
      cl.begin();
      bool good = std::apply([&](Arguments... a) { return call(a..., cl.queue()); }, there);
      double took = cl.end();
      std::find_if(self->columns_.begin(), self->columns_.end(), [](const Column &c) {
        return c.name == "ours_opencl";
      })->how = "generated OpenCL, " + cl.clock();
      if (!good)
        throw Failure("the region function of the generated code returned 0");
      return took;
    };
    columns_.back().fetch = [side] {
      if (*side)
        (*side)->fetch();
    };
  }
  template <class T> T inOpenCl(OpenClLibrary &cl, T argument) const {
    if constexpr (std::is_pointer_v<T>)
      return static_cast<T>(cl.bufferOf(memoryAt(argument)));
    else
      return argument;
  }

  double timed(Column &column);
  void checkResult(Column &column);
  void firstRuns();
  void rounds();
  void printFacts() const;
  void print(const Column &column) const;

  std::string program_;
  std::vector<std::string> names_, without_;
  std::vector<int> sizes_;
  int repeats_ = 31;
  bool warm_ = false, lost_ = false;
  DeviceFacts device_;
  cudaStream_t stream_ = nullptr;
  cublasHandle_t cublas_ = nullptr;
  double copyRate_ = 0, floorBytes_ = 0, floorOperations_ = 0;
  Precision precision_ = Precision::Single;
  std::string floorNote_;
  std::unique_ptr<CacheFlush> flush_;
  std::vector<std::unique_ptr<Memory>> memory_;
  std::vector<Check> checks_;
  std::vector<Column> columns_;
};

/// The main of a kernel's program: what goes wrong outside of columns ends it with a message.
int guarded(const std::function<int()> &body);

} // namespace board
