// Layout.
#include "estimate/layout.h"
#include <algorithm>

namespace nw {

static const Struct *structOf(const Region &region, const Type &type) {
  for (const Struct &s : region.structs)
    if (s.name == type.structName)
      return &s;
  return nullptr;
}

int64_t bytesIn(const Region &region, const Type &type) {
  if (!type.isStruct())
    return bytesOf(type.scalar);
  const Struct *s = structOf(region, type);
  return s ? s->size : 4;
}

static int64_t alignmentOf(const Region &region, const Type &type) {
  if (!type.isStruct())
    return bytesOf(type.scalar);
  int64_t most = 1;
  if (const Struct *s = structOf(region, type))
    for (const Field &f : s->fields)
      most = std::max(most, alignmentOf(region, f.type));
  return most;
}

std::pair<int64_t, const Field *> offsetOfField(const Region &region, const Type &type,
                                                const std::string &name) {
  const Struct *s = structOf(region, type);
  int64_t at = 0;
  for (size_t k = 0; s && k < s->fields.size(); k++) {
    const Field &f = s->fields[k];
    int64_t alignment = std::max<int64_t>(alignmentOf(region, f.type), 1), count = 1;
    at = (at + alignment - 1) / alignment * alignment;
    if (f.name == name)
      return {at, &f};
    for (int64_t x : f.extents)
      count *= x;
    at += count * bytesIn(region, f.type);
  }
  return {0, nullptr};
}

} // namespace nw
