// Plans as JSON, by the tables of plan/plan_fields.h.
#include "plan/plan_fields.h"
#include "plan/plan_renames.h"
#include "support/diagnostics.h"
#include "support/nearest.h"
#include "support/strict_json.h"
#include "support/text.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nw {

using nlohmann::ordered_json;

namespace {

constexpr size_t kShown = 60; // of what a message quotes from the file
constexpr const char *kVersionField = "planVersion";

[[noreturn]] void refuse(const std::string &what) {
  throw UserError{"the plan is not valid: " + what};
}

// ---- writing ----

ordered_json valueOf(const std::string &v) { return v; }
ordered_json valueOf(bool v) { return v; }
template <WholeNumber T> ordered_json valueOf(T v) { return v; }
template <class T>
  requires std::is_enum_v<T>
ordered_json valueOf(T v) {
  return wordsOf(T{})[size_t(v)];
}
template <HasFields T> ordered_json valueOf(const T &v);
template <class T> ordered_json valueOf(const std::optional<T> &v) { return valueOf(*v); }
template <class T> ordered_json valueOf(const std::vector<T> &v) {
  ordered_json all = ordered_json::array();
  for (const T &one : v)
    all.push_back(valueOf(one));
  return all;
}

// What is as it would be without the field is not written, unless the field must be there.
template <class T> bool isEmpty(const std::vector<T> &v) { return v.empty(); }
template <class T> bool isEmpty(const std::optional<T> &v) { return !v; }

template <HasFields T> ordered_json valueOf(const T &v) {
  ordered_json object = ordered_json::object();
  Fields<T>::visit([&](const auto &field) {
    const auto &member = v.*field.member;
    bool isDefault;
    if constexpr (requires { isEmpty(member); })
      isDefault = isEmpty(member);
    else
      isDefault = member == T{}.*field.member;
    if (field.isRequired || !isDefault)
      object[field.name] = valueOf(member);
  });
  return object;
}

// ---- reading ----

template <class T> std::vector<std::string> namesOf() {
  std::vector<std::string> names;
  Fields<T>::visit([&](const auto &field) { names.push_back(field.name); });
  return names;
}

// Reads a value of one entry; `path` leads to it, as in kernels[0].tiles[1].stages.
class Reader {
public:
  explicit Reader(size_t entry) : entry(fmt::format("entry {}", entry)) {}

  template <HasFields T> void object(const ordered_json &v, const std::string &path, T &out) const {
    if (!v.is_object())
      wrong(path, "must be an object in braces");
    std::vector<std::string> known = namesOf<T>();
    for (auto &[name, ignored] : v.items())
      if (std::ranges::find(known, name) == known.end() &&
          !(path.empty() && name == kVersionField)) {
        std::string meant = nearestTo(name, known);
        refuse(fmt::format("{} has an unknown field '{}'{}", placed(path), name.substr(0, kShown),
                           meant.empty() ? "; " + listed(known)
                                         : fmt::format("; did you mean '{}'?", meant)));
      }
    Fields<T>::visit([&](const auto &field) {
      auto found = v.find(field.name);
      if (found != v.end())
        read(field, *found, path.empty() ? field.name : path + "." + field.name, out.*field.member);
      else if (field.isRequired)
        refuse(fmt::format("{} has no field '{}'", placed(path), field.name));
    });
  }

private:
  static std::string listed(const std::vector<std::string> &names) {
    return "its fields are " + joined(names, ", ");
  }
  std::string placed(const std::string &path) const {
    return path.empty() ? entry : fmt::format("{} of {}", path, entry);
  }
  [[noreturn]] void wrong(const std::string &path, const std::string &what) const {
    refuse(fmt::format("{} {}", placed(path), what));
  }

