// Mistakes in data clauses.
#include "frontend/openacc/data_mistakes.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

using namespace openacc;

namespace {

bool isIdentifier(const std::string &text) {
  return !text.empty() && !isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return isalnum(c) || c == '_'; });
}

bool isNumber(const std::string &text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return isdigit(c); });
}

// Whether an address is enough: the variable is on the device already, or goes.
bool needsNoLength(DataKind kind) {
  switch (kind) {
  case DataKind::Present:
  case DataKind::NoCreate:
  case DataKind::DevicePtr:
  case DataKind::Attach:
  case DataKind::Detach:
  case DataKind::Delete:
  case DataKind::UseDevice:
    return true;
  default:
    return false;
  }
}

class Mistakes {
public:
  std::vector<Diagnostic> out;

  void directive(const Directive &d, const std::vector<Directive> &all) {
    if (!d.inMainFile && d.kind != DirectiveKind::Loop && d.kind != DirectiveKind::Cache &&
        d.kind != DirectiveKind::Atomic && d.kind != DirectiveKind::Routine) {
      say("NW0323", d.at,
          fmt::format("'{}' comes out of a macro or a _Pragma, where nestwarp cannot handle it",
                      nameOf(d.kind)),
          "write the directive as #pragma acc in the source");
      return;
    }
    for (const Directive &around : all)
      if (around.isCompute() && &around != &d && around.blockBegin <= d.beginOffset &&
          d.beginOffset < around.blockEnd && (d.isCompute() || isAboutData(d.kind)))
        say("NW0326", d.at,
            fmt::format("'{}' stands inside of '{}' (line {})", nameOf(d.kind), nameOf(around.kind),
                        around.at.line),
            "put data directives around a compute construct, not inside it");
    for (const std::optional<std::string> &text : {d.condition})
      if (text && text->empty())
        say("NW0323", d.at,
            fmt::format("the condition of '{}' comes out of a macro", nameOf(d.kind)),
            "write it without the macro, or compute it before in a variable");
    for (size_t k = 0; k < d.data.size(); k++) {
      clause(d, d.data[k]);
      for (size_t j = 0; j < k; j++)
        if (d.data[j].variable == d.data[k].variable && d.kind != DirectiveKind::Update &&
            !d.data[k].variable.empty())
          say("NW0325", d.data[k].at,
              fmt::format(
                  "'{}' is in two data clauses of this directive ('{}' in line {}, and '{}')",
                  d.data[k].variable, nameOf(d.data[j].kind), d.data[j].at.line,
                  nameOf(d.data[k].kind)),
              "name it once");
    }
  }

private:
  static bool isAboutData(DirectiveKind kind) {
    return kind == DirectiveKind::Data || kind == DirectiveKind::EnterData ||
           kind == DirectiveKind::ExitData || kind == DirectiveKind::Update ||
           kind == DirectiveKind::HostData;
  }

  void say(const char *code, Location at, std::string message, const char *help) {
    out.push_back({code, Severity::Error, at, std::move(message), help});
  }

  void clause(const Directive &d, const DataClause &c) {
    const char *name = nameOf(c.kind);
    if (c.kind == DataKind::FirstPrivate)
      return;
    auto isMissing = [](const Section &s) { return s.start == "?" || s.length == "?"; };
    if (c.variable.empty() || std::any_of(c.sections.begin(), c.sections.end(), isMissing)) {
      say("NW0323", c.at, fmt::format("what '{}' names comes out of a macro", name),
          "write the variable and its section without the macro");
      return;
    }
    bool isArray = c.isPointer || c.dimensions > 0;
    if ((c.kind == DataKind::DevicePtr || c.kind == DataKind::UseDevice) && !isArray)
      say("NW0322", c.at,
          fmt::format("'{}({})' names something that is neither an array nor a pointer", name,
                      c.text),
          "name an array or a pointer");
    else if (c.kind == DataKind::UseDevice && (!isIdentifier(c.variable) || !c.sections.empty()))
      say("NW0322", c.at, fmt::format("'use_device({})' names more than a variable", c.text),
          "assign it to a pointer variable before, and name that");
    else if (c.kind == DataKind::DevicePtr && (!c.isPointer || !c.sections.empty()))
      say("NW0322", c.at,
          fmt::format("'deviceptr({})' names something that is not a pointer variable", c.text),
          "name a pointer that holds an address on the device");
    else if (d.kind == DirectiveKind::Update && c.isBitField)
      say("NW0322", c.at,
          fmt::format("'{}({})' names a bit-field, which has no address", name, c.text),
          "update the struct that it is part of");
    else if (int(c.sections.size()) > std::max(c.dimensions, 0))
      say("NW0322", c.at,
          fmt::format("'{}({})' has more subscripts than the array has contiguous dimensions", name,
                      c.text),
          "an array of pointers is not contiguous: use one block of memory");
    else if (c.isPointer && c.sections.empty() && !needsNoLength(c.kind))
      say("NW0320", c.at,
          fmt::format("'{}({})' names a pointer, which does not tell how much memory it points to",
                      name, c.text),
          fmt::format("write the section, as in {}[0:n]", c.variable).c_str());
    else if (d.kind != DirectiveKind::Update)
      pieces(c);
  }

  // Only what lies in one piece can be kept on the device; numbers tell.
  void pieces(const DataClause &c) {
    bool isOuterLong = false;
    for (size_t k = 0; k < c.sections.size(); k++) {
      const Section &s = c.sections[k];
      bool isWhole =
          (s.start.empty() || s.start == "0") && (s.length.empty() || s.length == c.extents[k]);
      bool isSurelyPart =
          (isNumber(s.start) && s.start != "0") ||
          (isNumber(s.length) && isNumber(c.extents[k]) && s.length != c.extents[k]);
      if (isOuterLong && !isWhole && isSurelyPart) {
        say("NW0321", c.at,
            fmt::format("'{}({})': this section is not contiguous", nameOf(c.kind), c.text),
            "name whole rows; only update takes such a section");
        return;
      }
      isOuterLong |= s.length != "1";
    }
  }
};

} // namespace

std::vector<Diagnostic> dataMistakes(const std::vector<Directive> &directives) {
  Mistakes mistakes;
  for (const Directive &d : directives)
    mistakes.directive(d, directives);
  return mistakes.out;
}

} // namespace nw
