// Findings as SARIF 2.1.0, for editors and CI.
#include "lint/lint.h"
#include "support/text.h"
#include <cctype>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nw::lint {

namespace {

using Json = nlohmann::ordered_json;

struct Rule {
  const char *id, *name, *text, *help;
};

// docs/diagnostics.md tells more of each.
constexpr Rule kRules[] = {
    {"NW0500", "Access", "An access, as --accesses lists them", "Nothing needs to be done."},
    {"NW0501", "UncoalescedAccess",
     "A warp's access of global memory takes more transactions than it would have to",
     "Let threadIdx.x run along contiguous elements, or go through a tile in shared memory."},
    {"NW0502", "BankConflict",
     "Threads of a warp touch different words of one bank of shared memory",
     "Pad the rows of the array by one element, or let neighbouring threads touch neighbouring "
     "words."},
    {"NW0503", "LowOccupancy", "Few warps can be resident on a multiprocessor",
     "Let a block take less of what limits it, or take larger blocks."},
    {"NW0504", "PartialWarps", "The threads of a block are no multiple of a warp",
     "Take a multiple of the warp's size."},
    {"NW0505", "RepeatedLoad", "A thread loads an element that it has loaded before",
     "Keep it in a variable, or declare the pointers __restrict__."},
    {"NW0506", "LoadByManyThreads", "Many threads of a block load the same elements in a long loop",
     "Let the block copy tiles to shared memory and read them there."},
    {"NW0507", "DivergentCondition", "Threads of most warps diverge on a condition",
     "Let whole warps take the same branch."},
    {"NW0508", "UnusedSharedMemory", "Shared memory is declared and not used", "Remove it."},
    {"NW0509", "ImpossibleBlock", "A block is larger than any device allows",
     "Use more blocks that are smaller."},
    {"NW0510", "UnknownAddress", "An address depends on data",
     "Nothing has to be done; the access was not analysed."},
    {"NW0511", "UnreadKernel", "A kernel could not be analysed",
     "Write it without the construct that is named."},
    {"NW0512", "AssumedBlock", "The shape of a block is not known", "Give it with --block."},
};

Json ruleJson(const Rule &r) {
  Json j;
  j["id"] = r.id;
  j["name"] = r.name;
  j["shortDescription"]["text"] = r.text;
  j["help"]["text"] = r.help;
  return j;
}

// What may stand in a relative URI as it is; the rest in percents.
std::string uriOf(const std::string &path) {
  std::string out;
  for (unsigned char c : path)
    out += isalnum(c) || strchr("/._-~", c) ? std::string(1, char(c)) : fmt::format("%{:02X}", c);
  return path.starts_with("/") ? "file://" + out : out;
}

// Columns are counted in bytes here, and in UTF-16 there.
int utf16Column(const std::string &line, int column) {
  int units = 1;
  for (int k = 0; k + 1 < column && k < int(line.size()); k++) {
    unsigned char c = static_cast<unsigned char>(line[size_t(k)]);
    units += c >= 0xF0 ? 2 : (c & 0xC0) != 0x80;
  }
  return units;
}

} // namespace

std::string toSarif(const Findings &found, const written::File &file) {
  Json results = Json::array();
  for (const Finding &f : found) {
    const Diagnostic &d = f.diagnostic;
    size_t rule = 0;
    while (rule + 1 < std::size(kRules) && d.code != kRules[rule].id)
      rule++;
    Json j;
    j["ruleId"] = d.code;
    j["ruleIndex"] = rule;
    j["level"] = d.severity == Severity::Error     ? "error"
                 : d.severity == Severity::Warning ? "warning"
                                                   : "note";
    j["message"]["text"] = d.help.empty() ? d.message : d.message + ". " + "To do: " + d.help;
    Json where;
    where["physicalLocation"]["artifactLocation"] = {{"uri", uriOf(file.file)}};
    if (d.at.line) {
      std::string line = lineOf(file.source, d.at.line);
      where["physicalLocation"]["region"] = {
          {"startLine", d.at.line},
          {"startColumn", utf16Column(line, d.at.column)},
          {"endLine", d.at.line},
          {"endColumn", utf16Column(line, d.at.column + f.length)}};
    }
    where["logicalLocations"] = Json::array({{{"name", f.kernel}, {"kind", "function"}}});
    j["locations"] = Json::array({where});
    results.push_back(j);
  }
  Json driver;
  driver["name"] = "nestwarp lint";
  driver["rules"] = Json::array();
  for (const Rule &r : kRules)
    driver["rules"].push_back(ruleJson(r));
  Json run;
  run["tool"]["driver"] = driver;
  run["columnKind"] = "utf16CodeUnits";
  run["artifacts"] = Json::array({{{"location", {{"uri", uriOf(file.file)}}}}});
  run["results"] = results;
  Json all;
  all["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  all["version"] = "2.1.0";
  all["runs"] = Json::array({run});
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace nw::lint
