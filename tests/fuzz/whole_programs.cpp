// The engines that run whole programs: PoCL by nestwarp cc, and the emulation of CUDA.
#include "engine.h"

namespace nw::fuzz {

std::vector<Verdict> tryByPocl(const std::vector<Program> &programs, const std::string &, Counts &) { return std::vector<Verdict>(programs.size()); }
std::vector<Verdict> tryByEmulation(const std::vector<Program> &programs, const std::string &, Counts &) { return std::vector<Verdict>(programs.size()); }

} // namespace nw::fuzz
