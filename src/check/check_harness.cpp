// Wrappers, and how they are compiled.
#include "check/check_harness.h"
#include "driver/host_compiler.h"
#include "ir/evaluate.h"
#include "support/exit_status.h"
#include "support/install_paths.h"
#include "support/process.h"
#include "support/text.h"
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace nw {

int statusOf(Verdict worst) {
  return worst == Verdict::Different    ? kFailed
         : worst == Verdict::NothingRan ? kNothingChecked
                                        : kDone;
}

std::string storedType(const Type &t, Version version, bool isDouble) {
  if (version == Version::Wider && t.isFloat())
    return isDouble ? "long double" : "double";
  return t.scalar == Scalar::Bool ? "unsigned char" : cName(t.scalar);
}

std::string wrapperText(const CheckedFunction &f, const std::string &file, Version version,
                        bool isDouble) {
  std::string out;
  if (version == Version::Wider) {
    // Headers first, so that they keep their types; only those that the source may include, whose
    // names may be its own otherwise.
    for (const char *header : {"assert", "ctype", "errno", "float", "limits", "math", "stdbool",
                               "stddef", "stdint", "stdio", "stdlib", "string", "time", "unistd"})
      if (f.source.empty() || f.source.find("#include \"") != std::string::npos ||
          f.source.find(fmt::format("<{}.h>", header)) != std::string::npos)
        out += fmt::format("#include <{}.h>\n", header);
    for (const char *g :
         {"sqrt",  "fabs",  "floor", "ceil", "trunc", "round",    "rint",  "nearbyint",
          "fmin",  "fmax",  "fmod",  "fma",  "exp",   "exp2",     "expm1", "log",
          "log2",  "log10", "log1p", "pow",  "sin",   "cos",      "tan",   "asin",
          "acos",  "atan",  "atan2", "sinh", "cosh",  "tanh",     "asinh", "acosh",
          "atanh", "cbrt",  "hypot", "erf",  "erfc",  "copysign", "fdim"})
      out += isDouble ? fmt::format("#define {0}f {0}l\n#define {0} {0}l\n", g)
                      : fmt::format("#define {0}f {0}\n", g);
    out +=
        isDouble ? "#define double long double\n#define float double\n" : "#define float double\n";
  }
  out += fmt::format("#define main nw_user_main\n#include \"{}\"\n#undef main\n", file);
  if (version == Version::Wider)
    out += "#undef float\n#undef double\n";
  std::string call;
  for (size_t k = 0; k < f.signature.parameters.size(); k++) {
    const Variable &v = f.signature.parameters[k];
    std::string type = storedType(v.type, version, isDouble);
    call += fmt::format("{}{}", k ? ", " : "",
                        v.isPointer ? fmt::format("(void *)arguments[{}]", k)
                                    : fmt::format("*({} *)arguments[{}]", type, k));
  }
  bool returns = f.signature.result.scalar != Scalar::Void;
  std::string result = returns ? fmt::format("*({} *)arguments[{}] = ",
                                             storedType(f.signature.result, version, isDouble),
                                             f.signature.parameters.size())
                               : "";
  out += fmt::format("void nw_call(void **arguments) {{ (void)arguments; {}{}({}); }}\n", result,
                     f.signature.name, call);
  if (f.hasPrepare)
    out += fmt::format("void nw_prepare(void **arguments) {{ (void)arguments; prepare_{}({}); }}\n",
                       f.signature.name, call);
  out += "void *nw_global(int number) {\n  switch (number) {\n";
  int number = 0;
  for (const CheckedObject &o : f.objects)
    if (o.isGlobal)
      out += fmt::format("  case {}: return (void *)&{};\n", number++, o.name);
  return out + "  default: return 0;\n  }\n}\n";
}

bool hasSmallSizes(const CheckedFunction &f, const std::vector<CheckSettings> &runs) {
  constexpr double kSmall = 64; // of an array with two dimensions, the elements: its square
  auto isAbove = [](const std::string &number, double most) { // what is no number is not
    return std::strtod(number.c_str(), nullptr) > most;
  };
  for (const CheckSettings &run : runs)
    for (auto &[name, value] : run.sizes)
      if (isAbove(value, kSmall))
        return false;
  for (const CheckedObject &o : f.objects) {
    if (isAbove(o.count, kSmall * kSmall))
      return false;
    for (const ExprP &e : o.extents)
      if (std::optional<int64_t> extent = e ? evaluate(e, {}) : std::nullopt;
          extent && double(*extent) > kSmall)
        return false;
  }
  return true;
}

int buildLibrary(const std::string &stem, const std::vector<std::string> &flags,
                 const std::string &directory, const std::vector<std::string> &more) {
  std::string source = directory + "/" + stem + ".c";
  std::vector<std::string> line = {"-O2", "-w", "-fPIC", "-shared", "-ffp-contract=off"};
  line.insert(line.end(), flags.begin(), flags.end());
  line.insert(line.end(), {source});
  line.insert(line.end(), more.begin(), more.end());
  line.insert(line.end(), {"-o", directory + "/" + stem + ".so", "-lm", "-ldl", "-lpthread"});
  return runCompiler(false, line);
}

std::string regionsObject(const std::string &text, const std::vector<std::string> &flags,
                          const std::string &directory) {
  std::string source = directory + "/regions.nw.c", object = directory + "/regions.o";
  if (std::filesystem::exists(object))
    return object;
  writeFile(source, text);
  std::vector<std::string> line = {"-O0", "-w", "-fPIC", "-c", source, "-o", object};
  line.insert(line.end(), flags.begin(), flags.end());
  line.push_back("-I" + runtimeSources());
  if (runCompiler(false, line))
    throw UserError{"the C compiler refused what calls the runtime"};
  return object;
}

} // namespace nw
