// How many instructions one node of a tree becomes, by class: what device compilers make of C's
// operators and of the functions of math.h. Read off their output for sm_90 and rounded; an
// estimate, held against nothing but times.
#pragma once
#include "analysis/instruction_mix.h"
#include "ir/tree.h"

namespace nw {

// Of a binary or unary operator, a cast, a selection, min, max or a division by a constant;
// operands not included.
InstructionMix costOfNode(const Expr &e);
bool isRotation(const Expr &e);
// Of a function of math.h.
InstructionMix costOfFunction(const std::string &name, bool isDouble);
// One operation on floating-point numbers: `fused` multiply-add, or else the operator.
InstructionMix costOfFloat(const std::string &op, bool fused, bool isDouble);

} // namespace nw
