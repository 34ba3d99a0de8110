// Races: two threads access the same byte, one of them writes, and nothing orders the two. Seen in programs that count
// accesses (run_on_cpu.py, count=True); NESTWARP_EMULATION_RACES=0 turns it off.
//
// Order comes from barriers of the block, and within a warp also from operations of the warp. Blocks of a plain launch are
// never ordered. Blocks of a cooperative one are taken to be unordered while they have passed equally many barriers: a
// race of blocks that stand apart is not seen. Atomic and volatile accesses do not race with each other.
#include "threads.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unordered_map>

namespace emulation {

namespace {

struct Event {
  const void *place = nullptr; // in the code; none: no event
  uint3 block = {}, thread = {};
  unsigned number = 0, phase = 0, meetings = 0;
  AccessKind kind = AccessKind::Load;
};

// The last write of a byte, the first read of the launch, and the last reads of two different threads.
struct History {
  Event write, firstRead, reads[2];
};

std::unordered_map<const char *, History> histories;
bool cooperativeGrid = false;

bool same(uint3 a, uint3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

bool isUnordered(const Event &a, const Event &b, Space space) {
  if (!a.place || !b.place || (a.kind == AccessKind::Atomic && b.kind == AccessKind::Atomic))
    return false;
  if (!same(a.block, b.block))
    return space == Space::Global && (!cooperativeGrid || a.phase == b.phase);
  if (a.number == b.number || a.phase != b.phase)
    return false;
  return a.number / warpSize != b.number / warpSize || a.meetings == b.meetings;
}

// "file:line" of a place in the code, as far as the debugger's information goes.
std::string lineOf(const void *place) {
  Dl_info info;
  if (!dladdr(place, &info) || !info.dli_fbase)
    return "?";
  char command[400], text[300] = "?";
  std::snprintf(command, sizeof command, "addr2line -e %s %#lx 2>/dev/null", info.dli_fname, (unsigned long)((const char *)place - (const char *)info.dli_fbase - 1));
  if (std::FILE *pipe = popen(command, "r")) {
    if (std::fgets(text, sizeof text, pipe))
      text[std::strcspn(text, "\n")] = 0;
    pclose(pipe);
  }
  return text;
}

std::string describe(const Event &e) {
  static const char *const kVerbs[] = {"reads", "writes", "changes atomically"};
  char text[300];
  std::snprintf(text, sizeof text, "thread (%u,%u,%u) of block (%u,%u,%u) %s it at %s", e.thread.x, e.thread.y, e.thread.z, e.block.x, e.block.y, e.block.z,
                kVerbs[int(e.kind)], lineOf(e.place).c_str());
  return text;
}

void check(const Event &before, const Event &now, const Place &place, const char *address) {
  if (isUnordered(before, now, place.space))
    mistake("race for byte %ld of %s:\n  %s\n  %s\n  and no barrier is in between", long(address - place.base), place.array.c_str(), describe(before).c_str(),
            describe(now).c_str());
}

} // namespace

void racesBegin(bool cooperative) {
  histories.clear();
  cooperativeGrid = cooperative;
}

void checkRaces(const Thread &t, const Place &place) {
  static const bool wanted = [] {
    const char *text = std::getenv("NESTWARP_EMULATION_RACES");
    return !text || *text != '0';
  }();
  if (!wanted)
    return;
  Event now{t.stop.place, t.block->index, t.index, t.number, t.block->phase, t.meetings, t.stop.kind};
  for (unsigned k = 0; k < t.stop.bytes; k++) {
    const char *address = t.stop.address + k;
    History &h = histories[address];
    check(h.write, now, place, address);
    if (now.kind != AccessKind::Load) {
      for (const Event *read : {&h.firstRead, &h.reads[0], &h.reads[1]})
        check(*read, now, place, address);
      h.write = now;
      continue;
    }
    if (!h.firstRead.place)
      h.firstRead = now;
    bool again = h.reads[0].place && h.reads[0].number == now.number && same(h.reads[0].block, now.block);
    if (!again)
      h.reads[1] = h.reads[0];
    h.reads[0] = now;
  }
}

} // namespace emulation