  template <class F>
  void read(const F &, const ordered_json &v, const std::string &path, std::string &out) const {
    if (!v.is_string())
      wrong(path, "must be a text in quotation marks");
    out = v.get<std::string>();
  }
  template <class F>
  void read(const F &, const ordered_json &v, const std::string &path, bool &out) const {
    if (!v.is_boolean())
      wrong(path, "must be true or false");
    out = v.get<bool>();
  }
  template <class F, WholeNumber T>
  void read(const F &field, const ordered_json &v, const std::string &path, T &out) const {
    NumberRule rule = field.numbers;
    rule.low = std::max<int64_t>(rule.low, std::numeric_limits<T>::min());
    rule.high = std::min<int64_t>(rule.high, std::numeric_limits<T>::max());
    if (!v.is_number_integer())
      wrong(path, "must be a whole number: " + rule.inWords());
    bool isHuge = v.is_number_unsigned() && v.get<uint64_t>() > uint64_t(rule.high);
    if (isHuge || !rule.admits(v.get<int64_t>()))
      wrong(path, fmt::format("is {}; expected {}", v.dump(), rule.inWords()));
    out = v.get<T>();
  }
  template <class F, class T>
    requires std::is_enum_v<T>
  void read(const F &, const ordered_json &v, const std::string &path, T &out) const {
    const std::vector<std::string> &words = wordsOf(T{});
    auto found = v.is_string() ? std::ranges::find(words, v.get<std::string>()) : words.end();
    if (found == words.end())
      wrong(path,
            fmt::format("is {}; expected {}", v.dump().substr(0, kShown), joined(words, ", ")));
    out = T(found - words.begin());
  }
  template <class F, class T>
  void read(const F &field, const ordered_json &v, const std::string &path,
            std::vector<T> &out) const {
    if (!v.is_array())
      wrong(path, "must be a list in brackets");
    if (!field.entries.admits(v.size()))
      wrong(path, fmt::format("has {} entries; expected {}", v.size(), field.entries.inWords()));
    out.clear();
    for (const ordered_json &one : v) {
      std::string at = fmt::format("{}[{}]", path, out.size());
      read(field, one, at, out.emplace_back());
    }
  }
  template <class F, HasFields T>
  void read(const F &, const ordered_json &v, const std::string &path, T &out) const {
    object(v, path, out);
  }
  template <class F, HasFields T>
  void read(const F &, const ordered_json &v, const std::string &path,
            std::optional<T> &out) const {
    object(v, path, out.emplace());
  }

  std::string entry;
};

// Of one entry; 1 for those of before there was a number.
std::optional<int64_t> versionOf(const ordered_json &entry) {
  if (!entry.is_object() || !entry.contains(kVersionField))
    return 1;
  const ordered_json &v = entry[kVersionField];
  return v.is_number_integer() ? std::optional(v.get<int64_t>()) : std::nullopt;
}

void checkVersion(const ordered_json &entry, size_t number) {
  std::optional<int64_t> version = versionOf(entry);
  if (!version)
    refuse(fmt::format("{} of entry {} must be a whole number: {}", kVersionField, number,
                       kPlanVersion));
  if (*version == 1)
    refuse(fmt::format("entry {} has no '{}', so it is of version 1, and this nestwarp reads "
                       "version {}. {}",
                       number, kVersionField, kPlanVersion, whatChanged(entry, 1)));
  if (*version > 1 && *version < kPlanVersion)
    refuse(fmt::format("entry {} is of version {}, and this nestwarp reads version {}. {}", number,
                       *version, kPlanVersion, whatChanged(entry, int(*version))));
  if (*version != kPlanVersion)
    refuse(fmt::format("entry {} is of version {}, and this nestwarp reads version {}; make the "
                       "plan anew with --plan-out",
                       number, *version, kPlanVersion));
}

ordered_json parsed(const std::string &text) {
  if (text.size() > kLargestPlan)
    refuse(fmt::format("it is larger than {} MiB", kLargestPlan >> 20));
  ordered_json all;
  try {
    all = parseStrictJson(text, "the file");
  } catch (const UserError &e) {
    refuse(e.message);
  }
  if (!all.is_array())
    refuse("it is not a list");
  return all;
}

} // namespace

std::string toJson(const std::vector<Plan> &plans) {
  ordered_json all = ordered_json::array();
  for (const Plan &p : plans) {
    ordered_json one = {{kVersionField, kPlanVersion}};
    one.update(valueOf(p));
    all.push_back(one);
  }
  return all.dump(2) + "\n";
}

std::vector<Plan> fromJson(const std::string &text) {
  ordered_json all = parsed(text);
  std::vector<Plan> plans;
  std::set<std::pair<std::string, int>> seen;
  for (const ordered_json &one : all) {
    if (one.is_object())
      checkVersion(one, plans.size());
    Plan plan;
    Reader(plans.size()).object(one, "", plan);
    if (!seen.emplace(plan.function, plan.region).second)
      refuse(fmt::format("there are two entries for region {} of {}", plan.region, plan.function));
    plans.push_back(std::move(plan));
  }
  return plans;
}

} // namespace nw
