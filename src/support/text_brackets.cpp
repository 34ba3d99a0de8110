// Brackets in texts.
#include "support/text_brackets.h"
#include <algorithm>

namespace nw {

std::string withBrackets(const std::string &source, std::vector<TextBracket> brackets) {
  std::sort(brackets.begin(), brackets.end(), [](const TextBracket &a, const TextBracket &b) {
    return a.begin != b.begin ? a.begin < b.begin
           : a.end != b.end   ? a.end > b.end
                              : a.level < b.level;
  });
  std::string out;
  unsigned at = 0;
  std::vector<const TextBracket *> open;
  auto closeUntil = [&](unsigned position) {
    while (!open.empty() && open.back()->end <= position) {
      const TextBracket &b = *open.back();
      std::string inside = source.substr(at, b.end - at);
      out +=
          b.replaces ? std::string(std::count(inside.begin(), inside.end(), '\n'), '\n') : inside;
      at = b.end;
      out += b.after;
      open.pop_back();
    }
  };
  for (const TextBracket &b : brackets) {
    closeUntil(b.begin);
    out += source.substr(at, b.begin - at) + b.before;
    at = b.begin;
    open.push_back(&b);
  }
  closeUntil(unsigned(source.size()));
  return out + source.substr(at);
}

} // namespace nw
