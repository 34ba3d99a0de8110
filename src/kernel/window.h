// Windows: sections of arrays that a thread keeps in a variable of its own while some code runs.
// One access moves several neighbouring elements, and an element that several points read is loaded
// once.
#pragma once
#include "ir/tree.h"

namespace nw {

// A window around `body`, in which the variable `name` stands for `extents` elements of an array
// from `origin` on. An access moves up to `section.unit` elements; `phase` is how far the first
// element lies behind a multiple of as many.
StmtP window(std::string name, ExprP origin, std::vector<int64_t> extents, Section section,
             int64_t phase, StmtP body);
int64_t phaseOf(const Stmt &window);

// Elements of a row that are moved together: where they begin and how many they are.
struct WindowPart {
  int64_t first, count;
};
std::vector<WindowPart> partsOf(const Stmt &window);

// A[e][f] from the outermost subscript on; nothing where there are members in between.
std::optional<std::vector<ExprP>> subscriptsOf(const ExprP &element);
// The element of a window's array that lies `offsets` behind its first.
ExprP elementOf(const Stmt &window, const std::vector<ExprP> &offsets);
// The element of the window's variable.
ExprP elementOfVariable(const Stmt &window, const std::vector<ExprP> &offsets);

// The same in plain statements: a variable, loops that load and store its elements one by one.
StmtP withoutWindow(const StmtP &window);

} // namespace nw
