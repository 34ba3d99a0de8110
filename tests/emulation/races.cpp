// Races: two threads access the same byte, one of them writes, and nothing orders the two. Seen in
// programs that count accesses (run_on_cpu.py, count=True); NESTWARP_EMULATION_RACES=0 turns it
// off.
//
// Order comes from barriers of a block, from operations of a warp, and across blocks from atomic or
// volatile accesses between fences: what came before a fence of the writer has happened before what
// comes behind a fence of the reader. Atomic and volatile accesses do not race with each other.
#include "threads.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <set>
#include <unordered_map>

namespace emulation {

namespace {

struct Event {
  const void *place = nullptr; // in the code; none: no event
  uint3 blockIndex = {}, threadIndex = {};
  unsigned block = 0, thread = 0, time = 0;
  AccessKind kind = AccessKind::Load;
};

// The last write of a byte, the first read of the launch, and the last reads of two different
// threads.
struct History {
  Event write, firstRead, reads[2];
};

std::unordered_map<const char *, History> histories;
std::unordered_map<const char *, ClockP> told; // by atomic writes, at each address

bool isWanted() {
  static const bool wanted = [] {
    const char *text = std::getenv("NESTWARP_EMULATION_RACES");
    return counting && (!text || *text != '0');
  }();
  return wanted;
}

bool sameThread(const Event &a, const Event &b) {
  return a.block == b.block && a.thread == b.thread;
}

bool isUnordered(const Event &before, const Event &now, const Thread &t, Space space) {
  if (!before.place || (before.kind == AccessKind::Atomic && now.kind == AccessKind::Atomic) ||
      sameThread(before, now))
    return false;
  if (space == Space::Shared &&
      before.block != now.block) // the same memory, given to another block later
    return false;
  return !t.ordering.known || !t.ordering.known->covers(before.block, before.thread, before.time);
}

ClockP joined(const ClockP &a, const ClockP &b) {
  if (!a || !b || a == b)
    return a ? a : b;
  auto both = std::make_shared<Clock>(*a);
  both->add(*b);
  return both;
}

// "file:line" of a place in the code, as far as the debugger's information goes.
std::string lineOf(const void *place) {
  Dl_info info;
  if (!dladdr(place, &info) || !info.dli_fbase)
    return "?";
  char command[400], text[300] = "?";
  std::snprintf(command, sizeof command, "addr2line -e %s %#lx 2>/dev/null", info.dli_fname,
                (unsigned long)((const char *)place - (const char *)info.dli_fbase - 1));
  if (std::FILE *pipe = popen(command, "r")) {
    if (std::fgets(text, sizeof text, pipe))
      text[std::strcspn(text, "\n")] = 0;
    pclose(pipe);
  }
  return text;
}

std::string describe(const Event &e) {
  static const char *const kVerbs[] = {"reads", "writes", "changes atomically"};
  char text[400];
  std::snprintf(text, sizeof text, "thread (%u,%u,%u) of block (%u,%u,%u) %s it at %s",
                e.threadIndex.x, e.threadIndex.y, e.threadIndex.z, e.blockIndex.x, e.blockIndex.y,
                e.blockIndex.z, kVerbs[int(e.kind)], lineOf(e.place).c_str());
  return text;
}

} // namespace

void racesBegin() {
  histories.clear();
  told.clear();
}

void happenTogether(const std::vector<Thread *> &threads) {
  if (!isWanted())
    return;
  auto all = std::make_shared<Clock>();
  std::set<ClockP> different;
  for (const Thread *t : threads) {
    if (t->ordering.known && different.insert(t->ordering.known).second)
      all->add(*t->ordering.known);
    all->add(t->block->number, t->number, t->ordering.time);
  }
  for (Thread *t : threads) {
    t->ordering.known = all;
    t->ordering.time++;
  }
}

void fence() {
  if (!isWanted())
    return;
  Ordering &o = current->ordering;
  o.known = joined(o.known, o.seen);
  auto released = o.known ? std::make_shared<Clock>(*o.known) : std::make_shared<Clock>();
  released->add(current->block->number, current->number, o.time);
  o.released = released;
  o.time++;
}

void checkRaces(Thread &t, const SchedulePosition &place) {
  if (!isWanted())
    return;
  const Stop &s = t.stop;
  Event now{s.place, t.block->index, t.index, t.block->number, t.number, t.ordering.time, s.kind};
  for (unsigned k = 0; k < s.bytes; k++) {
    const char *address = s.address + k;
    History &h = histories[address];
    auto check = [&](const Event &before) {
      if (isUnordered(before, now, t, place.space))
        mistake("race for byte %ld of %s:\n  %s\n  %s\n  and no barrier is in between",
                long(address - place.base), place.array.c_str(), describe(before).c_str(),
                describe(now).c_str());
    };
    check(h.write);
    if (s.writes) {
      for (const Event *read : {&h.firstRead, &h.reads[0], &h.reads[1]})
        check(*read);
      h.write = now;
      continue;
    }
    if (!h.firstRead.place)
      h.firstRead = now;
    if (!h.reads[0].place || !sameThread(h.reads[0], now))
      h.reads[1] = h.reads[0];
    h.reads[0] = now;
  }
  if (s.kind == AccessKind::Atomic) {
    ClockP &here = told[s.address];
    t.ordering.seen = joined(t.ordering.seen, here);
    if (s.writes)
      here = joined(here, t.ordering.released);
  }
}

} // namespace emulation
