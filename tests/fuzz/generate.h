// Random affine programs without undefined behaviour, from one seed.
#pragma once
#include "analyse.h"
#include "random.h"

namespace nw::fuzz {

// The program is valid: analyse finds no problem in it.
Program generate(uint64_t seed, const std::string &name);

} // namespace nw::fuzz
