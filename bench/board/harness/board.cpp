#include "board.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

namespace board {

namespace {

constexpr double kMostSeconds = 30; // of rounds, for one kernel; five rounds are always made
constexpr int kWarmUp = 3, kLeastRounds = 5;

std::string jsonText(const std::string &text) {
  std::string out = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else
      out += (unsigned char)c < 0x20 ? ' ' : c;
  return out + "\"";
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, std::isfinite(value) ? "%.6g" : "null", value);
  return text;
}

/// The value below which `share` of the sorted values lie.
double quantile(const std::vector<double> &sorted, double share) {
  double place = share * double(sorted.size() - 1);
  size_t low = size_t(place), high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (place - double(low));
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

Board::Board(const char *program, std::vector<std::string> names, int argc, char **argv)
    : program_(program), names_(std::move(names)) {
  for (int k = 1; k < argc; k++) {
    std::string word = argv[k];
    if (word == "--warm")
      warm_ = true;
    else if (word == "--without" && k + 1 < argc)
      without_.push_back(argv[++k]);
    else if (word == "--repeats" && k + 1 < argc)
      repeats_ = std::max(1, std::atoi(argv[++k]));
    else if (std::atoi(argv[k]) > 0)
      sizes_.push_back(std::atoi(argv[k]));
    else
      throw Failure("'" + word + "' is not understood");
  }
  if (sizes_.size() != names_.size()) {
    std::string all;
    for (const std::string &name : names_)
      all += " " + name;
    throw Failure("sizes wanted:" + all);
  }
  device_ = deviceFacts();
  MUST(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  MUST(cublasCreate(&cublas_));
  MUST(cublasSetStream(cublas_, stream_));
  MUST(cublasSetMathMode(cublas_, CUBLAS_PEDANTIC_MATH));
  copyRate_ = copyRate(stream_);
  flush_ = std::make_unique<CacheFlush>(device_.l2Bytes);
}

Board::~Board() {
  cublasDestroy(cublas_);
  cudaStreamDestroy(stream_);
}

void Board::floor(double bytes, double operations, Precision precision, std::string note) {
  floorBytes_ = bytes;
  floorOperations_ = operations;
  precision_ = precision;
  floorNote_ = std::move(note);
}

void Board::check(std::string measure, double tolerance, std::function<double()> error) {
  checks_.push_back({std::move(measure), tolerance, std::move(error)});
}

void Board::column(const std::string &name, const std::string &how,
                   std::function<void(cudaStream_t)> run) {
  if (std::find(without_.begin(), without_.end(), name) == without_.end())
    columns_.push_back({name, how, std::move(run), "", true, 0, {}, nullptr, nullptr});
}

namespace {

std::filesystem::path libraryOf(const std::string &kind, const std::string &program) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() /
         ("lib" + kind + "_" + program + ".so");
}

} // namespace

bool Board::isThere(const std::string &kind) const {
  return std::filesystem::exists(libraryOf(kind, program_));
}

Board::Library Board::loaded(const std::string &kind, const std::string &signature) const {
  if (!isThere(kind))
    return {nullptr, nullptr, "not built"};
  void *library = dlopen(libraryOf(kind, program_).c_str(), RTLD_NOW | RTLD_LOCAL);
  void *function = library ? dlsym(library, "board_ours") : nullptr;
  auto given = library ? static_cast<const char *>(dlsym(library, "board_signature")) : nullptr;
  if (!function || !given) {
    const char *error = dlerror();
    return {library, nullptr, error ? error : "the library has no board_ours"};
  }
  if (signature != given)
    return {library, nullptr, "parameters " + std::string(given) + " instead of " + signature};
  return {library, function, ""};
}

const Memory &Board::memoryAt(const void *address) const {
  for (const auto &memory : memory_)
    if (memory->device() == address)
      return *memory;
  throw Failure("an argument is no array of the board's");
}

double Board::timed(Column &column) {
  for (const auto &memory : memory_)
    memory->prepare(stream_);
  if (!warm_)
    (*flush_)(stream_);
  MUST(cudaStreamSynchronize(stream_));
  if (column.runTimed)
    return column.runTimed();
  Event start, end;
  start.record(stream_);
  column.run(stream_);
  end.record(stream_);
  double took = end.since(start);
  MUST(cudaStreamSynchronize(stream_));
  MUST(cudaGetLastError());
  return took;
}

void Board::checkResult(Column &column) {
  if (column.fetch)
    column.fetch();
  for (const Check &check : checks_) {
    double error = check.error();
    column.error = std::isnan(error) ? INFINITY : std::max(column.error, error);
    column.right = column.right && error <= check.tolerance;
  }
}

void Board::firstRuns() {
  for (Column &column : columns_) {
    std::printf("{\"begin\": %s}\n", jsonText(column.name).c_str());
    std::fflush(stdout);
    try {
      timed(column);
      checkResult(column);
    } catch (const std::exception &e) {
      column.failure = e.what();
      cudaGetLastError();
      lost_ = cudaDeviceSynchronize() !=
              cudaSuccess; // an error that stays: nothing runs any more in this process
    }
    if (!column.failure.empty())
      print(column);
    if (lost_)
      return;
  }
}

void Board::rounds() {
  double begin = seconds();
  for (int round = -kWarmUp; round < repeats_; round++) {
    bool last =
        round == repeats_ - 1 || (round + 1 >= kLeastRounds && seconds() - begin > kMostSeconds);
    for (Column &column : columns_) {
      if (!column.failure.empty())
        continue;
      double took = timed(column);
      if (round >= 0)
        column.times.push_back(took);
      if (last)
        checkResult(column);
    }
    if (last)
      break;
  }
}

int Board::run() {
  printFacts();
  firstRuns();
  if (lost_)
    return 3;
  std::printf("{\"begin\": \"rounds\"}\n");
  std::fflush(stdout);
  rounds();
  bool good = true;
  for (const Column &column : columns_) {
    if (column.failure.empty())
      print(column);
    good = good && column.failure.empty() && column.right;
  }
  std::printf("{\"end\": true}\n");
  std::fflush(stdout);
  return good ? 0 : 1;
}

void Board::printFacts() const {
  double byBytes = floorBytes_ / copyRate_ * 1e3,
         byOperations = floorOperations_ / device_.peak(precision_) * 1e3;
  std::string how =
      byBytes >= byOperations
          ? number(floorBytes_ / 1e9) + " GB at the rate of a copy"
          : number(floorOperations_ / 1e9) +
                (precision_ == Precision::Integer ? " G integer operations at " : " GFLOP at ") +
                number(device_.peak(precision_) / 1e12) +
                (precision_ == Precision::Integer ? " T/s" : " TFLOP/s");
  if (!floorNote_.empty())
    how += ", " + floorNote_;
  std::string sizes;
  for (size_t k = 0; k < names_.size(); k++)
    sizes += (k ? ", " : "") + jsonText(names_[k]) + ": " + std::to_string(sizes_[k]);
  std::printf("{\"sizes\": {%s}, \"floor\": {\"ms\": %s, \"ms_by_bytes\": %s, "
              "\"ms_by_operations\": %s, \"bytes\": %s, \"operations\": %s, \"kind\": \"%s\", "
              "\"how\": %s}, \"copy_gb_per_s\": %s, \"peak_tera_per_s\": %s, ",
              sizes.c_str(), number(std::max(byBytes, byOperations)).c_str(),
              number(byBytes).c_str(), number(byOperations).c_str(), number(floorBytes_).c_str(),
              number(floorOperations_).c_str(),
              precision_ == Precision::Single   ? "float"
              : precision_ == Precision::Double ? "double"
                                                : "integer",
              jsonText(how).c_str(), number(copyRate_ / 1e9).c_str(),
              number(device_.peak(precision_) / 1e12).c_str());
  std::printf("\"cache\": \"%s\", \"device\": {\"name\": %s, \"multiprocessors\": %d, "
              "\"capability\": \"%d.%d\", \"max_clock_mhz\": %d, \"memory_clock_mhz\": %d, "
              "\"l2_bytes\": %d, \"cuda_driver\": %d, \"cuda_runtime\": %d}}\n",
              warm_ ? "warm" : "cold", jsonText(device_.name).c_str(), device_.processors,
              device_.major, device_.minor, device_.clockKilohertz / 1000,
              device_.memoryClockKilohertz / 1000, device_.l2Bytes, device_.driver,
              device_.runtime);
  std::fflush(stdout);
}

void Board::print(const Column &column) const {
  std::string line = "{\"column\": " + jsonText(column.name) + ", \"how\": " + jsonText(column.how);
  if (!column.failure.empty()) {
    line += ", \"failure\": " + jsonText(column.failure);
  } else {
    std::vector<double> sorted = column.times;
    std::sort(sorted.begin(), sorted.end());
    double median = quantile(sorted, 0.5);
    line += ", \"median_ms\": " + number(median) + ", \"min_ms\": " + number(sorted.front()) +
            ", \"max_ms\": " + number(sorted.back()) +
            ", \"spread\": " + number((quantile(sorted, 0.75) - quantile(sorted, 0.25)) / median) +
            ", \"repeats\": " + std::to_string(sorted.size()) +
            ", \"right\": " + (column.right ? "true" : "false") +
            ", \"error\": " + number(column.error) +
            ", \"tolerance\": " + number(checks_.empty() ? 0 : checks_[0].tolerance) +
            ", \"measure\": " + jsonText(checks_.empty() ? "" : checks_[0].measure);
  }
  std::printf("%s}\n", line.c_str());
  std::fflush(stdout);
}

int guarded(const std::function<int()> &body) {
  try {
    return body();
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}

} // namespace board
