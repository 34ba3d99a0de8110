// Times and amounts of memory in words.
#include "report/units.h"
#include <fmt/format.h>

namespace nw {

std::string timeText(double seconds) {
  if (seconds >= 1)
    return fmt::format("{:.2f} s", seconds);
  return seconds >= 1e-3 ? fmt::format("{:.2f} ms", seconds * 1e3)
                         : fmt::format("{:.1f} us", seconds * 1e6);
}

std::string bytesText(double b) {
  static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
  int unit = 0;
  while (b >= 1000 && unit < 4) {
    b /= 1000;
    unit++;
  }
  return fmt::format("{:.{}f} {}", b, b < 10 && unit > 0 ? 1 : 0, units[unit]);
}

} // namespace nw
