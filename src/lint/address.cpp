// Addresses.
#include "lint/trace.h"
#include <fmt/format.h>

namespace nw::lint {

std::string textOf(const Address &address) {
  std::string out = address.base;
  for (const Subscript &s : address.subscripts)
    out += fmt::format("[{}]", textOf(s.index));
  return out + address.members;
}

SymbolP offsetOf(const Address &address) {
  SymbolP sum = address.hidden ? applied("+", {address.hidden, number(address.offset)})
                               : number(address.offset);
  for (const Subscript &s : address.subscripts)
    sum = applied("+", {sum, applied("*", {s.index, number(s.bytes)})});
  return sum;
}

bool isSame(const Address &a, const Address &b) {
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
