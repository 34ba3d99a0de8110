// Text of data directives.
#include "frontend/openacc/data_text.h"
#include "support/text.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace nw {

using namespace openacc;

namespace {

// Numbers of the runtime's enumerations, with their names beside them: the user's file includes no
// header of ours.
std::string numberOf(DataKind kind) {
  switch (kind) {
  case DataKind::CopyIn:
    return "1 /* copyin */";
  case DataKind::CopyOut:
    return "2 /* copyout */";
  case DataKind::Copy:
    return "3 /* copy */";
  case DataKind::Create:
    return "4 /* create */";
  case DataKind::Present:
    return "5 /* present */";
  case DataKind::NoCreate:
    return "6 /* no_create */";
  case DataKind::Delete:
    return "7 /* delete */";
  case DataKind::Host:
    return "8 /* host */";
  case DataKind::Device:
    return "9 /* device */";
  default:
    return "";
  }
}

int directiveNumber(DirectiveKind kind) {
  return kind == DirectiveKind::EnterData  ? 1
         : kind == DirectiveKind::ExitData ? 2
         : kind == DirectiveKind::Update   ? 3
                                           : 0;
}

bool standsAlone(DirectiveKind kind) {
  switch (kind) {
  case DirectiveKind::EnterData:
  case DirectiveKind::ExitData:
  case DirectiveKind::Update:
  case DirectiveKind::Wait:
  case DirectiveKind::Init:
  case DirectiveKind::Shutdown:
  case DirectiveKind::Set:
    return true;
  default:
    return false;
  }
}

class Printer {
public:
  Printer(const std::vector<TextSpan> &regions, const std::string &source, const std::string &file)
      : regions(regions), source(source), file(file) {}

  std::vector<TextBracket> out;

  void directive(const Directive &d) {
    if (!d.inMainFile)
      return;
    where = quotedForC(
        fmt::format("{}:{}", std::filesystem::path(file).filename().string(), d.at.line));
    mark = std::to_string(d.beginOffset);
    level = -int(source.size()) +
            int(d.beginOffset); // what is written first is outside, and regions are inside of all
    if (standsAlone(d.kind))
      out.push_back({d.beginOffset, d.endOffset, alone(d), "", true});
    else if (d.kind == DirectiveKind::Data)
      around(d.blockBegin, d.blockEnd, "{ " + begun(d, d.condition.value_or("1")),
             fmt::format(" nw_data_end(nw_data_{}); }}", mark));
    else if (d.kind == DirectiveKind::HostData)
      hostData(d);
    else if (d.isCompute())
      compute(d);
  }

private:
  // A directive that stood on a line of its own keeps it.
  void around(unsigned begin, unsigned end, std::string before, std::string after) {
    if (begin < source.size() && source[begin] == '#')
      before += fmt::format("\n#line {} {}\n",
                            1 + std::count(source.begin(), source.begin() + begin, '\n'),
                            quotedForC(file));
    out.push_back({begin, end, before, after, false, level});
  }

  std::string alone(const Directive &d) {
    if (directiveNumber(d.kind) == 0)
      return "{ }";
    return fmt::format("{{ {}nw_data_end(nw_data_{}); }}", begun(d, d.condition.value_or("1")),
                       mark);
  }

  // The directive with its items.
  std::string begun(const Directive &d, const std::string &condition) {
    std::string items;
    for (const DataClause &c : d.data)
      items += item(d, c);
    std::string begin = fmt::format("void *nw_data_{} = nw_data_begin({}, {}, !!({}));", mark,
                                    where, directiveNumber(d.kind), condition);
    return items.empty() ? begin + " "
                         : fmt::format("{} if (nw_data_{}) {{ {}}} ", begin, mark, items);
  }

  // Numbers and structs are not kept on the device: each region brings them along, as if their
  // memory were shared. Those in an array that is there are updated with it.
  std::string item(const Directive &d, const DataClause &c) {
    std::string kind = numberOf(c.kind);
    bool isPart = c.dimensions == 0 && !c.isPointer;
    if (kind.empty() || (isPart && (d.kind != DirectiveKind::Update || !c.mayLieInArray)))
      return "";
    if (c.always)
      kind += " | 16 /* always */";
    if (c.zero)
      kind += " | 32 /* zero */";
    if (d.finalize)
      kind += " | 64 /* finalize */";
    if (d.ifPresent || isPart)
      kind += " | 128 /* if_present */";
    return fmt::format("nw_data_item(nw_data_{}, {}, {}, (const void *){}({}), {}); ", mark, kind,
                       quotedForC(c.text), isPart ? "&" : "", c.variable, section(c));
  }

  std::string section(const DataClause &c) {
    if (c.sections.empty())
      return c.isPointer ? "0ll, 0" : fmt::format("(long long)sizeof({}), 0", c.variable);
    auto below = [&](int k) {
      std::string text = "(" + c.variable + ")";
      for (int j = 0; j < k; j++)
        text += "[0]";
      return "sizeof(" + text + ")";
    };
    std::string text = fmt::format("(long long){}, {}", below(c.dimensions), c.dimensions);
    for (int k = 0; k < c.dimensions; k++) {
      Section s = k < int(c.sections.size()) ? c.sections[k] : Section{};
      std::string extent = k == 0 && c.isPointer
                               ? "-1ll"
                               : fmt::format("(long long)({} / {})", below(k), below(k + 1));
      text += fmt::format(", (long long)({}), {}, {}", s.start.empty() ? "0" : s.start,
                          s.length.empty() ? "-1ll" : "(long long)(" + s.length + ")", extent);
    }
    return text;
  }

