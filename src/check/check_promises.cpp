// The recorder.
#include "check/check_promises.h"
#include "support/embedded.h"
#include <algorithm>
#include <sstream>

namespace nw {

std::string promiseRecorder() { return embedded("check/text/promise_recorder.c"); }

std::vector<std::string> brokenPromises(const std::string &text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (std::find(all.begin(), all.end(), line) == all.end())
      all.push_back(line);
  return all;
}

} // namespace nw
