// Reading NAME=VALUE, and what several runs have in one driver.
#include "check/check_settings.h"
#include "support/diagnostics.h"
#include "support/exit_status.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace nw {

CheckSettings settingsFor(const CheckSettings &all, const std::string &function) {
  CheckSettings own = all;
  for (auto member : {&CheckSettings::sizes, &CheckSettings::extents}) {
    (own.*member).clear();
    for (bool isQualified : {false, true}) // the qualified one wins
      for (auto &[name, value] : all.*member)
        if (size_t dot = name.find('.'); (dot != std::string::npos) == isQualified &&
                                         (!isQualified || name.substr(0, dot) == function))
          (own.*member)[isQualified ? name.substr(dot + 1) : name] = value;
  }
  return own;
}

std::map<std::string, std::string> settingsOf(const std::vector<std::string> &words) {
  std::map<std::string, std::string> all;
  for (const std::string &s : words) {
    size_t at = s.find('=');
    if (at == std::string::npos || at == 0)
      throw UserError{"'" + s + "' is not a setting; expected NAME=VALUE", kUsage};
    all[s.substr(0, at)] = s.substr(at + 1);
  }
  return all;
}

namespace {

void expectNumber(const std::string &name, const std::string &value) {
  char *end = nullptr;
  bool beginsAsOne =
      value.find_first_of("+-.0123456789") == 0; // strtod takes blanks, and words such as nan
  if (!beginsAsOne || !std::isfinite(std::strtod(value.c_str(), &end)) || *end)
    throw UserError{fmt::format("--size {}={}: expected a number, as in {}=129", name, value, name),
                    kUsage};
}

// The words between commas; a comma at the end is followed by an empty one.
std::vector<std::string> betweenCommas(const std::string &text) {
  std::vector<std::string> words(1);
  for (char c : text)
    if (c == ',')
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

} // namespace

std::map<std::string, std::string> numbersOf(const std::vector<std::string> &words) {
  std::map<std::string, std::string> all = settingsOf(words);
  for (auto &[name, value] : all)
    expectNumber(name, value);
  return all;
}

std::vector<std::map<std::string, std::string>>
numbersByRun(const std::vector<std::string> &words) {
  std::map<std::string, std::vector<std::string>> lists;
  std::string longest;
  size_t count = 1;
  for (auto &[name, text] : settingsOf(words)) {
    lists[name] = betweenCommas(text);
    for (const std::string &value : lists[name])
      expectNumber(name, value);
    if (size_t own = lists[name].size(); own > 1 && count > 1 && own != count)
      throw UserError{fmt::format("--size: {} has {} values and {} has {}; lists go side by side, "
                                  "so they are equally long",
                                  longest, count, name, own),
                      kUsage};
    else if (own > 1)
      longest = name, count = own;
  }
  std::vector<std::map<std::string, std::string>> runs(count);
  for (size_t k = 0; k < count; k++)
    for (auto &[name, values] : lists)
      runs[k][name] = values[values.size() == 1 ? 0 : k];
  return runs;
}

std::map<std::string, std::string> sizesOfRuns(const std::vector<CheckSettings> &runs) {
  std::map<std::string, std::string> texts = runs.back().sizes;
  for (size_t k = runs.size() - 1; k-- > 0;)
    for (auto &[name, text] : texts)
      if (const std::string &value = runs[k].sizes.at(name); value != text)
        text = fmt::format("(nw_run == {} ? {} : {})", k, value, text);
  return texts;
}

std::string runInWords(const std::vector<CheckSettings> &runs, size_t run) {
  std::string words;
  for (auto &[name, value] : runs[run].sizes)
    if (std::any_of(runs.begin(), runs.end(),
                    [&](const CheckSettings &other) { return other.sizes.at(name) != value; }))
      words += fmt::format("{}{}={}", words.empty() ? "" : " ", name, value);
  return runs.size() == 1 ? "" : fmt::format(" ({})", words);
}

} // namespace nw
