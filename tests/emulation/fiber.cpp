// Fibers by boost.context.
#include "fiber.h"
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

// There only in programs that are linked with AddressSanitizer.
extern "C" {
__attribute__((weak)) void __sanitizer_start_switch_fiber(void **fakeStack, const void *bottom,
                                                          size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void *fakeStack, const void **bottom,
                                                           size_t *size);
}

namespace emulation {

using namespace boost::context::detail;

namespace {
constexpr size_t kStack = 256 * 1024,
                 kGuard = 64 * 1024; // the guard is a multiple of any page size
}

Fiber::Fiber() {
  stack = (char *)mmap(nullptr, kGuard + kStack, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED || mprotect(stack, kGuard, PROT_NONE)) {
    std::perror("emulation: no stack for a thread");
    std::abort();
  }
}

Fiber::~Fiber() { munmap(stack, kGuard + kStack); }

void Fiber::prepare(void (*run)(void *), void *with) {
  body = run;
  argument = with;
  inside = make_fcontext(stack + kGuard + kStack, kStack, &Fiber::start);
  insideFakeStack = nullptr;
}

void Fiber::start(transfer_t from) {
  Fiber *self = static_cast<Fiber *>(from.data);
  self->outside = from.fctx;
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(nullptr, &self->outsideStack, &self->outsideSize);
  self->body(self->argument);
  self->leave(true);
}

void Fiber::enter() {
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(&outsideFakeStack, stack + kGuard, kStack);
  inside = jump_fcontext(inside, this).fctx;
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(outsideFakeStack, nullptr, nullptr);
}

void Fiber::leave(bool forever) {
  if (__sanitizer_start_switch_fiber)
    __sanitizer_start_switch_fiber(forever ? nullptr : &insideFakeStack, outsideStack, outsideSize);
  outside = jump_fcontext(outside, nullptr).fctx;
  if (__sanitizer_finish_switch_fiber)
    __sanitizer_finish_switch_fiber(insideFakeStack, &outsideStack, &outsideSize);
}

} // namespace emulation
