// Runs compact code: one thread's statements straight through, or a group of threads step by step
// where barriers stand between them.
#pragma once
#include "verify/checks/promises.h"
#include "verify/interpreter/code.h"

namespace nw {

// Why a run ends before its end.
struct Undefined { // the original does what C does not define
  std::string what;
};
struct Enough {}; // so many findings that more would not help

// An array that code refers to, bound to memory for a run or a launch.
struct BoundArray {
  std::string name;
  PagedArray *memory = nullptr;
  std::vector<PagedArray> ofBlocks; // shared: one for each block of the group
  const InputData *data = nullptr;  // what elements hold before they are written
  bool isFilled = false;            // they hold it indeed; else they are not set
  bool isReadOnly = false;
  int64_t low = INT64_MIN, high = INT64_MAX; // slots that exist
  std::vector<int64_t> strides,
      extents; // of dimensions, in slots and subscripts; extents -1: not checked
  int64_t first = INT64_MAX, last = INT64_MIN; // slots that were touched
};

struct Thread {
  Word *frame = nullptr;
  uint8_t *isSet = nullptr;
  int32_t number = 0, block = 0; // in the launch
  int64_t coordinates[15] = {};
};

// Findings of a run, each said once for each array.
class FindingLog {
public:
  void add(const std::string &check, const std::string &subject, const std::string &what);
  std::vector<Finding> all;
  std::string where; // the kernel that runs

private:
  std::vector<std::string> seen;
};

class Executor {
public:
  Executor(const Code &code, Arithmetic arithmetic, int64_t &steps, int64_t stepLimit,
           FindingLog *log)
      : code(code), arithmetic(arithmetic), steps(steps), stepLimit(stepLimit), log(log) {}

  enum class Flow : uint8_t { Normal, Break, Continue, Return };

  void use(Thread &thread) { t = &thread; }
  Word eval(int32_t node);
  bool holds(int32_t condition) { return eval(condition).integer != 0; }
  Flow exec(int32_t stmt);
  // Copies `count` slots between an lvalue and the frame of another thread or of the host.
  void readLValue(int32_t lvalue, Word *values, uint8_t *isSet, int count);

  // One thread of a kernel without barriers.
  void execAlone(int32_t stmt, Thread &thread, int threadsInBlock) {
    t = &thread;
    inBlock = threadsInBlock;
    firstBlock = thread.block;
    exec(stmt);
  }
  // All threads of a group together; barriers order their accesses.
  void execGroup(int32_t stmt, std::vector<Thread> &threads, int threadsInBlock);

  std::vector<BoundArray> arrays;
  uint32_t gridEpoch = 1;

private:
  struct Reached {
    bool inFrame;
    int64_t slot; // in the frame or in the array
    int32_t array;
    bool isOutside = false; // of a dimension, which was said already
  };

  Reached reach(int32_t lvalue);
  Word load(int32_t lvalue);
  void store(int32_t lvalue, Word value);
  void copy(const StmtNode &n);
  Cell *cell(const Reached &lvalue, int64_t offset, bool isWrite);
  void noteRead(const BoundArray &a, int64_t slot, Cell &c);
  void noteWrite(const BoundArray &a, int64_t slot, Cell &c);
  Word arithmeticOf(const ExprNode &n);
  Word integerOf(const ExprNode &n, int64_t a, int64_t b);
  Word numberOf(const ExprNode &n);
  Word mathOf(const ExprNode &n);
  Word callOf(const ExprNode &n);
  Word cast(const ExprNode &n);
  bool compare(const ExprNode &n);
  // Something that C does not define: the end of the original, a finding of a kernel.
  void undefined(const char *check, const std::string &subject, const std::string &what);
  void count(int64_t weight) {
    steps += weight;
    if (steps > stepLimit)
      throw Exhausted{};
  }
  Flow loop(const StmtNode &n);

  using Group = std::vector<int32_t>;
  void together(int32_t stmt, Group &active);
  void togetherFor(const StmtNode &n, Group &active);
  void togetherWhile(const StmtNode &n, Group &active);
  void barrier(const StmtNode &n, const Group &active);
  void reduce(const StmtNode &n, const Group &active);
  void keepRunning(Group &active);

  const Code &code;
  Arithmetic arithmetic;
  int64_t &steps;
  int64_t stepLimit;
  FindingLog *log; // null: the original runs
  Thread *t = nullptr;
  std::vector<Thread> *group = nullptr;
  std::vector<Flow> flows;
  std::vector<uint32_t> blockEpochs = {1};
  int inBlock = 1;
  int32_t firstBlock = 0;
  Cell nowhere;
  PromiseRecord promises; // of the original
};

} // namespace nw
