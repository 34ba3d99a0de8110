// The commands of the tool; each returns the process's exit status.
#pragma once
#include <string>
#include <vector>

namespace nw {

// What follows the command's name on the line.
using Arguments = std::vector<std::string>;

int compileCommand(const Arguments &arguments);
int ccCommand(const Arguments &arguments, bool cxx);
int benchCommand(const Arguments &arguments);
int explainCommand(const Arguments &arguments);
int lintCommand(const Arguments &arguments);
int tuneCommand(const Arguments &arguments);
int checkCommand(const Arguments &arguments);
int devicesCommand(const Arguments &arguments);

} // namespace nw
