// Scalars that every iteration sets before it reads them get a copy per iteration, as if declared
// in the loop.
#pragma once
#include "ir/program.h"

namespace nw {

// The program with such scalars made private; bodies are renamed where one scalar served several
// purposes.
Program privatize(Program program);

} // namespace nw
