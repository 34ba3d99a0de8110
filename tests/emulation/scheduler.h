// The threads of a grid on one CPU thread. Each CUDA thread is a fiber. It runs until it waits: at
// a barrier, at an operation of its warp, in a loop that watches memory, or (when accesses are
// counted) before each access.
//
// Between two such points the fibers of a block run one after the other, in an order that the
// environment chooses: NESTWARP_EMULATION_SEED = 0 forward (the default), 1 backward, others at
// random. So code that lacks a barrier computes something else in at least one of the orders. What
// cannot go on is reported, and the process ends with kMistake.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

// Those of the fiber that runs now.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

namespace emulation {

constexpr int kMistake = 70; // exit status after a report

// Prints a report that names the kernel, the block and the thread, and ends the process.
[[noreturn]] void mistake(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A kernel as the text defines it. `call` runs it with the arguments that `cudaLaunchKernel` takes.
struct Kernel {
  const char *name;
  const void *function;
  void (*call)(const void *function, void **arguments);
  const char *parameters;      // names, with commas between them
  unsigned long long pointers; // bit k: parameter k is a pointer
  int largestBlock;            // __launch_bounds__, or 0
};
void add(const Kernel &kernel);
const Kernel *find(const void *function);

// Runs a grid to its end. A cooperative one has all blocks alive at once, others one at a time.
void launch(const Kernel &kernel, dim3 grid, dim3 block, void **arguments, size_t dynamicBytes,
            bool cooperative);

int order(); // the seed
bool inKernel();

// ---- what running fibers call; `line` is where the text calls

void barrier(int line);
struct Votes {
  int yes, all;
};
Votes barrierVotes(int line, bool vote); // a barrier that counts the threads with a true vote

// The values that the lanes of a warp bring to one operation, and which lanes were there.
struct Meeting {
  uint64_t value[warpSize];
  unsigned lanes;
};
const Meeting &meet(int line, unsigned mask, uint64_t value);
unsigned lane();
unsigned liveLanes();

void fence(); // of all memory; see races.cpp

// Called in loops that do nothing but watch memory; lets others run.
void spin();

// Memory of the block for one declaration of the text: exact in size, so that ASan sees what is out
// of bounds, and full of ones at first.
void *sharedMemory(const char *name, int line, size_t bytes);
template <class T> T &shared(const char *name, int line) {
  return *static_cast<T *>(sharedMemory(name, line, sizeof(T)));
}
void *dynamicShared(); // what the launch asked for

// A copy that happens when its group is waited for (forward order: at once).
void copyAsync(void *to, const void *from, size_t bytes, size_t zeros);
void commitCopies();
void waitForCopies(unsigned youngest); // all groups but these

// Addresses of shared memory as instructions take them: 32 bits, and back.
size_t sharedAddress(const void *memory);
void *sharedPointer(uint64_t address);
// An instruction of inline assembly with its operands: asynchronous copies, nothing else so far.
void assembly(const char *instruction, std::initializer_list<uint64_t> operands);

} // namespace emulation
