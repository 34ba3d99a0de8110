// Memory of the interpreter.
#include "verify/interpreter/memory.h"
#include "verify/interpreter/field.h"
#include <cmath>

namespace nw {

void PagedArray::clear() {
  pages.clear();
  lastNumber = INT64_MIN;
  last = nullptr;
}

void PagedArray::find(int64_t page) {
  std::unique_ptr<Cell[]> &found = pages[page];
  if (!found && pages.size() > kMostPages)
    throw Exhausted{};
  if (!found)
    found = std::make_unique<Cell[]>(size_t(kPage));
  lastNumber = page;
  last = found.get();
}

static const Struct *findStruct(const Region &region, const std::string &name) {
  for (const Struct &s : region.structs)
    if (s.name == name)
      return &s;
  return nullptr;
}

std::vector<Scalar> slotsOf(const Region &region, const Type &type) {
  if (!type.isStruct())
    return {type.scalar};
  std::vector<Scalar> all;
  if (const Struct *s = findStruct(region, type.structName))
    for (const Field &f : s->fields) {
      int64_t count = 1;
      for (int64_t x : f.extents)
        count *= x;
      std::vector<Scalar> one = slotsOf(region, f.type);
      for (int64_t k = 0; k < count; k++)
        all.insert(all.end(), one.begin(), one.end());
    }
  return all;
}

int64_t sizeOf(const Region &region, const Type &type) {
  if (!type.isStruct())
    return bytesOf(type.scalar);
  const Struct *s = findStruct(region, type.structName);
  return s ? s->size : 0;
}

bool isFloating(Scalar s) { return s == Scalar::F32 || s == Scalar::F64; }

int64_t narrowed(Scalar s, int64_t value) {
  switch (s) {
  case Scalar::Bool:
    return value != 0;
  case Scalar::I8:
    return int8_t(value);
  case Scalar::U8:
    return uint8_t(value);
  case Scalar::I16:
    return int16_t(value);
  case Scalar::U16:
    return uint16_t(value);
  case Scalar::I32:
    return int32_t(value);
  case Scalar::U32:
    return uint32_t(value);
  default:
    return value;
  }
}

bool sameWord(Scalar s, Arithmetic arithmetic, Word a, Word b) {
  if (isFloating(s) && arithmetic == Arithmetic::Exact)
    return a.integer == b.integer || (std::isnan(a.number) && std::isnan(b.number));
  return a.integer == b.integer;
}

InputData::InputData(const Region &region, const SampleInput &input, const std::string &variable,
                     const Type &type)
    : input(input), name(variable), slots(slotsOf(region, type)),
      hash(field::mixed(input.seed, field::mixed(variable))) {}

Word InputData::at(int64_t slot) const {
  Scalar type = typeAt(slot);
  if (!input.elements.empty())
    if (auto given = input.elements.find({name, slot}); given != input.elements.end()) {
      Word word;
      if (isFloating(type) && input.arithmetic == Arithmetic::Exact)
        word.number = given->second.number;
      else
        word.integer = given->second.integer;
      return word;
    }
  if (slot == 0 && !isFloating(type))
    if (auto given = input.scalars.find(name); given != input.scalars.end())
      return {narrowed(type, given->second)};
  uint64_t h = field::mixed(hash, uint64_t(slot));
  if (isFloating(type)) {
    if (input.arithmetic == Arithmetic::Field)
      return {field::fromHash(h)};
    Word word;
    word.number = double(int64_t(h % 129) - 64) / 16;
    return word;
  }
  if (input.counts)
    return {narrowed(type, slot)};
  int64_t smallest = input.smallest, largest = input.largest;
  if (isUnsigned(type))
    smallest = std::max<int64_t>(smallest, 0);
  return {narrowed(type,
                   smallest + int64_t(h % uint64_t(std::max<int64_t>(largest - smallest, 0) + 1)))};
}

Value InputData::shown(int64_t slot, Word word) const {
  Value v;
  v.type = typeOf(typeAt(slot));
  if (v.type.isFloat() && input.arithmetic == Arithmetic::Exact)
    v.number = word.number;
  else
    v.integer = word.integer;
  return v;
}

} // namespace nw
