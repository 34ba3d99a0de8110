// Blocks and their threads: who runs next, and what is wrong when nobody can.
#include "threads.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace emulation {

Thread *current;
const Kernel *currentKernel;
Statistics statistics;

namespace {

constexpr int kPatience = 1000; // rounds in which threads only watch memory

std::map<const void *, Kernel> &kernels() {
  static std::map<const void *, Kernel> all;
  return all;
}

std::mt19937 &randomNumbers() {
  static std::mt19937 engine(order());
  return engine;
}

template <class T> void reorder(std::vector<T> &items) {
  if (order() == 1)
    std::reverse(items.begin(), items.end());
  else if (order() > 1)
    std::shuffle(items.begin(), items.end(), randomNumbers());
}

std::string place(uint3 i) {
  return "(" + std::to_string(i.x) + "," + std::to_string(i.y) + "," + std::to_string(i.z) + ")";
}

void resume(Thread &t) {
  current = &t;
  threadIdx = t.index;
  blockIdx = t.block->index;
  t.state = State::Ready;
  t.fiber.enter();
  current = nullptr;
}

// Leaves the running thread in a state; returns when it is resumed.
void wait(State state) {
  Thread &self = *current;
  self.state = state;
  self.fiber.leave();
}

// ---- operations of a warp

std::pair<size_t, size_t> warpOf(const Thread &t) {
  size_t begin = t.number / warpSize * warpSize;
  return {begin, std::min(begin + warpSize, t.block->threads.size())};
}

// Ends the operation that `t` waits in, if all of its lanes that are alive have come.
void tryToMeet(Thread &t) {
  auto [begin, end] = warpOf(t);
  Meeting m = {};
  std::memset(m.value, 0xa5, sizeof m.value);
  for (size_t k = begin; k < end; k++) {
    Thread &other = *t.block->threads[k];
    if (!(t.mask >> (k - begin) & 1) || other.state == State::Done)
      continue;
    if (other.state != State::InWarp || other.line != t.line || other.mask != t.mask)
      return;
    m.lanes |= 1u << (k - begin);
    m.value[k - begin] = other.value;
  }
  std::vector<Thread *> there;
  for (size_t k = begin; k < end; k++)
    if (m.lanes >> (k - begin) & 1)
      there.push_back(t.block->threads[k]);
  for (Thread *other : there) {
    other->meeting = m;
    other->state = State::Ready;
  }
  happenTogether(there);
}

void run(void *argument) {
  Thread &self = *current;
  self.stackTop = static_cast<const char *>(__builtin_frame_address(0));
  currentKernel->call(currentKernel->function, static_cast<void **>(argument));
  waitForCopies(0);
  self.state = State::Done;
  auto [begin, end] = warpOf(self);
  for (size_t k = begin; k < end; k++)
    if (self.block->threads[k]->state == State::InWarp)
      tryToMeet(*self.block->threads[k]);
}

// ---- blocks

// Lets the lanes of a warp run in step: always those that are deepest in calls and first in the
// text, so that lanes meet again behind a branch or loop. Each access of theirs is recorded as one
// access of the warp.
void runInStep(Block &b, size_t begin, size_t end) {
  std::vector<Thread *> lanes;
  for (;;) {
    for (size_t k = begin; k < end; k++) // released by an operation of the warp
      if (b.threads[k]->state == State::Ready)
        resume(*b.threads[k]);
    const Stop *first = nullptr;
    for (size_t k = begin; k < end; k++)
      if (const Thread &t = *b.threads[k]; t.state == State::Stopped)
        if (!first || t.stop.depth > first->depth ||
            (t.stop.depth == first->depth && t.stop.place < first->place))
          first = &t.stop;
    if (!first)
      return;
    Stop chosen = *first;
    lanes.clear();
    for (size_t k = begin; k < end; k++)
      if (Thread &t = *b.threads[k];
          t.state == State::Stopped && t.stop.depth == chosen.depth && t.stop.place == chosen.place)
        lanes.push_back(&t);
    if (chosen.bytes)
      record(lanes);
    for (Thread *t : lanes)
      resume(*t);
  }
}

size_t count(const Block &b, State state) {
  return std::count_if(b.threads.begin(), b.threads.end(),
                       [&](const Thread *t) { return t->state == state; });
}

// Where the threads of a block are, for reports.
std::string whereabouts(const Block &b) {
  std::map<std::string, std::pair<size_t, const Thread *>> groups;
  for (const Thread *t : b.threads) {
    std::string where = t->state == State::AtBarrier
                            ? "wait at the barrier of line " + std::to_string(t->line)
                        : t->state == State::InWarp
                            ? "wait at the warp operation of line " + std::to_string(t->line)
                        : t->state == State::Spinning ? "watch memory that nobody changes"
                                                      : "have returned";
    auto &group = groups[where];
    if (group.first++ == 0)
      group.second = t;
  }
  std::string text;
  for (auto &[where, group] : groups)
    text += "\n  " + std::to_string(group.first) + " of " + std::to_string(b.threads.size()) +
            " threads " + where + ", first " + place(group.second->index);
  return text;
}

// Releases a barrier that all threads have come to. What is no such barrier is a mistake.
bool tryBarrier(Block &b) {
  size_t waiting = count(b, State::AtBarrier), done = count(b, State::Done);
  if (waiting == 0 || waiting + done < b.threads.size())
    return false;
  int line = 0;
  b.votes = {};
  for (const Thread *t : b.threads)
    if (t->state == State::AtBarrier) {
      line = line ? line : t->line;
      if (done || t->line != line)
        mistake("barrier divergence in block %s:%s", place(b.index).c_str(),
                whereabouts(b).c_str());
      b.votes.all++;
      b.votes.yes += t->vote;
    }
  for (Thread *t : b.threads)
    t->state = State::Ready;
  happenTogether(b.threads);
  return true;
}

// Runs every thread that can run until it waits. Returns whether anything but watching happened.
bool runOnce(Block &b) {
  bool progress = false;
  std::vector<Thread *> ready;
  for (Thread *t : b.threads)
    if (t->state == State::Ready || t->state == State::Spinning)
      ready.push_back(t);
  reorder(ready);
  for (Thread *t : ready) {
    resume(*t);
    progress |= t->state != State::Spinning;
  }
  for (size_t k = 0; k < b.threads.size(); k += warpSize)
    runInStep(b, k, std::min(k + warpSize, b.threads.size()));
  return tryBarrier(b) || progress;
}

// Fibers are kept for the next block.
std::vector<std::unique_ptr<Thread>> &idle() {
  static std::vector<std::unique_ptr<Thread>> threads;
  return threads;
}

std::unique_ptr<Block> makeBlock(uint3 index, unsigned number, dim3 size, void **arguments,
                                 size_t dynamicBytes) {
  auto b = std::make_unique<Block>();
  b->index = index;
  b->number = number;
  b->dynamicBytes = dynamicBytes;
  for (unsigned z = 0; z < size.z; z++)
    for (unsigned y = 0; y < size.y; y++)
      for (unsigned x = 0; x < size.x; x++) {
        if (idle().empty())
          idle().push_back(std::make_unique<Thread>());
        Thread *t = idle().back().release();
        idle().pop_back();
        t->block = b.get();
        t->number = b->threads.size();
        t->index = {x, y, z};
        t->state = State::Ready;
        t->ordering = {};
        t->copies.clear();
        t->groups.clear();
        t->fiber.prepare(run, arguments);
        b->threads.push_back(t);
      }
  return b;
}

void runTogether(std::vector<std::unique_ptr<Block>> blocks) {
  int idleRounds = 0;
  while (!blocks.empty()) {
    bool progress = false;
    for (auto &b : blocks)
      progress |= runOnce(*b);
    bool watching = std::any_of(blocks.begin(), blocks.end(),
                                [](auto &b) { return count(*b, State::Spinning) > 0; });
    idleRounds = progress ? 0 : idleRounds + 1;
    if (idleRounds > (watching ? kPatience : 0))
      for (auto &b : blocks)
        if (count(*b, State::Done) < b->threads.size())
          mistake("deadlock in block %s:%s", place(b->index).c_str(), whereabouts(*b).c_str());
    blocks.erase(
        std::remove_if(blocks.begin(), blocks.end(),
                       [](auto &b) { return count(*b, State::Done) == b->threads.size(); }),
        blocks.end());
    reorder(blocks);
  }
}

} // namespace

