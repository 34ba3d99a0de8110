// nestwarp check --check-promises: the original with its accesses recorded, and what the recording
// finds.
#pragma once
#include <string>
#include <vector>

namespace nw {

// C text in front of a file that recordAccesses made: it keeps who touched what, and appends to the
// file named by NESTWARP_PROMISES a line for each loop whose iterations are not independent.
std::string promiseRecorder();

// Lines of that file, each once, in the order in which they were found.
std::vector<std::string> brokenPromises(const std::string &text);

} // namespace nw
