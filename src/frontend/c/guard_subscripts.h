// The user's file with every subscript guarded: what `nestwarp check` runs as the original. It
// computes the same, and tells the driver of a subscript outside of its array before memory there
// is touched.
#pragma once
#include "frontend/c/c_frontend.h"

namespace nw {

// The text, or nothing where the file has errors. Subscripts in macros are not guarded, nor are
// those into memory of which neither the type nor the driver says how large it is.
std::optional<std::string> guardSubscripts(const ParseRequest &request);

} // namespace nw
