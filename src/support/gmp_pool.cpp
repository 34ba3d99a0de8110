// Blocks of a limb or two, cut from larger ones and kept for good. What a thread frees, it uses
// again itself.
#include "support/gmp_pool.h"
#include <cstdlib>
#include <cstring>
#include <gmp.h>

namespace nw {
namespace {

constexpr size_t kSmall = 2 * sizeof(mp_limb_t);
constexpr size_t kBlocks = 4096; // that are cut from one

union Block {
  Block *next; // of the free ones
  char bytes[kSmall];
};

struct Pool {
  Block *free = nullptr;
  Block *uncut = nullptr, *end = nullptr;
};

thread_local Pool pool;

void *checked(void *memory) {
  if (!memory)
    std::abort(); // as GMP does by itself
  return memory;
}

void *allocate(size_t size) {
  if (size > kSmall)
    return checked(std::malloc(size));
  if (Block *block = pool.free) {
    pool.free = block->next;
    return block;
  }
  if (pool.uncut == pool.end) {
    pool.uncut = static_cast<Block *>(checked(std::malloc(kBlocks * sizeof(Block))));
    pool.end = pool.uncut + kBlocks;
  }
  return pool.uncut++;
}

void release(void *memory, size_t size) {
  if (size > kSmall)
    return std::free(memory);
  Block *block = static_cast<Block *>(memory);
  block->next = pool.free;
  pool.free = block;
}

void *resize(void *memory, size_t before, size_t after) {
  if (before <= kSmall && after <= kSmall)
    return memory;
  if (before > kSmall && after > kSmall)
    return checked(std::realloc(memory, after));
  void *moved = allocate(after);
  std::memcpy(moved, memory, before < after ? before : after);
  release(memory, before);
  return moved;
}

} // namespace

void poolIntegers() {
#ifdef NESTWARP_SANITIZED // AddressSanitizer is to see every block
  constexpr bool isPooled = false;
#else
  constexpr bool isPooled = true;
#endif
  if (isPooled)
    mp_set_memory_functions(allocate, resize, release);
}

} // namespace nw
