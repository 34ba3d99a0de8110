// What the accesses of warps cost: sectors of global memory, and cycles of shared memory.
//
// Parameters, from the environment: NESTWARP_EMULATION_SEGMENT (bytes of a sector, 32),
// NESTWARP_EMULATION_BANKS (32), NESTWARP_EMULATION_BANK_BYTES (4). The table is written to
// NESTWARP_EMULATION_COUNTS at the end, as JSON.
#include "threads.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

namespace emulation {

namespace {

struct Count {
  long long accesses = 0, cost = 0, ideal = 0; // of warps; sectors or cycles
};

using Key = std::tuple<std::string, std::string, Space, AccessKind>; // kernel, array
std::map<Key, Count> &counts() {
  static std::map<Key, Count> &all = *new std::map<Key, Count>;
  return all;
}

int setting(const char *name, int otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

// Different segments that the lanes touch; at best as many as the different bytes fill.
void countSegments(const std::vector<Thread *> &lanes, Count &count) {
  static const uintptr_t segment = setting("NESTWARP_EMULATION_SEGMENT", 32);
  std::set<uintptr_t> segments, bytes;
  for (const Thread *t : lanes)
    for (unsigned k = 0; k < t->stop.bytes; k++) {
      bytes.insert(uintptr_t(t->stop.address) + k);
      segments.insert((uintptr_t(t->stop.address) + k) / segment);
    }
  count.cost += segments.size();
  count.ideal += (bytes.size() + segment - 1) / segment;
}

// A bank delivers one word in a cycle, to all lanes that want it. Lanes that access two words are
// served by halves of the warp, those that access four by quarters.
void countCycles(const std::vector<Thread *> &lanes, const char *base, Count &count) {
  static const int banks = setting("NESTWARP_EMULATION_BANKS", 32),
                   width = setting("NESTWARP_EMULATION_BANK_BYTES", 4);
  int words = std::max<int>(1, lanes[0]->stop.bytes / width),
      together = std::max(1, warpSize / words);
  std::map<int, std::map<int, std::set<long>>> turns; // turn, bank: words
  for (const Thread *t : lanes)
    for (unsigned k = 0; k < t->stop.bytes; k++) {
      long word = (t->stop.address + k - base) / width;
      turns[int(t->number % warpSize) / together][int(word % banks)].insert(word);
    }
  for (auto &[turn, wanted] : turns) {
    size_t cycles = 0;
    for (auto &[bank, different] : wanted)
      cycles = std::max(cycles, different.size());
    count.cost += cycles;
    count.ideal++;
  }
}

void print(std::FILE *file) {
  static const char *const kKinds[] = {"load", "store", "atomic"};
  const char *separator = "";
  std::fprintf(file, "[");
  for (auto &[key, count] : counts()) {
    auto &[kernel, array, space, kind] = key;
    bool shared = space == Space::Shared;
    std::fprintf(file,
                 "%s\n  {\"kernel\": \"%s\", \"array\": \"%s\", \"space\": \"%s\", \"access\": "
                 "\"%s\", \"warp_accesses\": %lld, ",
                 separator, kernel.c_str(), array.c_str(), shared ? "shared" : "global",
                 kKinds[int(kind)], count.accesses);
    if (shared)
      std::fprintf(file, "\"cycles\": %lld, \"conflict_cycles\": %lld}", count.cost,
                   count.cost - count.ideal);
    else
      std::fprintf(file, "\"transactions\": %lld, \"ideal_transactions\": %lld}", count.cost,
                   count.ideal);
    separator = ",";
  }
  std::fprintf(file, "\n]\n");
}

struct AtExit {
  ~AtExit() {
    const char *path = std::getenv("NESTWARP_EMULATION_COUNTS");
    if (!path || !counting)
      return;
    std::FILE *file = std::string(path) == "-" ? stderr : std::fopen(path, "w");
    if (!file) {
      std::perror(path);
      return;
    }
    print(file);
    if (file != stderr)
      std::fclose(file);
  }
} atExit;

} // namespace

void nameAreas(const Kernel &kernel, void **arguments) {
  for (Area &a : areas())
    a.name = "(not a parameter)";
  std::string names = kernel.parameters;
  for (int k = 0; !names.empty(); k++) {
    size_t comma = names.find(", ");
    std::string name = names.substr(0, comma);
    names = comma == std::string::npos ? "" : names.substr(comma + 2);
    if (kernel.pointers >> k & 1)
      for (Area &a : areas())
        if (char *p = *static_cast<char **>(arguments[k]);
            p >= a.memory && p < a.memory + a.bytes && a.name[0] == '(')
          a.name = name;
  }
}

void record(const std::vector<Thread *> &lanes) {
  const Stop &stop = lanes[0]->stop;
  current = lanes[0];
  SchedulePosition place = placeOf(stop.address);
  current = nullptr;
  Count &count = counts()[{currentKernel->name, place.array, place.space, stop.kind}];
  for (Thread *t : lanes)
    checkRaces(*t, place);
  count.accesses++;
  if (place.space == Space::Shared)
    countCycles(lanes, place.base, count);
  else
    countSegments(lanes, count);
}

} // namespace emulation
