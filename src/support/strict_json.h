// JSON from files that people write: no field twice, no deep nesting, errors that name the file and
// the line.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace nw {

// Throws UserError; `file` is for its message.
nlohmann::ordered_json parseStrictJson(const std::string &text, const std::string &file);

} // namespace nw
