// Makes a failing program smaller: statements, nests, guards, loops, subscripts and constants go as
// long as the failure stays.
#pragma once
#include "program.h"
#include <functional>

namespace nw::fuzz {

// `fails` tells whether a (valid) program still shows the failure. Stops when nothing smaller
// fails, or after the given number of seconds.
Program shrink(const Program &program, const std::function<bool(const Program &)> &fails,
               int seconds);

} // namespace nw::fuzz
