// The parts of the check 'keep', one by one.
#pragma once
#include "kernel/kernel.h"

namespace nw {

// Why elements may not be in registers while the loop runs, in words that follow "registers";
// nothing where they may. `kernel` is the code around, with the loops as they are.
std::string illegalKeep(const Stmt &keep, const StmtP &kernel);

// In what the code differs from the kernel's but for registers in place of what its Keeps keep;
// nothing where it computes the same.
std::string wrongRegisters(const Kernel &kernel, const StmtP &code);

// Whether the statements are the same but for what is inside of them.
bool areSameOutside(const Stmt &a, const Stmt &b);

} // namespace nw
