// Strict JSON.
#include "support/strict_json.h"
#include "support/diagnostics.h"
#include <set>
#include <vector>

namespace nw {

using nlohmann::ordered_json;

ordered_json parseStrictJson(const std::string &text, const std::string &file) {
  constexpr size_t kDeepest = 16, kShown = 60, kLongest = 300; // the messages quote the file
  std::vector<std::set<std::string>> open; // the fields seen of the objects that are open
  // The parser looks through a whole list at the end of each object in it.
  constexpr size_t kMostObjects = 15000;
  size_t depth = 0, objects = 0;
  auto watch = [&](int, ordered_json::parse_event_t event, ordered_json &parsed) {
    using Event = ordered_json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start)
      if (++depth > kDeepest)
        throw UserError{"'" + file + "' is nested too deeply"};
    if (event == Event::object_end || event == Event::array_end)
      depth--;
    if (event == Event::object_start) {
      open.emplace_back();
      if (++objects > kMostObjects)
        throw UserError{"'" + file + "' has too many objects; expected up to " +
                        std::to_string(kMostObjects)};
    }
    if (event == Event::object_end)
      open.pop_back();
    if (event == Event::key && !open.back().insert(parsed.get<std::string>()).second)
      throw UserError{"'" + file + "' gives the field '" +
                      parsed.get<std::string>().substr(0, kShown) + "' twice; remove one of them"};
    return true;
  };
  try {
    return ordered_json::parse(text, watch);
  } catch (const ordered_json::exception &e) {
    throw UserError{"'" + file + "' is not JSON: " + std::string(e.what()).substr(0, kLongest)};
  }
}

} // namespace nw
