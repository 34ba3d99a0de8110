// The report of a check's driver (check_driver.cpp has its lines), which may come from another
// machine.
#include "check/check_harness.h"
#include <fmt/format.h>
#include <sstream>
#include <stdexcept>

namespace nw {

CheckReport readReport(const std::string &text) {
  CheckReport r;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> words;
    std::istringstream parts(line);
    for (std::string word; std::getline(parts, word, '\t');)
      words.push_back(word);
    if (words.size() == 3 && words[0] == "scalar")
      r.scalars[words[1]] = std::stoll(words[2]);
    else if (words.size() == 2 && words[0] == "stage")
      r.stages.insert(words[1]);
    else if (words.size() == 5 && words[0] == "outside")
      r.outside = fmt::format("{} in line {} has the subscript {}, and there are {} elements",
                              words[2], words[1], words[3], words[4]);
    else if (words.size() == 6 && words[0] == "device") {
      r.onDevice = std::stoll(words[1]);
      r.onHost = std::stoll(words[2]);
      r.where = words[3];
      r.reason = words[4];
      r.device = words[5];
    } else if (words.size() == 8 && words[0] == "different")
      r.differences.push_back({std::stoi(words[1]), std::stoll(words[2]), std::stoll(words[3]),
                               std::stoll(words[4]), words[5], words[6], words[7]});
    else if (!words.empty() && words[0] == "different")
      throw std::invalid_argument("a difference that is none");
  }
  return r;
}

} // namespace nw
