// The names that --size and --extent can be given for. A mistyped one must not pass unheard.
#pragma once
#include "driver/pipeline.h"
#include <set>

namespace nw {

class SettingNames {
public:
  // Adds the parameters of the functions, and what their regions use.
  void add(const Compilation &compilation);
  // Throws UserError for a NAME or FUNCTION.NAME that there is not. `flag` is how it was given.
  void refuseOthers(const std::string &flag,
                    const std::map<std::string, std::string> &settings) const;

private:
  struct Function {
    std::string name;
    std::vector<std::string> parameters;
    std::vector<std::string> variables; // of its regions
    bool isCalled = false;
    bool has(const std::string &name) const;
  };
  std::vector<Function> functions;
  std::set<std::string> undescribed; // functions whose parameters are not known
};

} // namespace nw
