// Values of the block executor: integers that all threads know but for a number of their own, what
// is known of memory, and conditions on sizes. See block_executor.h.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace nw {

// Sums of symbols (sizes, numbers of blocks, turns of loops) with integer factors, by number: equal
// sums have the same. 0 is the empty sum. Apart from LinearSum on purpose: proofs share no reader
// with the code that they are about.
using FormId = int;

class Forms {
public:
  using Terms = std::vector<std::pair<int, int64_t>>; // symbol, factor; in order of symbols
  Forms() { intern({}); }

  // Symbols that are never negative may be divided.
  FormId symbol(const std::string &name, bool isNatural);
  FormId sum(FormId a, FormId b, int64_t factor = 1); // a + factor * b
  FormId scaled(FormId a, int64_t factor) { return sum(0, a, factor); }
  // The form divided by a number that divides all factors, where it is certainly natural.
  std::optional<FormId> divided(FormId a, int64_t by);
  int64_t factorOf(FormId a, FormId symbol) const;
  FormId of(Terms terms) { return intern(std::move(terms)); }

  const Terms &termsOf(FormId a) const { return all[size_t(a)]; }
  bool isNatural(int symbol) const { return natural[size_t(symbol)]; }

private:
  FormId intern(Terms terms);

  std::vector<Terms> all;
  std::map<Terms, FormId> known;
  std::vector<bool> natural;
  std::map<std::string, int> symbols;
};

// A number of every thread's own; often it is the same for all.
class OwnNumbers {
public:
  OwnNumbers(int64_t all = 0) : all(all) {}
  // of(t) for each thread t.
  template <class Of> static OwnNumbers make(int threads, const Of &of) {
    std::vector<int64_t> out(static_cast<size_t>(threads));
    for (size_t t = 0; t < out.size(); t++)
      out[t] = of(t);
    if (std::equal(out.begin() + 1, out.end(), out.begin()))
      return out[0];
    OwnNumbers made;
    made.each = std::make_shared<const std::vector<int64_t>>(std::move(out));
    return made;
  }
  int64_t operator[](size_t t) const { return each ? (*each)[t] : all; }
  bool areSame() const { return !each; }
  template <class Test> bool allOf(const Test &test) const {
    return each ? std::all_of(each->begin(), each->end(), test) : test(all);
  }
  bool operator==(const OwnNumbers &b) const {
    return each && b.each ? each == b.each || *each == *b.each : !each && !b.each && all == b.all;
  }
  bool operator<(const OwnNumbers &b) const {
    if (!each || !b.each)
      return !each && !b.each ? all < b.all : !each && b.each;
    return each != b.each && *each < *b.each;
  }

private:
  int64_t all;
  std::shared_ptr<const std::vector<int64_t>> each; // not all the same
};

// An integer of every thread: the form, and a number of the thread's own. Not known where `isKnown`
// is not set.
struct Lanes {
  bool isKnown = true;
  FormId form = 0;
  OwnNumbers own = {};
  bool operator==(const Lanes &) const = default;
};

// What a register or an element of shared memory holds.
struct Datum {
  enum Kind : int8_t {
    Nothing,  // nothing that is known
    Loaded,   // what an element had when the kernel began
    Computed, // what the program computes for an element
    Part,     // the values of some threads, put together: forms[0] numbers their set
  } kind = Nothing;
  int8_t dims = 0;
  int16_t array = 0; // or variable
  std::array<FormId, 4> forms = {};
  std::array<int64_t, 4> own = {};
  bool operator==(const Datum &) const = default;
};

// Conditions form + number >= 0, all of which hold, by number (see Guards): equal guards have the
// same. 0 has no condition.
struct Guard {
  int id = 0;
  bool operator==(const Guard &) const = default;
};

class Guards {
public:
  static constexpr size_t kMost = 12; // further conditions are left out
  explicit Guards(Forms &forms) : forms(forms) {
    intern({});
    guardOf(0, {});
  }

  // The guard with one more condition. Where it has no more room, the condition is left out: then
  // it holds more often, and `isWhole` is cleared.
  Guard with(Guard a, FormId form, int64_t number, bool &isWhole);
  Guard both(Guard a, Guard b, bool &isWhole);
  // Whether b holds wherever a does.
  bool implies(Guard a, Guard b);
  bool implies(Guard a, FormId form, int64_t number);
  // Whether its conditions contradict each other, or what is known.
  bool isImpossible(Guard a) { return implies(a, 0, -1); }
  // A form that is never negative, with this number.
  void addFact(FormId form, int64_t number);
  // A symbol that is the smaller or the larger of two forms with their numbers.
  struct Extreme {
    bool isMin;
    std::array<std::pair<FormId, int64_t>, 2> of;
  };
  void addExtreme(FormId symbol, const Extreme &extreme);
  struct Condition {
    FormId form;
    int64_t number;
  };
  std::vector<Condition> conditionsOf(Guard a) const;

private:
  // Guards of threads often have the forms in common (the shape, by number; 0 has none): what is
  // their own are the numbers, one after the other in `numbers`.
  struct Own {
    int shape;
    uint32_t begin;
  };
  Guard guardOf(int shape, const std::array<int64_t, kMost> &own);
  int shapeOf(Guard a) const { return all[size_t(a.id)].shape; }
  const int64_t *numbersOf(Guard a) const { return numbers.data() + all[size_t(a.id)].begin; }
  int intern(std::vector<FormId> wanted); // in order
  // Where a form stands in a shape, or would.
  struct Place {
    int shape;
    int at;
    bool isNew;
  };
  const Place &placeOf(int shape, FormId form);
  // How the conditions of two shapes come together: where each one's number comes from, -1 for
  // nowhere.
  struct Meeting {
    int shape;
    std::vector<std::pair<int, int>> from;
    bool isWhole = true;
  };
  const Meeting &meetingOf(int a, int b);
  // A condition follows if its number is at least that of the two conditions (-1: none) and of the
  // fact (-1: none) together.
  struct Reason {
    int first, second, fact;
  };
  const std::vector<Reason> &reasonsFor(int shape, FormId form);
  const std::vector<std::vector<Reason>> &allReasonsFor(int a, int b);
  bool followsForBoth(Guard a, FormId form, int64_t number);
  bool follows(Guard a, const std::vector<Reason> &reasons, int64_t number) const;

  Forms &forms;
  std::vector<Own> all;
  std::vector<int64_t> numbers;
  std::vector<int> table; // by hash: the guard there, or -1
  std::vector<std::vector<FormId>> shapes;
  std::map<std::vector<FormId>, int> known;
  static uint64_t pairOf(int a, int b) { return uint64_t(uint32_t(a)) << 32 | uint32_t(b); }
  // By two numbers; the last one is asked for again and again, by one thread after the other.
  template <class T> struct Known {
    std::unordered_map<uint64_t, T> all;
    uint64_t last = ~uint64_t(0);
    T *found = nullptr;

    T *find(uint64_t key) {
      if (key == last)
        return found;
      auto at = all.find(key);
      if (at == all.end())
        return nullptr;
      last = key;
      return found = &at->second;
    }
    T &add(uint64_t key, T value) { return all.emplace(key, std::move(value)).first->second; }
    void clear() { *this = {}; }
  };
  Known<Place> places;
  Known<Meeting> meetings;
  Known<std::vector<Reason>> reasons;
  Known<std::vector<std::vector<Reason>>> allReasons;
  std::vector<std::pair<FormId, int64_t>> facts;
  std::map<int, Extreme> extremes; // by symbol
};

} // namespace nw
