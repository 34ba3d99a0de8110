// Times and amounts of memory in words.
#pragma once
#include <string>

namespace nw {

std::string timeText(double seconds); // 3.23 ms
std::string bytesText(double bytes);  // 134 MB

} // namespace nw
