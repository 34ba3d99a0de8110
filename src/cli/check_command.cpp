#include "cli/commands.h"
#include "support/diagnostics.h"
namespace nw {
int checkCommand(const std::vector<std::string> &) { throw UserError{"check is not built yet"}; }
}
