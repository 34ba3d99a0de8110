// nestwarp devices: another process looks, because OpenCL implementations and libclang do not share one.
#include "cli/commands.h"
#include "cli/process.h"

namespace nw {

int devicesCommand(const std::vector<std::string> &arguments) {
  std::vector<std::string> line = {runnerProgram(), "devices"};
  line.insert(line.end(), arguments.begin(), arguments.end());
  return run(line);
}

} // namespace nw
