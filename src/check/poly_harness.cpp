// Texts of check --poly.
#include "check/poly_harness.h"
#include "check/source_kernels.h"
#include "support/embedded.h"
#include "support/text.h"
#include <fmt/format.h>
#include <sstream>

namespace nw {

namespace {

// The plain launches and tiles with guarded edges and, where they are wanted, resident kernels; and
// the kernels that are left. Other forms keep no account.
Kernels plainForm(const Kernels &given, bool keepsResident = false) {
  Kernels out = given;
  out.kernels.clear();
  std::map<int, int> numbers;
  std::function<HostStep(const HostStep &)> plain = [&](const HostStep &s) {
    HostStep copy = s;
    std::erase_if(copy.alternatives, [&](const HostAlternative &a) {
      return a.form != KernelForm::Tiles && !(keepsResident && a.form == KernelForm::Resident);
    });
    if (s.kind == HostKind::Choice && copy.alternatives.empty())
      return plain(fallbackOf(s));
    forEachPart(copy, [&](HostStep &part) { part = plain(part); });
    if (copy.kind == HostKind::Launch) {
      if (!numbers.count(s.kernel)) {
        numbers[s.kernel] = int(out.kernels.size());
        out.kernels.push_back(given.kernels[size_t(s.kernel)]);
      }
      copy.kernel = numbers[s.kernel];
    }
    return copy;
  };
  out.host = plain(given.host);
  return out;
}

const std::string kRecords = "\n" + embedded("check/text/poly_records.c") + "\n";

std::string lettersOf(const StatementRecord &r) {
  std::string letters;
  for (const ReadSite &s : r.sites)
    letters += s.isNested ? 'n' : 'r';
  return letters;
}

} // namespace

PolyRegion polyRegion(const CompiledRegion &r) {
  RecordLayout layout = layoutOf(r.program);
  InstrumentOptions source;
  source.isSource = true;
  source.copiesBack = false;
  PolyRegion out{
      layout, instrument(r.program, sourceKernels(r.program, r.kernels), layout, source), {}};
  InstrumentOptions options;
  if (hasForm(r.kernels.host, KernelForm::Resident)) {
    options.copiesBack = false;
    options.suffix = "_plain";
    out.forms.push_back(
        {"plain launches", instrument(r.program, plainForm(r.kernels), layout, options)});
  }
  out.forms.push_back(
      {"as launched", instrument(r.program, plainForm(r.kernels, true), layout, {})});
  return out;
}

std::string polyFile(const Compilation &c, const std::vector<PolyRegion> &regions) {
  std::vector<EmittedRegion> all;
  std::string entries;
  for (size_t k = 0; k < regions.size(); k++) {
    const CompiledRegion &r = c.regions[k];
    const PolyRegion &poly = regions[k];
    EmittedRegion own{&r.program, &r.kernels, r.entry, r.where};
    std::string arguments = joined(regionParameters(own), ", "), letters = "\"\"";
    for (const StatementRecord &s : poly.layout.statements)
      letters += fmt::format(", \"{}\"", lettersOf(s));
    entries += fmt::format("static const char *const nw_sites_{}[256] = {{{}}};\n", k, letters);
    entries += fmt::format("{} {{\n  nw_poly_run(0);\n  if (!{}_source({}))\n    return 0;\n",
                           regionPrototype(own), r.entry, arguments);
    all.push_back({&poly.source.program, &poly.source.kernels, r.entry + "_source", r.where});
    for (size_t n = 0; n < poly.forms.size(); n++) {
      const PolyForm &f = poly.forms[n];
      std::string entry = fmt::format("{}_form{}", r.entry, n);
      entries += fmt::format("  nw_poly_run(1);\n  if (!{}({}))\n    return 0;\n  "
                             "nw_poly_compare({}, \"{}\", {}, nw_sites_{});\n",
                             entry, arguments, k, f.name, poly.layout.words, k);
      all.push_back({&f.code.program, &f.code.kernels, entry, r.where});
    }
    entries += "  return 1;\n}\n\n";
  }
  EmitOptions options = c.emitOptions;
  options.contract = false; // both runs take the same branches
  std::string head =
      "void *nw_record(const char *name, const char *what, long long low, long long high);\nvoid "
      "nw_poly_run(int which);\n"
      "void nw_poly_compare(int region, const char *form, int words, const char *const *sites);\n";
  return head + runtimeFile(all, options) + entries;
}

std::string polyDriverText(const CheckedFunction &f,
                           const std::map<std::string, std::string> &sizes, bool isDouble,
                           const std::vector<std::string> &libraries) {
  return driverSource(f, sizes, isDouble, libraries,
                      "#define HAS_NAN 0\n" + driverData() + kRecords);
}

PolyReport readPolyReport(const std::string &text) {
  PolyReport out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> words;
    std::istringstream parts(line);
    for (std::string word; std::getline(parts, word, '\t');)
      words.push_back(word);
    if (words.size() == 5 && words[0] == "poly") {
      out.instances += std::stoll(words[3]);
      out.reads += std::stoll(words[4]);
    } else if (words.size() == 11 && words[0] == "violation") {
      PolyViolation v;
      v.region = std::stoi(words[1]);
      v.form = words[2];
      v.kind = words[3];
      v.writer = std::stoull(words[4]);
      v.site = std::stoi(words[5]);
      v.expected = std::stoull(words[6]);
      v.found = std::stoull(words[7]);
      v.array = words[8];
      v.element = std::stoll(words[9]);
      v.many = std::stoll(words[10]);
      out.violations.push_back(v);
    }
  }
  return out;
}

} // namespace nw
