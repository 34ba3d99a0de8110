// A word about plans that were found by measuring.
#pragma once
#include "driver/pipeline.h"

namespace nw {

// Says on stderr which regions have plans that were found by measuring.
void sayTuned(const Compilation &compilation);

} // namespace nw
