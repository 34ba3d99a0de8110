// The commands of the tool; each returns the process's exit status.
#pragma once
#include <string>
#include <vector>

namespace nw {

int compileCommand(const std::vector<std::string> &arguments);
int ccCommand(const std::vector<std::string> &arguments);
int benchCommand(const std::vector<std::string> &arguments);
int explainCommand(const std::vector<std::string> &arguments);
int lintCommand(const std::vector<std::string> &arguments);
int tuneCommand(const std::vector<std::string> &arguments);
int checkCommand(const std::vector<std::string> &arguments);
int devicesCommand(const std::vector<std::string> &arguments);

} // namespace nw
