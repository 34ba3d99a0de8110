// Arithmetic of forms and guards.
#include "verify/executor/domain.h"
#include <algorithm>

namespace nw {

FormId Forms::intern(Terms terms) {
  auto [at, isNew] = known.try_emplace(std::move(terms), FormId(all.size()));
  if (isNew)
    all.push_back(at->first);
  return at->second;
}

FormId Forms::symbol(const std::string &name, bool isNatural) {
  auto [at, isNew] = symbols.try_emplace(name, int(natural.size()));
  if (isNew)
    natural.push_back(isNatural);
  return intern({{at->second, 1}});
}

FormId Forms::sum(FormId a, FormId b, int64_t factor) {
  const Terms x = all[size_t(a)], y = all[size_t(b)];
  Terms out;
  size_t i = 0, j = 0;
  while (i < x.size() || j < y.size()) {
    bool takesX = j == y.size() || (i < x.size() && x[i].first <= y[j].first),
         takesY = i == x.size() || (j < y.size() && y[j].first <= x[i].first);
    int symbol = takesX ? x[i].first : y[j].first;
    int64_t value = 0;
    if (takesX)
      value += x[i++].second;
    if (takesY)
      value += factor * y[j++].second;
    if (value != 0)
      out.emplace_back(symbol, value);
  }
  return intern(std::move(out));
}

std::optional<FormId> Forms::divided(FormId a, int64_t by) {
  Terms out, terms = all[size_t(a)];
  for (auto [symbol, factor] : terms) {
    if (factor % by != 0 || factor < 0 || !natural[size_t(symbol)])
      return std::nullopt;
    out.emplace_back(symbol, factor / by);
  }
  return intern(std::move(out));
}

int64_t Forms::factorOf(FormId a, FormId symbol) const {
  int wanted = all[size_t(symbol)].at(0).first;
  for (auto [s, factor] : all[size_t(a)])
    if (s == wanted)
      return factor;
  return 0;
}

int Guards::intern(std::vector<FormId> wanted) {
  auto [at, isNew] = known.try_emplace(std::move(wanted), int(shapes.size()));
  if (isNew)
    shapes.push_back(at->first);
  return at->second;
}

const Guards::Place &Guards::placeOf(int shape, FormId form) {
  if (const Place *known = places.find(pairOf(shape, form)))
    return *known;
  std::vector<FormId> all = shapes[size_t(shape)];
  auto at = std::lower_bound(all.begin(), all.end(), form);
  Place place{shape, int(at - all.begin()), at == all.end() || *at != form};
  if (place.isNew) {
    all.insert(at, form);
    place.shape = intern(std::move(all));
  }
  return places.add(pairOf(shape, form), place);
}

Guard Guards::guardOf(int shape, const std::array<int64_t, kMost> &own) {
  size_t many = shapes[size_t(shape)].size();
  auto hashOf = [&](int of, const int64_t *first) {
    uint64_t hash = uint64_t(of);
    for (size_t n = 0; n < shapes[size_t(of)].size(); n++) {
      hash = (hash ^ uint64_t(first[n])) * 0x9e3779b97f4a7c15ull;
      hash ^= hash >> 29;
    }
    return size_t(hash);
  };
  if (table.size() < 2 * (all.size() + 1)) {
    table.assign(std::max(size_t(1024), 4 * table.size()), -1); // a power of two
    for (int id = 0; id < int(all.size()); id++) {
      size_t at = hashOf(shapeOf({id}), numbersOf({id})) & (table.size() - 1);
      while (table[at] >= 0)
        at = (at + 1) & (table.size() - 1);
      table[at] = id;
    }
  }
  size_t at = hashOf(shape, own.data()) & (table.size() - 1);
  for (; table[at] >= 0; at = (at + 1) & (table.size() - 1))
    if (Guard known{table[at]};
        shapeOf(known) == shape && std::equal(own.data(), own.data() + many, numbersOf(known)))
      return known;
  table[at] = int(all.size());
  all.push_back({shape, uint32_t(numbers.size())});
  numbers.insert(numbers.end(), own.data(), own.data() + many);
  return {table[at]};
}

std::vector<Guards::Condition> Guards::conditionsOf(Guard a) const {
  std::vector<Condition> out;
  for (FormId form : shapes[size_t(shapeOf(a))])
    out.push_back({form, numbersOf(a)[out.size()]});
  return out;
}

Guard Guards::with(Guard a, FormId form, int64_t number, bool &isWhole) {
  const Place &place = placeOf(shapeOf(a), form);
  size_t many = shapes[size_t(shapeOf(a))].size(), at = size_t(place.at);
  if (place.isNew && many == kMost) {
    isWhole = false;
    return a;
  }
  std::array<int64_t, kMost> own;
  const int64_t *before = numbersOf(a);
  std::copy(before, before + at, own.begin());
  if (place.isNew)
    own[at] = number;
  else
    own[at] = std::min(before[at], number);
  std::copy(before + at + !place.isNew, before + many, own.begin() + long(at) + 1);
  return guardOf(place.shape, own);
}

const Guards::Meeting &Guards::meetingOf(int a, int b) {
  if (const Meeting *known = meetings.find(pairOf(a, b)))
    return *known;
  Meeting out;
  std::map<FormId, std::pair<int, int>> from;
  const std::vector<FormId> &first = shapes[size_t(a)], &second = shapes[size_t(b)];
  for (size_t n = 0; n < first.size(); n++)
    from[first[n]] = {int(n), -1};
  for (size_t n = 0; n < second.size(); n++)
    if (auto at = from.find(second[n]); at != from.end())
      at->second.second = int(n);
    else if (from.size() < kMost)
      from[second[n]] = {-1, int(n)};
    else
      out.isWhole = false;
  std::vector<FormId> all;
  for (auto &[form, where] : from) {
    all.push_back(form);
    out.from.push_back(where);
  }
  out.shape = intern(std::move(all));
  return meetings.add(pairOf(a, b), std::move(out));
}

Guard Guards::both(Guard a, Guard b, bool &isWhole) {
  if (b.id == 0 || a == b)
    return a;
  if (a.id == 0)
    return b;
  const Meeting &m = meetingOf(shapeOf(a), shapeOf(b));
  const int64_t *first = numbersOf(a), *second = numbersOf(b);
  std::array<int64_t, kMost> own;
  for (size_t n = 0; n < m.from.size(); n++) {
    auto [x, y] = m.from[n];
    own[n] = y < 0 ? first[x] : x < 0 ? second[y] : std::min(first[x], second[y]);
  }
  isWhole &= m.isWhole;
  return guardOf(m.shape, own);
}

void Guards::addFact(FormId form, int64_t number) {
  if (std::find(facts.begin(), facts.end(), std::pair(form, number)) != facts.end())
    return;
  facts.emplace_back(form, number);
  reasons.clear();
  allReasons.clear();
}

// Sums of at most two conditions and a fact, with symbols that are never negative.
const std::vector<Guards::Reason> &Guards::reasonsFor(int shape, FormId form) {
  if (const std::vector<Reason> *known = reasons.find(pairOf(shape, form)))
    return *known;
  std::vector<Reason> out;
  std::vector<FormId> of = shapes[size_t(shape)];
  auto isMore = [&](FormId sum) {
    const Forms::Terms &rest = forms.termsOf(forms.sum(form, sum, -1));
    return std::all_of(rest.begin(), rest.end(),
                       [&](auto &t) { return t.second > 0 && forms.isNatural(t.first); });
  };
  std::vector<std::pair<int, int>> chosen = {{-1, -1}};
  for (int first = 0; first < int(of.size()); first++) {
    chosen.emplace_back(first, -1);
    for (int second = first + 1; second < int(of.size()); second++)
      chosen.emplace_back(first, second);
  }
  for (auto [first, second] : chosen) {
    FormId sum = first < 0 ? 0 : of[size_t(first)];
    if (second >= 0)
      sum = forms.sum(sum, of[size_t(second)]);
    for (int fact = -1; fact < int(facts.size()); fact++)
      if (isMore(fact < 0 ? sum : forms.sum(sum, facts[size_t(fact)].first)))
        out.push_back({first, second, fact});
  }
  return reasons.add(pairOf(shape, form), std::move(out));
}

const std::vector<std::vector<Guards::Reason>> &Guards::allReasonsFor(int a, int b) {
  if (const std::vector<std::vector<Reason>> *known = allReasons.find(pairOf(a, b)))
    return *known;
  std::vector<std::vector<Reason>> out;
  for (FormId form : std::vector<FormId>(shapes[size_t(b)]))
    out.push_back(reasonsFor(a, form));
  return allReasons.add(pairOf(a, b), std::move(out));
}

bool Guards::follows(Guard a, const std::vector<Reason> &reasons, int64_t number) const {
  const int64_t *own = numbersOf(a);
  return std::any_of(reasons.begin(), reasons.end(), [&](const Reason &r) {
    return number >= (r.first < 0 ? 0 : own[r.first]) + (r.second < 0 ? 0 : own[r.second]) +
                         (r.fact < 0 ? 0 : facts[size_t(r.fact)].second);
  });
}

void Guards::addExtreme(FormId symbol, const Extreme &extreme) {
  extremes.emplace(forms.termsOf(symbol)[0].first, extreme);
  for (auto [form, number] : extreme.of) // no smaller, or no larger, than both
    if (extreme.isMin)
      addFact(forms.sum(form, symbol, -1), number);
    else
      addFact(forms.sum(symbol, form, -1), -number);
}

// What holds for both of two numbers holds for the smaller and for the larger.
bool Guards::followsForBoth(Guard a, FormId form, int64_t number) {
  for (auto [symbol, factor] : Forms::Terms(forms.termsOf(form)))
    if (auto found = extremes.find(symbol); found != extremes.end()) {
      Forms::Terms terms = forms.termsOf(form);
      std::erase_if(terms, [&](const auto &t) { return t.first == symbol; });
      FormId rest = forms.of(terms);
      bool are = true;
      for (auto [other, more] : found->second.of)
        are = are && implies(a, forms.sum(rest, other, factor), number + factor * more);
      if (are)
        return true;
    }
  return false;
}

bool Guards::implies(Guard a, FormId form, int64_t number) {
  return follows(a, reasonsFor(shapeOf(a), form), number) || followsForBoth(a, form, number);
}

bool Guards::implies(Guard a, Guard b) {
  if (b.id == 0 || a == b)
    return true;
  const std::vector<std::vector<Reason>> &reasons = allReasonsFor(shapeOf(a), shapeOf(b));
  for (size_t n = 0; n < reasons.size(); n++)
    if (int64_t number = numbersOf(b)[n]; !follows(a, reasons[n], number) &&
                                          !followsForBoth(a, shapes[size_t(shapeOf(b))][n], number))
      return false;
  return true;
}

} // namespace nw
