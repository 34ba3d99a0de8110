// A fiber with a stack of its own, and what AddressSanitizer has to know about it.
#pragma once
#include <boost/context/detail/fcontext.hpp>
#include <cstddef>

namespace emulation {

class Fiber {
public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber &) = delete;

  // Prepares the fiber to run `body(argument)` from the start.
  void prepare(void (*body)(void *), void *argument);
  // Runs the fiber until it leaves. To be called outside of fibers.
  void enter();
  // Goes back to where the fiber was entered; `forever` when it has ended.
  void leave(bool forever = false);

private:
  static void start(boost::context::detail::transfer_t from);

  char *stack;
  void (*body)(void *) = nullptr;
  void *argument = nullptr;
  boost::context::detail::fcontext_t inside = nullptr, outside = nullptr;
  void *insideFakeStack = nullptr, *outsideFakeStack = nullptr;
  const void *outsideStack = nullptr;
  size_t outsideSize = 0;
};

} // namespace emulation
