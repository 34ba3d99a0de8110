// What became of fields of plans of earlier versions, for the message that refuses such a file.
#pragma once
#include <nlohmann/json.hpp>

namespace nw {

// In words, of the fields that the entry of that version has: "points is threadTile now; leave out
// kind, which is no choice".
std::string whatChanged(const nlohmann::ordered_json &entry, int version);

} // namespace nw
