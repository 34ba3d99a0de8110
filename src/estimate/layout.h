// Sizes and offsets in memory: the natural layout, on which host and device agree.
#pragma once
#include "ir/region.h"

namespace nw {

int64_t bytesIn(const Region &region, const Type &type);
// Where a field begins in its struct, and the field; null where there is none of that name.
std::pair<int64_t, const Field *> offsetOfField(const Region &region, const Type &type,
                                                const std::string &name);

} // namespace nw
