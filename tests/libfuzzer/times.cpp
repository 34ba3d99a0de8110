// Any bytes as a job's file of times: what nestwarp-run puts into its results is JSON, and nestwarp
// can print it.
#include "check/times_table.h"
#include <cstdlib>
#include <nlohmann/json.hpp>
extern "C" {
#include "results.h"
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(data, data + size); // ends in a zero byte, as there
  if (mistake_in_times(text.c_str(), text.size()))
    return 0;
  if (!nlohmann::json::accept(text))
    std::abort();
  nw::printTimes(text, text); // throws where a member is not what it should be
  return 0;
}
