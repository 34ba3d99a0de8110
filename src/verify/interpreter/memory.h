// The memory of the interpreter: the user's data as a function of seed, variable and index, and
// arrays whose elements come into being when they are touched. Elements remember who touched them,
// so that races are seen.
#pragma once
#include "verify/interpreter/interpreter.h"
#include <memory>
#include <unordered_map>

namespace nw {

// A value without its type: integers extended to 64 bits by their sign, elements of the field, or a
// number.
union Word {
  int64_t integer;
  double number;
};
static_assert(sizeof(Word) == 8);

// One scalar in memory. Epochs count barriers: two accesses of one epoch have no barrier in
// between.
struct Cell {
  enum State : uint8_t { Unmade, Set, Unset };
  Word value = {0};
  int32_t writer = -1, reader = -1,
          readerBlock = -1; // threads of the launch by number; kSeveral: more than one
  uint32_t writeGridEpoch = 0, writeBlockEpoch = 0, readGridEpoch = 0, readBlockEpoch = 0;
  State state = Unmade;
};
constexpr int32_t kSeveral = -2;

struct Exhausted {}; // thrown: more steps than allowed, or more memory

// A sparse array of cells, indexed by any 64-bit number.
class PagedArray {
public:
  static constexpr int64_t kPage = 128;
  static constexpr size_t kMostPages = 20000;

  Cell &at(int64_t lvalue) {
    int64_t page = lvalue >> 7;
    if (page != lastNumber)
      find(page);
    return last[lvalue & (kPage - 1)];
  }
  void clear();
  // Every cell that has come into being.
  template <class Visit> void forEach(const Visit &visit) {
    for (auto &[number, page] : pages)
      for (int64_t k = 0; k < kPage; k++)
        if (page[k].state != Cell::Unmade)
          visit(number * kPage + k, page[k]);
  }

private:
  void find(int64_t page);
  std::unordered_map<int64_t, std::unique_ptr<Cell[]>> pages;
  int64_t lastNumber = INT64_MIN;
  Cell *last = nullptr;
};

// The scalars of a type in order: one, or those of a struct.
std::vector<Scalar> slotsOf(const Region &region, const Type &type);
int64_t sizeOf(const Region &region, const Type &type);

// What the user's memory holds before the region.
class InputData {
public:
  InputData(const Region &region, const SampleInput &input, const std::string &variable,
            const Type &type);
  Word at(int64_t slot) const;
  Scalar typeAt(int64_t slot) const {
    return slots.size() == 1 ? slots[0] : slots[size_t(((slot % width()) + width()) % width())];
  }
  int64_t width() const { return int64_t(slots.size()); } // slots of an element
  // A word of this array as the result of a run shows it.
  Value shown(int64_t slot, Word word) const;

private:
  const SampleInput &input;
  std::string name;
  std::vector<Scalar> slots;
  uint64_t hash;
};

bool isFloating(Scalar s);
// The value that an object of the type holds after the integer has been stored in it.
int64_t narrowed(Scalar s, int64_t value);
bool sameWord(Scalar s, Arithmetic arithmetic, Word a, Word b);

} // namespace nw
