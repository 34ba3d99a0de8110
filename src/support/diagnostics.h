// What the tool tells its user: errors and remarks with a stable code, a location, a cause and a
// remedy.
#pragma once
#include "support/location.h"
#include <string>
#include <vector>

namespace nw {

enum class Severity { Error, Warning, Remark };

struct Diagnostic {
  std::string code; // "NW0001"
  Severity severity = Severity::Remark;
  Location at;
  std::string message; // what and why, in the user's terms
  std::string help;    // what would help
};

// Thrown for the user's mistakes outside the source: a missing file, an unwritable output, a bad
// option.
struct UserError {
  std::string message;
  int exitStatus = 1;
};

// Thrown when a check of our own fails: a bug in nestwarp, never wrong code.
struct InternalError {
  std::string message;
};

// file:line:column: remark: message [NW0001], the source line with a caret, and the help.
std::string render(const Diagnostic &d, const std::string &file, const std::string &source);

} // namespace nw
