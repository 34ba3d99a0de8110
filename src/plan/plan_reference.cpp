// The tables of plan/plan_fields.h as Markdown.
#include "plan/plan_reference.h"
#include "plan/plan_fields.h"
#include "support/text.h"
#include <fmt/format.h>

namespace nw {

namespace {

// As lines of at most 100 columns; those after the first begin with two spaces.
std::string wrapped(const std::string &text) {
  constexpr size_t kColumns = 100;
  std::string out, line, word;
  auto end = [&] {
    if (!line.empty() && line.size() + 1 + word.size() > kColumns) {
      out += line + "\n";
      line = "  " + word;
    } else
      line += (line.empty() ? "" : " ") + word;
    word.clear();
  };
  for (char c : text)
    if (c == ' ')
      end();
    else
      word += c;
  end();
  return out + line + "\n";
}

std::string inWords(bool v) { return v ? "true" : "false"; }
template <WholeNumber T> std::string inWords(T v) { return std::to_string(v); }
std::string inWords(const std::vector<int> &v) {
  std::vector<std::string> all;
  for (int n : v)
    all.push_back(std::to_string(n));
  return "[" + joined(all, ", ") + "]";
}

// The kind of values, and how many, as in "list of 2 numbers, 1 to 32".
template <class T, class F> std::string typeOf(const F &field) {
  std::string count = field.entries.inWords(), many = count.empty() ? "" : count + " ";
  std::string numbers = field.numbers.inWords();
  if constexpr (std::same_as<T, bool>)
    return "true or false";
  else if constexpr (std::same_as<T, std::string>)
    return "text";
  else if constexpr (std::is_enum_v<T>)
    return "`" + joined(wordsOf(T{}), "`, `") + "`";
  else if constexpr (WholeNumber<T>)
    return numbers.empty() ? "number" : "number: " + numbers;
  else if constexpr (std::same_as<T, std::vector<int>>)
    return fmt::format("list of {}numbers{}", many, numbers.empty() ? "" : ", " + numbers);
  else if constexpr (std::same_as<T, std::vector<std::string>>)
    return fmt::format("list of {}names", many);
  else if constexpr (isList<T>)
    return fmt::format("list of {}objects", many);
  else
    return "object";
}

// Whether it must be there, and else what it is without.
template <class Owner, class F> std::string defaultOf(const F &field) {
  using T = std::remove_cvref_t<decltype(Owner{}.*field.member)>;
  if (field.isRequired)
    return "required";
  T value = Owner{}.*field.member;
  if constexpr (std::same_as<T, bool> || WholeNumber<T>)
    return "default " + inWords(value);
  else if constexpr (std::is_enum_v<T>)
    return "default `" + wordsOf(T{})[size_t(value)] + "`";
  else
    return "may be left out";
}

template <class F> std::string tunedOver(const F &field) {
  if (!field.knob)
    return "";
  std::vector<std::string> all;
  if constexpr (requires { inWords(field.listed[0]); })
    for (const auto &v : field.listed)
      all.push_back(inWords(v));
  return all.empty() ? "; tuned" : "; tuned over " + joined(all, ", ");
}

template <class Owner> std::string section(const std::string &title) {
  std::string out = fmt::format("### {}\n\n{}\n", title, wrapped(Fields<Owner>::about));
  Fields<Owner>::visit([&](const auto &field) {
    using T = std::remove_cvref_t<decltype(Owner{}.*field.member)>;
    out += wrapped(fmt::format("* `{}` ({}; {}{}). {}", field.name, typeOf<T>(field),
                               defaultOf<Owner>(field), tunedOver(field), field.meaning));
  });
  return out + "\n";
}

} // namespace

std::string planReference() {
  std::string out = section<Plan>("The entry of a region");
  out += section<KernelPlan>("`kernels[]`");
  out += section<TilePlan>("`kernels[].tiles[]`");
  out += section<StagedArray>("`kernels[].tiles[].staged[]`");
  out += section<ArrayPlan>("`kernels[].arrays[]`");
  out += section<BlockReductionPlan>("`kernels[].blockReductions[]`");
  out += section<FusePlan>("`kernels[].fuse`");
  out += section<LoopPlan>("`loops[]`");
  out.pop_back();
  return out;
}

} // namespace nw
