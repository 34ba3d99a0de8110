// Places.
#include "lint/trace.h"
#include <fmt/format.h>

namespace nw::lint {

std::string textOf(const Place &place) {
  std::string out = place.base;
  for (const Subscript &s : place.subscripts)
    out += fmt::format("[{}]", textOf(s.index));
  return out + place.members;
}

SymbolP offsetOf(const Place &place) {
  SymbolP sum =
      place.hidden ? applied("+", {place.hidden, number(place.offset)}) : number(place.offset);
  for (const Subscript &s : place.subscripts)
    sum = applied("+", {sum, applied("*", {s.index, number(s.bytes)})});
  return sum;
}

bool isSame(const Place &a, const Place &b) {
  if (a.base.empty() || a.base != b.base || a.variable != b.variable || a.space != b.space ||
      a.offset != b.offset || a.subscripts.size() != b.subscripts.size())
    return false;
  for (size_t k = 0; k < a.subscripts.size(); k++)
    if (a.subscripts[k].bytes != b.subscripts[k].bytes ||
        !isSame(a.subscripts[k].index, b.subscripts[k].index))
      return false;
  return true;
}

} // namespace nw::lint
