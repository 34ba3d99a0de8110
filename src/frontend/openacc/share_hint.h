// `#pragma acc share(A[TB_Y][*]:coalesce, B[*][TB_X])` (share, Figure 1): which part of each array
// the threads of a block work on. The paper's grammar, with C's precedence and parentheses in
// lengths:
//
//   hint     = share ( section { , section } )
//   section  = name length { length } [ : coalesce ]
//   length   = [ * ]  |  [ sum ]
//   sum      = product { (+|-) product }      product = factor { (*|/) factor }
//   factor   = integer | TB_X | TB_Y | TB_Z | ( sum )
#pragma once
#include "ir/share_length.h"
#include "support/location.h"
#include <string>
#include <vector>

namespace nw::openacc {

struct ShareSection {
  std::string array; // as the source spells it
  std::vector<share::Length> lengths;
  std::vector<Location> lengthsAt;
  bool coalesce = false;
  Location at;
};

struct ShareHint {
  std::vector<ShareSection> sections;
  Location at;
};

// A word or a sign of the pragma, after `share`.
struct HintToken {
  std::string text;
  Location at;
};

struct HintError {
  size_t token; // its number; as many as there are: the end of the line
  std::string message;
};

// Throws HintError for the first thing that is not in the grammar.
ShareHint readShareHint(const std::vector<HintToken> &tokens, Location at);

} // namespace nw::openacc
