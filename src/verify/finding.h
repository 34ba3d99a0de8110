// What a check of the verifier says: which check, and what it saw.
#pragma once
#include <string>

namespace nw {

struct Finding {
  std::string check; // name of the check that failed
  std::string what;
};

} // namespace nw
