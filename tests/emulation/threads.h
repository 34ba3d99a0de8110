// Threads and blocks as the scheduler keeps them; for the files of the emulation only.
#pragma once
#include "clock.h"
#include "fiber.h"
#include "scheduler.h"
#include <memory>
#include <string>
#include <vector>

namespace emulation {

enum class AccessKind { Load, Store, Atomic };

// Where a thread stands when accesses are counted: before an access, or at the begin of a basic
// block (no bytes).
struct Stop {
  const void *place = nullptr;
  long depth = 0; // bytes of the stack in use; with `place` it says which lanes of a warp run first
  char *address = nullptr;
  unsigned bytes = 0;
  AccessKind kind = AccessKind::Load;
  bool writes = false;
};

enum class State { Ready, Stopped, AtBarrier, InWarp, Spinning, Done };

struct Copy {
  void *to;
  const void *from;
  size_t bytes, zeros;
};

struct Block;

struct Thread {
  Fiber fiber;
  Block *block = nullptr;
  unsigned number = 0; // in the block
  uint3 index = {};
  State state = State::Ready;
  int line = 0; // where it waits
  bool vote = false;
  unsigned mask = 0;
  uint64_t value = 0;
  Meeting meeting = {};
  const char *stackTop = nullptr;
  Stop stop;
  Ordering ordering;
  std::vector<Copy> copies;
  std::vector<size_t> groups; // ends of committed groups in `copies`
};

struct SharedArray {
  std::string name;
  int line;
  char *memory;
  size_t bytes;
};

struct Block {
  uint3 index = {};
  unsigned number = 0; // in the grid
  std::vector<Thread *> threads;
  std::vector<SharedArray> arrays;
  size_t dynamicBytes = 0;
  Votes votes = {};

  ~Block();
};

extern Thread *current;
extern const Kernel *currentKernel;

// Memory of the device.
struct Area {
  char *memory = nullptr;
  size_t bytes = 0;
  std::string name; // of the parameter of the running kernel
};
std::vector<Area> &areas();

// What the program did, for NESTWARP_EMULATION_STATS=1.
struct Statistics {
  long long launches = 0, cooperative = 0, threads = 0, largest = 0;
  long long written = 0; // by <<< >>>
};
extern Statistics statistics;

// ---- hooks.cpp

extern bool counting; // whether the text was compiled with calls before its accesses

enum class Space { Local, Global, Shared };
struct SchedulePosition {
  Space space = Space::Local;
  std::string array;
  const char *base = nullptr;
};
SchedulePosition placeOf(const char *address); // as the running thread sees it
void access(const volatile void *address, unsigned bytes, AccessKind kind); // load or store

// ---- counting.cpp

void nameAreas(const Kernel &kernel,
               void **arguments); // arrays of device memory get the names of parameters
void record(const std::vector<Thread *> &lanes); // lanes of one warp, which do the same access now

// ---- races.cpp

void racesBegin();                                              // with a new kernel
void checkRaces(Thread &thread, const SchedulePosition &place); // before an access
void happenTogether(
    const std::vector<Thread *> &threads); // at a barrier, or an operation of a warp

} // namespace emulation
