// Copies whose loads move several elements at once, as if they moved one element after the other.
#pragma once
#include "ir/tree.h"

namespace nw {

struct WideCopy {
  StmtP single; // for (e = number; e < size; e += threads) { coordinates; copy[…] = array[…]; }
  StmtP window; // what one load moves
  ExprP first; // where a row of the box begins: the load's last subscript is this and a multiple of
               // the unit
  std::string registers; // that hold what was loaded
  int64_t count;         // of them
  const Stmt *in, *out;  // assignments to and from them
};

// `load` fills registers from memory, `store` writes them to the copy; nothing where they are of
// another shape or do not belong together.
std::optional<WideCopy> wideCopy(const StmtP &load, const StmtP &store);

} // namespace nw
