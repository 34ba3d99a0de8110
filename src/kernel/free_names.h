// Names that a kernel's code takes from outside.
#pragma once
#include "ir/tree.h"
#include <map>

namespace nw {

// Variables that are used but not declared in the code, with their types. Names are looked up where
// they stand: a variable of an inner block does not hide an outer use.
std::map<std::string, Type> freeNames(const StmtP &code);

} // namespace nw
