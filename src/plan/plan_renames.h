// What became of fields of plans of version 1, for the message that refuses such a file.
#pragma once
#include <nlohmann/json.hpp>

namespace nw {

// In words, of the fields that the entry has: "points is threadTile now; kind is not a choice:
// leave it out".
std::string whatChanged(const nlohmann::ordered_json &entry);

} // namespace nw
