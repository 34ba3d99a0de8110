// Accesses under promises.
#include "verify/checks/promises.h"
#include <fmt/format.h>

namespace nw {

std::string PromiseRecord::touch(const std::string &array, int64_t slot, bool isWrite) {
  if (seen.size() < open.size())
    seen.resize(open.size());
  for (size_t k = 0; k < open.size(); k++) {
    auto [run, now] = open[k];
    Last &last = seen[k][array][slot];
    if (last.run != run) {
      last = {};
      last.run = run;
    }
    if (last.isWritten && last.writer != now)
      return fmt::format("iterations {} and {} of a loop that is promised to be independent touch "
                         "element {} of {}, which the first writes",
                         last.writer, now, slot, array);
    if (isWrite && last.isRead && (last.bySeveral || last.reader != now))
      return fmt::format("iterations {} and {} of a loop that is promised to be independent touch "
                         "element {} of {}, which the second writes",
                         last.reader != now ? last.reader : last.other, now, slot, array);
    if (isWrite) {
      last.isWritten = true;
      last.writer = now;
    } else if (!last.isRead) {
      last.isRead = true;
      last.reader = now;
    } else if (last.reader != now) {
      last.bySeveral = true;
      last.other = now;
    }
  }
  return "";
}

} // namespace nw
