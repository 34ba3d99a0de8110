// The user's file with every access to an array in loops that are promised to be independent
// recorded: what `nestwarp check --check-promises` runs. It computes the same, and calls
// nw_promise_enter, _iterate, _leave and _touch (cli/check_promises).
#pragma once
#include "frontend/c/c_frontend.h"

namespace nw {

struct RecordedSource {
  std::string text;
  int loops = 0;  // that are promised
  int unseen = 0; // accesses that are not recorded, since they stand in macros
  bool failed = false;
};

RecordedSource recordAccesses(const ParseRequest &request);

} // namespace nw
