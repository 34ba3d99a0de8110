// What the compiler calls when it is told to instrument for threads and coverage (run_on_cpu.py,
// count=True): before each access to memory that is not a local variable, and in each basic block.
// A thread stops there until the lanes of its warp do the same; see runInStep in scheduler.cpp.
#include "threads.h"

namespace emulation {

bool counting = false;

SchedulePosition placeOf(const char *address) {
  for (const Area &a : areas())
    if (address >= a.memory && address < a.memory + a.bytes)
      return {Space::Global, a.name, a.memory};
  for (const SharedArray &a : current->block->arrays)
    if (address >= a.memory && address < a.memory + a.bytes)
      return {Space::Shared, a.name, a.memory};
  return {};
}

namespace {

// How deep in calls the caller of a hook is, by what is on its stack. (Counting entries of
// functions would come too late: the first block of a function is reported before its entry.)
#define NESTWARP_DEPTH                                                                             \
  (current ? current->stackTop - static_cast<const char *>(__builtin_dwarf_cfa()) : 0)

void stop(const void *place, long depth, const volatile void *address, unsigned bytes,
          AccessKind kind, bool writes) {
  if (!current)
    return;
  char *at = static_cast<char *>(const_cast<void *>(address));
  if (bytes && placeOf(at).space == Space::Local)
    return;
  current->stop = {place, depth, at, bytes, kind, writes};
  current->state = State::Stopped;
  current->fiber.leave();
}

} // namespace

void access(const volatile void *address, unsigned bytes, AccessKind kind) {
  if (counting)
    stop(__builtin_return_address(0), NESTWARP_DEPTH, address, bytes, kind,
         kind == AccessKind::Store);
}

void atomicAccess(const volatile void *address, unsigned bytes) {
  if (counting)
    stop(__builtin_return_address(0), NESTWARP_DEPTH, address, bytes, AccessKind::Atomic, true);
}

} // namespace emulation

using namespace emulation;

extern "C" {
void __tsan_init() { counting = true; }
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __sanitizer_cov_trace_pc() {
  stop(__builtin_return_address(0), NESTWARP_DEPTH, nullptr, 0, AccessKind::Load, false);
}

#define NESTWARP_HOOK(name, bytes, kind, writes)                                                   \
  void __tsan_##name(void *p) {                                                                    \
    stop(__builtin_return_address(0), NESTWARP_DEPTH, p, bytes, AccessKind::kind, writes);         \
  }
#define NESTWARP_HOOKS(bytes)                                                                      \
  NESTWARP_HOOK(read##bytes, bytes, Load, false)                                                   \
  NESTWARP_HOOK(write##bytes, bytes, Store, true)                                                  \
  NESTWARP_HOOK(unaligned_read##bytes, bytes, Load, false)                                         \
  NESTWARP_HOOK(unaligned_write##bytes, bytes, Store, true)                                        \
  NESTWARP_HOOK(volatile_read##bytes, bytes, Atomic, false)                                        \
  NESTWARP_HOOK(volatile_write##bytes, bytes, Atomic, true)                                        \
  NESTWARP_HOOK(unaligned_volatile_read##bytes, bytes, Atomic, false)                              \
  NESTWARP_HOOK(unaligned_volatile_write##bytes, bytes, Atomic, true)
NESTWARP_HOOKS(1)
NESTWARP_HOOKS(2)
NESTWARP_HOOKS(4)
NESTWARP_HOOKS(8)
NESTWARP_HOOKS(16)
void __tsan_read_range(void *p, unsigned long bytes) {
  stop(__builtin_return_address(0), NESTWARP_DEPTH, p, bytes, AccessKind::Load, false);
}
void __tsan_write_range(void *p, unsigned long bytes) {
  stop(__builtin_return_address(0), NESTWARP_DEPTH, p, bytes, AccessKind::Store, true);
}
void __tsan_vptr_update(void **, void *) {}
}
