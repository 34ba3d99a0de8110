// Instructions of loops as the compiler wrote them, read off its PTX (principles takes the mix of
// its inner loops from there).
//
// PTX is not yet what is executed: addresses of 64 bits are counted as the two instructions that
// they become, copies and arguments as none. How often a loop runs is not in the text; inner_loop.h
// brings it together with the kernel's tree.
#pragma once
#include "analysis/instruction_mix.h"
#include <map>
#include <string>
#include <vector>

namespace nw {

// For each kernel of the text the bodies of its innermost loops, in the order of the text.
std::map<std::string, std::vector<InstructionMix>> innermostLoopsOfPtx(const std::string &text);

} // namespace nw
