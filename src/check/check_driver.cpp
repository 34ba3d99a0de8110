// The driver of nestwarp check: a C program that fills inputs, calls the versions of a function and
// compares what they leave behind. It writes what it finds to a report, line by line, words parted
// by tabs:
//   scalar NAME VALUE              an integer parameter
//   stage NAME                     original, generated: this call has come back
//   device COUNT COUNT WHERE WHY   regions that ran on the device and on the host; why the last of
//   those did
//   outside LINE PLACE SUBSCRIPT ELEMENTS   the original leaves an array there; nothing is compared
//   different OBJECT ELEMENT DIFFERING COUNT ORIGINAL GENERATED WIDER
#include "check/check_harness.h"
#include "emit/dialect.h"
#include "support/embedded.h"
#include "support/text.h"
#include <fmt/format.h>

namespace nw {

namespace {

// What does not depend on the function: data and calls. `wide` is defined before.
const std::string kData = "\n" + embedded("check/text/check_data.c") + "\n";

// How results are judged.
const std::string kComparison = "\n" + embedded("check/text/check_comparison.c") + "\n";

// What a check does.
const std::string kRuns = "\n" + embedded("check/text/check_runs.c") + "\n";

char codeOf(const Type &t) {
  if (t.isFloat())
    return t.scalar == Scalar::F32 ? 'f' : 'd';
  return t.scalar == Scalar::Bool ? 'b' : isUnsigned(t.scalar) ? 'u' : 'i';
}

} // namespace

std::string driverSource(const CheckedFunction &f, const std::map<std::string, std::string> &sizes,
                         bool isDouble, const std::vector<std::string> &libraries,
                         const std::string &core) {
  size_t parameters = f.signature.parameters.size();
  bool returns = f.signature.result.scalar != Scalar::Void;
  std::string out = "#define _GNU_SOURCE\n";
  for (const char *header :
       {"dlfcn", "fenv", "limits", "math", "setjmp", "stdio", "stdlib", "string", "unistd"})
    out += fmt::format("#include <{}.h>\n", header);
  out += fmt::format("typedef {} wide;\n", isDouble ? "long double" : "double");
  out += fmt::format("#define MOST_OBJECTS {}\n", f.objects.size() + parameters + 2);
  out +=
      fmt::format("#define IS_RESULT(number) ({} && (number) == object_count - 1)\n", int(returns));
  out += core;
  out += "\nint main(int nw_count, char **nw_words) {\n  nw_report = fopen(nw_words[1], \"w\");\n  "
         "is_special = !strcmp(nw_words[2], \"special\");\n  nw_repeats = nw_count > 3 ? "
         "atoi(nw_words[3]) : 0;\n  nw_run = nw_count > 4 ? atoi(nw_words[4]) : 0;\n  "
         "nw_argument_count = nw_count, nw_argument_words = nw_words;\n";
  for (size_t k = 0; k < libraries.size(); k++)
    out += fmt::format("  libraries[{}] = load(\"{}\");\n", k, libraries[k]);
  // Scalars first: sizes of arrays depend on them.
  for (const CheckedObject &o : f.objects)
    if (!o.isArray && !o.isGlobal) {
      auto given = sizes.find(o.name);
      std::string value = given != sizes.end() ? given->second
                          : o.type.isFloat()   ? "(1.5 + 0.25 * uniform())"
                                               : "33";
      out += fmt::format("  {} {} = {};\n", storedType(o.type, Version::Original, isDouble), o.name,
                         value);
      if (std::string inTrees = Dialect().name(o.name);
          inTrees != o.name) // sizes of arrays have the names of trees
        out +=
            fmt::format("  {} {} = {};\n  (void){};\n",
                        storedType(o.type, Version::Original, isDouble), inTrees, o.name, inTrees);
      if (o.type.isInteger())
        out += fmt::format("  fprintf(nw_report, \"scalar\\t{0}\\t%lld\\n\", (long long){0});\n",
                           o.name);
    }
  int slot = 0, global = 0;
  for (const CheckedObject &o : f.objects) {
    if (o.isArray || o.isGlobal) {
      out += fmt::format("  nw_add(\"{}\", '{}', {}, {}, {}, {});\n", o.name, codeOf(o.type),
                         bytesOf(o.type.scalar), o.count, int(o.isGlobal),
                         o.isGlobal ? global++ : slot++);
      for (const ValueRange &r : o.ranges)
        out +=
            fmt::format("  nw_range(&objects[object_count - 1], {}, {}, {});\n", r.low,
                        r.high.empty() ? std::to_string(r.low + 127) : r.high, int(r.isAscending));
      continue;
    }
    out +=
        fmt::format("  {0} {1}_wide = {1};\n  for (int nw_v = 0; nw_v < VERSIONS; nw_v++)\n    "
                    "nw_arguments[nw_v][{2}] = nw_v == WIDER ? (void *)&{1}_wide : (void *)&{1};\n",
                    storedType(o.type, Version::Wider, isDouble), o.name, slot++);
    if (o.type.isFloat() && !sizes.count(o.name))
      out += fmt::format("  nw_scalar(&{0}, &{0}_wide, sizeof {0});\n", o.name);
  }
  if (returns)
    out += fmt::format("  nw_add(\"the result\", '{}', {}, 1, 0, {});\n",
                       codeOf(f.signature.result), bytesOf(f.signature.result.scalar), parameters);
  return out + "  fflush(nw_report);\n  exit(nw_check());\n}\n";
}

std::string driverData() { return kData; }
std::string driverComparison() { return kComparison; }

std::string driverText(const CheckedFunction &f, const std::map<std::string, std::string> &sizes,
                       const DriverOptions &options, const std::string &directory) {
  std::string core = fmt::format(
      "#define IS_EXACT {}\n#define IS_FAST {}\n#define HAS_NAN {}\n#define FACTOR {}\n",
      int(options.isExact), int(options.isFast), int(!options.isFast),
      options.callsFunctions ? 16 : 4);
  return driverSource(
      f, sizes, options.isDouble,
      {directory + "/original.so", directory + "/generated.so", directory + "/wider.so"},
      core + kData + kComparison + kRuns);
}

} // namespace nw