  // The names of the arrays mean addresses on the device within the block.
  void hostData(const Directive &d) {
    std::string before = "{ ", inner = "{ ";
    int k = 0;
    for (const DataClause &c : d.data) {
      if (c.dimensions == 0 && !c.isPointer)
        continue;
      std::string type = fmt::format("__typeof__(&({})[0])", c.variable),
                  name = fmt::format("nw_device_{}_{}", mark, k++);
      std::string address =
          fmt::format("nw_device_address({}, {}, (const void *)({}), {}, {})", where,
                      quotedForC(c.text), c.variable, d.ifPresent ? 1 : 0, c.computedIn);
      if (d.condition)
        address = fmt::format("({} ? {} : (void *)({}))", *d.condition, address, c.variable);
      before += fmt::format("{0} {1} = ({0}){2}; ", type, name, address);
      inner += fmt::format("__typeof__({0}) {1} = {0}; ", name, c.variable);
    }
    around(d.blockBegin, d.blockEnd, before + inner, " } }");
  }

  void compute(const Directive &d) {
    unsigned begin = d.beginOffset, end = d.blockEnd;
    bool covered = isCovered(source, d.blockBegin, d.blockEnd, regions), holds = false;
    for (const TextSpan &r : regions) // pragmas above the directive belong to its region
      if (r.begin < begin && r.end <= end && r.end > begin)
        begin = r.begin;
    for (const DataClause &c : d.data)
      holds |= !item(d, c).empty();
    if (covered && !holds)
      return;
    std::string condition = fmt::format("nw_if_{}", mark), asked = conditionOf(d);
    std::string before =
        fmt::format("{{ int {} = {}; {}", condition, asked.empty() ? "1" : "!!(" + asked + ")",
                    begun(d, condition));
    std::string after = fmt::format(" nw_data_end(nw_data_{}); }}", mark);
    if (!covered) {
      for (const DataClause &c : d.data)
        if (c.kind == DataKind::DevicePtr)
          before +=
              fmt::format("nw_needs_device({}, {}, {}); ", where, quotedForC(c.text), condition);
      before += fmt::format("nw_host_begin({}, {}); ", where, condition);
      after = fmt::format(" nw_host_end({});", condition) + after;
    }
    around(begin, end, before, after);
  }

  const std::vector<TextSpan> &regions;
  const std::string &source, &file;
  std::string where, mark;
  int level = 0;
};

} // namespace

std::string conditionOf(const Directive &d) {
  std::string condition = d.condition ? "(" + *d.condition + ")" : "";
  if (d.self)
    condition += (condition.empty() ? "!(" : " && !(") + (d.self->empty() ? "1" : *d.self) + ")";
  return condition;
}

bool isDevicePointer(const std::string &variable, unsigned begin, unsigned end,
                     const std::vector<Directive> &directives) {
  for (const Directive &d : directives)
    if (d.blockBegin < end && begin < d.blockEnd &&
        (d.isCompute() || d.kind == DirectiveKind::Data))
      for (const DataClause &c : d.data)
        if (c.kind == DataKind::DevicePtr && c.variable == variable)
          return true;
  return false;
}

bool isPresentByDefault(unsigned begin, unsigned end, const std::vector<Directive> &directives) {
  for (const Directive &d : directives)
    if (d.isCompute() && d.blockBegin < end && begin < d.blockEnd && d.defaultTo == "present")
      return true;
  return false;
}

bool isCovered(const std::string &source, unsigned begin, unsigned end,
               const std::vector<TextSpan> &regions) {
  for (unsigned at = begin; at < end;) {
    auto inside = [&](const TextSpan &r) { return r.begin <= at && at < r.end; };
    if (auto r = std::find_if(regions.begin(), regions.end(), inside); r != regions.end()) {
      at = r->end;
      continue;
    }
    auto skipTo = [&](const char *text, size_t length) {
      size_t found = source.find(text, at);
      at = found == std::string::npos ? end : unsigned(found + length);
    };
    if (source.compare(at, 2, "//") == 0)
      skipTo("\n", 1);
    else if (source.compare(at, 2, "/*") == 0)
      skipTo("*/", 2);
    else if (source[at] == '#') {
      do
        skipTo("\n", 1);
      while (at < end && at >= 2 && source[at - 2] == '\\');
    } else if (isspace(static_cast<unsigned char>(source[at])) || source[at] == '{' ||
               source[at] == '}' || source[at] == ';')
      at++;
    else
      return false;
  }
  return true;
}

std::vector<TextBracket> dataBrackets(const std::vector<Directive> &directives,
                                      const std::vector<TextSpan> &regions,
                                      const std::string &source, const std::string &file) {
  Printer printer(regions, source, file);
  for (const Directive &d : directives)
    printer.directive(d);
  return printer.out;
}

std::string dataPrototypes(bool isCxx) {
  std::string all;
  for (const char *p :
       {"void *nw_data_begin(const char *, int, int);",
        "void nw_data_item(void *, int, const char *, const void *, long long, int, ...);",
        "void nw_data_end(void *);",
        "void *nw_device_address(const char *, const char *, const void *, int, int);",
        "void nw_host_begin(const char *, int);", "void nw_host_end(int);",
        "void nw_needs_device(const char *, const char *, int);"})
    all += std::string(isCxx ? "extern \"C\" " : "") + p + " ";
  return all;
}

} // namespace nw