Block::~Block() {
  for (Thread *t : threads)
    idle().emplace_back(t);
  for (SharedArray &a : arrays)
    std::free(a.memory);
}

int order() {
  static const int seed = [] {
    const char *text = std::getenv("NESTWARP_EMULATION_SEED");
    return text ? std::atoi(text) : 0;
  }();
  return seed;
}

bool inKernel() { return current != nullptr; }

void mistake(const char *format, ...) {
  std::fflush(stdout);
  std::fprintf(stderr, "emulation: ");
  if (currentKernel)
    std::fprintf(stderr, "%s: ", currentKernel->name);
  if (current)
    std::fprintf(stderr, "block %s, thread %s: ", place(current->block->index).c_str(),
                 place(current->index).c_str());
  va_list list;
  va_start(list, format);
  std::vfprintf(stderr, format, list);
  va_end(list);
  std::fprintf(stderr, "\n");
  std::_Exit(kMistake);
}

void add(const Kernel &kernel) { kernels()[kernel.function] = kernel; }

const Kernel *find(const void *function) {
  auto k = kernels().find(function);
  return k == kernels().end() ? nullptr : &k->second;
}

void launch(const Kernel &kernel, dim3 grid, dim3 block, void **arguments, size_t dynamicBytes,
            bool cooperative) {
  long long count = 1ll * grid.x * grid.y * grid.z;
  long long threads = count * block.x * block.y * block.z;
  statistics.launches++;
  statistics.cooperative += cooperative;
  statistics.threads += threads;
  statistics.largest = std::max(statistics.largest, threads);
  currentKernel = &kernel;
  gridDim = grid;
  blockDim = block;
  if (counting) {
    nameAreas(kernel, arguments);
    racesBegin();
  }
  std::vector<long long> numbers(count);
  for (long long k = 0; k < count; k++)
    numbers[k] = k;
  reorder(numbers);
  std::vector<std::unique_ptr<Block>> blocks;
  for (long long k : numbers) {
    uint3 index = {unsigned(k % grid.x), unsigned(k / grid.x % grid.y),
                   unsigned(k / grid.x / grid.y)};
    blocks.push_back(makeBlock(index, unsigned(k), block, arguments, dynamicBytes));
    if (!cooperative) {
      runTogether(std::move(blocks));
      blocks.clear();
    }
  }
  runTogether(std::move(blocks));
  currentKernel = nullptr;
}

