// Copies between memory and shared memory: the threads of a block share out the positions of a box.
// (affine, share; lite for stores)
#pragma once
#include "kernel/kernel.h"

namespace nw {

// to = from at all positions, where `isThere` holds; null: everywhere. One of the two may be a
// variable of the threads' own, as long as one thread takes positions: then each has as many.
StmtP boxCopy(std::string name, Type counterType, std::vector<int64_t> extents, BoxCopy how,
              ExprP to, ExprP from, ExprP isThere);

// What is wrong with the copy by itself, in words that follow its name; nothing where all is well:
// both sides are elements, or one of them registers; sizes divide.
std::string wrongCopy(const Stmt &copy);

// What its expansion declares.
std::vector<std::string> namesOf(const Stmt &copy);

// The positions of a box.
int64_t positionsOf(const std::vector<int64_t> &extents);

// The code in plain statements: loops over the positions that a thread takes. The same code where
// there are no copies; wrong ones stay.
StmtP withoutCopies(const StmtP &code);
Kernel withoutCopies(Kernel kernel);

} // namespace nw
