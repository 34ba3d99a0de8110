// Loops that threads share out from the beginning of a line of memory on, as loops that they share
// out from the first value on.
#pragma once
#include "kernel/kernel.h"

namespace nw {

// A row of `width` threads has  begin = first + local.x - (e & (width - 1));  if (begin >= first &&
// begin < end) body(begin); for (j = begin + width; j < end; j += width) body(j), where e is the
// same for all of them: together they take each value from `first` on once, as in  for (j = first +
// local.x; j < end; j += width) body(j), whichever thread takes it. Where anything differs from
// that, the code stays as it is, and will not be understood.
StmtP withoutLineBegins(const Kernel &kernel, const StmtP &body);

} // namespace nw
