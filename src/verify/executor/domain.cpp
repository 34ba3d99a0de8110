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
  auto found = places.find({shape, form});
  if (found != places.end())
    return found->second;
  std::vector<FormId> all = shapes[size_t(shape)];
  auto at = std::lower_bound(all.begin(), all.end(), form);
  Place place{shape, int(at - all.begin()), at == all.end() || *at != form};
  if (place.isNew) {
    all.insert(at, form);
    place.shape = intern(std::move(all));
  }
  return places.emplace(std::pair(shape, form), place).first->second;
}

Guard Guards::with(const Guard &a, FormId form, int64_t number, bool &isWhole) {
  const Place &place = placeOf(a.shape, form);
  size_t many = shapes[size_t(a.shape)].size();
  if (place.isNew && many == Guard::kMost) {
    isWhole = false;
    return a;
  }
  Guard out = a;
  out.shape = place.shape;
  size_t at = size_t(place.at);
  if (place.isNew) {
    std::copy_backward(out.numbers.begin() + long(at), out.numbers.begin() + long(many),
                       out.numbers.begin() + long(many) + 1);
    out.numbers[at] = number;
  } else
    out.numbers[at] = std::min(out.numbers[at], number);
  return out;
}

Guard Guards::both(const Guard &a, const Guard &b, bool &isWhole) {
  if (b.shape == 0 || a == b)
    return a;
  Guard out = a;
  for (size_t n = 0; n < shapes[size_t(b.shape)].size(); n++)
    out = with(out, shapes[size_t(b.shape)][n], b.numbers[n], isWhole);
  return out;
}

void Guards::addFact(FormId form, int64_t number) {
  if (std::find(facts.begin(), facts.end(), std::pair(form, number)) != facts.end())
    return;
  facts.emplace_back(form, number);
  reasons.clear();
}

// Sums of at most two conditions and a fact, with symbols that are never negative.
const std::vector<Guards::Reason> &Guards::reasonsFor(int shape, FormId form) {
  auto found = reasons.find({shape, form});
  if (found != reasons.end())
    return found->second;
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
  return reasons.emplace(std::pair(shape, form), std::move(out)).first->second;
}

bool Guards::implies(const Guard &a, FormId form, int64_t number) {
  for (const Reason &r : reasonsFor(a.shape, form)) {
    int64_t sum = (r.first < 0 ? 0 : a.numbers[size_t(r.first)]) +
                  (r.second < 0 ? 0 : a.numbers[size_t(r.second)]) +
                  (r.fact < 0 ? 0 : facts[size_t(r.fact)].second);
    if (number >= sum)
      return true;
  }
  return false;
}

bool Guards::implies(const Guard &a, const Guard &b) {
  if (a == b)
    return true;
  for (size_t n = 0; n < shapes[size_t(b.shape)].size(); n++)
    if (!implies(a, shapes[size_t(b.shape)][n], b.numbers[n]))
      return false;
  return true;
}

} // namespace nw
