// A location in the user's file; line 0 means unknown.
#pragma once

namespace nw {

struct Location {
  int line = 0, column = 0;
};

} // namespace nw