// ---- what running fibers call

void barrier(int line) { barrierVotes(line, false); }

Votes barrierVotes(int line, bool vote) {
  current->line = line;
  current->vote = vote;
  Thread &self = *current;
  wait(State::AtBarrier);
  return self.block->votes;
}

unsigned lane() { return current->number % warpSize; }

unsigned liveLanes() {
  unsigned mask = 0;
  auto [begin, end] = warpOf(*current);
  for (size_t k = begin; k < end; k++)
    mask |= unsigned(current->block->threads[k]->state != State::Done) << (k - begin);
  return mask;
}

const Meeting &meet(int line, unsigned mask, uint64_t value) {
  Thread &self = *current;
  if (!(mask >> lane() & 1))
    mistake("the mask 0x%x of the warp operation of line %d lacks the calling lane %u", mask, line,
            lane());
  self.line = line;
  self.mask = mask;
  self.value = value;
  self.state = State::InWarp;
  tryToMeet(self);
  if (self.state == State::InWarp)
    wait(State::InWarp);
  return self.meeting;
}

void spin() { wait(State::Spinning); }

void *sharedMemory(const char *name, int line, size_t bytes) {
  Block &b = *current->block;
  for (SharedArray &a : b.arrays)
    if (a.line == line && a.name == name)
      return a.memory;
  void *memory = nullptr;
  if (posix_memalign(&memory, 256, bytes ? bytes : 1))
    mistake("no memory for the shared array %s", name);
  std::memset(memory, 0xff, bytes);
  b.arrays.push_back({name, line, static_cast<char *>(memory), bytes});
  return memory;
}

void *dynamicShared() { return sharedMemory("(dynamic)", 0, current->block->dynamicBytes); }

} // namespace emulation
