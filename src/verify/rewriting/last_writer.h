// Who wrote an element last: the instance of a statement, in source order, found from the Program
// for given sizes.
#pragma once
#include "ir/program.h"

namespace nw {

struct Writer {
  Location at;
  std::vector<std::pair<std::string, int64_t>>
      counters;          // of the loops around, outermost first, as the source calls them
  bool isCertain = true; // false: only if data say so, or at one of several positions
};

// The last writer of element number `element` of the array, counted row by row. `scalars` are the
// values of variables that sizes depend on. Nothing where nobody writes it, or where a size is not
// known.
std::optional<Writer> lastWriter(const Program &program,
                                 const std::map<std::string, int64_t> &scalars,
                                 const std::string &array, int64_t element);

// "last written by mm.c:12, i=3 j=17 k=64"
std::string inWords(const Writer &writer, const std::string &file);

} // namespace nw
