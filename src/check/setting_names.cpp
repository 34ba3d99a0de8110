// The names that --size and --extent can be given for.
#include "check/setting_names.h"
#include "check/check_function.h"
#include "support/exit_status.h"
#include "support/nearest.h"
#include "support/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

bool SettingNames::Function::has(const std::string &name) const {
  return std::count(parameters.begin(), parameters.end(), name) ||
         std::count(variables.begin(), variables.end(), name);
}

void SettingNames::add(const Compilation &c) {
  undescribed.insert(c.parsed.functionsSeen.begin(), c.parsed.functionsSeen.end());
  for (const Signature &s : c.parsed.signatures) {
    Function f{s.name, {}, {}, isCheckable(c, s)};
    for (const Variable &v : s.parameters)
      f.parameters.push_back(v.name);
    for (const CompiledRegion &r : c.regions)
      if (r.program.region.function == s.name)
        for (auto &[name, variable] : r.program.region.variables)
          f.variables.push_back(name);
    functions.push_back(f);
    undescribed.erase(s.name);
  }
}

void SettingNames::refuseOthers(const std::string &flag,
                                const std::map<std::string, std::string> &settings) const {
  std::vector<std::string> listed, known;
  for (const Function &f : functions)
    if (f.isCalled) {
      known.insert(known.end(), f.parameters.begin(), f.parameters.end());
      listed.push_back(f.name + " has " +
                       (f.parameters.empty() ? "no parameters" : joined(f.parameters, ", ")));
    }
  if (listed.empty()) // that has a message of its own
    return;
  for (auto &[setting, value] : settings) {
    size_t dot = setting.find('.');
    std::string function = dot == std::string::npos ? "" : setting.substr(0, dot);
    std::string name = dot == std::string::npos ? setting : setting.substr(dot + 1);
    bool isKnown = std::any_of(functions.begin(), functions.end(), [&](const Function &f) {
      return (function.empty() || f.name == function) && f.has(name);
    });
    if (isKnown || undescribed.count(function))
      continue;
    std::string near = nearestTo(name, known);
    throw UserError{fmt::format("{} {}={}: no such parameter; {}{}", flag, setting, value,
                                joined(listed, "; "),
                                near.empty() ? "" : fmt::format("; did you mean {}?", near)),
                    kUsage};
  }
}

} // namespace nw
