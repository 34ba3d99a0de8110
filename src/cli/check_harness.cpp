// Harness texts.
#include "cli/check_harness.h"
#include <fmt/format.h>

namespace nw {

namespace {

// The element type as the driver stores it for a version.
std::string storedType(const Type &t, Version version, bool isDouble) {
  if (version == Version::Wider && t.isFloat())
    return isDouble ? "long double" : "double";
  return t.scalar == Scalar::Bool ? "unsigned char" : cName(t.scalar);
}

} // namespace

std::string wrapperText(const CheckedFunction &f, const std::string &file, Version version, bool isDouble) {
  std::string out;
  if (version == Version::Wider) {
    out += "#include <assert.h>\n#include <ctype.h>\n#include <errno.h>\n#include <float.h>\n#include <limits.h>\n#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n"
           "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n#include <unistd.h>\n";
    for (const char *g : {"sqrt", "fabs", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "fmin", "fmax", "fmod", "fma", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "sin",
                          "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt", "hypot", "erf", "erfc", "copysign", "fdim"})
      out += isDouble ? fmt::format("#define {0}f {0}l\n#define {0} {0}l\n", g) : fmt::format("#define {0}f {0}\n", g);
    out += isDouble ? "#define double long double\n#define float double\n" : "#define float double\n";
  }
  out += fmt::format("#define main nw_user_main\n#include \"{}\"\n#undef main\n", file);
  if (version == Version::Wider)
    out += "#undef float\n#undef double\n";
  std::string call;
  for (size_t k = 0; k < f.signature.parameters.size(); k++) {
    const Variable &v = f.signature.parameters[k];
    std::string type = storedType(v.type, version, isDouble);
    call += fmt::format("{}{}", k ? ", " : "", v.isPointer ? fmt::format("(void *)arguments[{}]", k) : fmt::format("*({} *)arguments[{}]", type, k));
  }
  bool returns = f.signature.result.scalar != Scalar::Void;
  std::string result = returns ? fmt::format("*({} *)arguments[{}] = ", storedType(f.signature.result, version, isDouble), f.signature.parameters.size()) : "";
  out += fmt::format("void nw_call(void **arguments) {{ (void)arguments; {}{}({}); }}\n", result, f.signature.name, call);
  if (f.hasPrepare)
    out += fmt::format("void nw_prepare(void **arguments) {{ (void)arguments; prepare_{}({}); }}\n", f.signature.name, call);
  out += "void *nw_global(int number) {\n  switch (number) {\n";
  int number = 0;
  for (const CheckedObject &o : f.objects)
    if (o.isGlobal)
      out += fmt::format("  case {}: return (void *)&{};\n", number++, o.name);
  return out + "  default: return 0;\n  }\n}\n";
}

std::string driverText(const CheckedFunction &f, const std::map<std::string, std::string> &sizes, bool exact, bool isDouble, const std::string &directory) {
  std::string wide = isDouble ? "long double" : "double";
  std::string out = R"(#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long state = 88172645463325252ULL;
static double uniform(void) { /* in [-1, 1] */
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (double)(state >> 11) / 4503599627370496.0 - 1.0;
}
typedef void call_type(void **);
typedef void *global_type(int);
static void *symbol(const char *library, const char *name) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    fprintf(stderr, "check: %s\n", dlerror());
    exit(3);
  }
  return dlsym(handle, name);
}
static int failures;
)";
  out += fmt::format("typedef {} wide;\n", wide);
  out += "static wide distance(wide a, wide b) { return a == b || (a != a && b != b) ? 0 : fabsl((long double)(a - b)); }\n\n";
  out += "int main(void) {\n";
  out += fmt::format("  call_type *original = (call_type *)symbol(\"{0}/original.so\", \"nw_call\"), *generated = (call_type *)symbol(\"{0}/generated.so\", \"nw_call\"), *wider = (call_type *)symbol(\"{0}/wider.so\", \"nw_call\");\n", directory);
  out += fmt::format("  global_type *globals[3] = {{(global_type *)symbol(\"{0}/original.so\", \"nw_global\"), (global_type *)symbol(\"{0}/generated.so\", \"nw_global\"), (global_type *)symbol(\"{0}/wider.so\", \"nw_global\")}};\n", directory);
  if (f.hasPrepare)
    out += fmt::format("  call_type *prepare = (call_type *)symbol(\"{0}/original.so\", \"nw_prepare\");\n", directory);
  size_t parameters = f.signature.parameters.size();
  out += fmt::format("  void *arguments[3][{}];\n  (void)globals;\n", parameters + 2);
  // Scalars first: sizes of arrays depend on them.
  for (const CheckedObject &o : f.objects)
    if (!o.isArray && !o.isGlobal) {
      std::string value;
      if (auto s = sizes.find(o.name); s != sizes.end())
        value = s->second;
      else
        value = o.type.isFloat() ? "(1.5 + 0.25 * uniform())" : "33";
      out += fmt::format("  {} {} = {};\n", storedType(o.type, Version::Original, isDouble), o.name, value);
    }
  size_t index = 0;
  int global = 0;
  std::string counts;
  for (const CheckedObject &o : f.objects) {
    std::string type = storedType(o.type, Version::Original, isDouble), wideType = storedType(o.type, Version::Wider, isDouble);
    size_t slot = o.isGlobal ? 0 : index;
    if (!o.isArray && !o.isGlobal) {
      out += fmt::format("  {} {}_wide = {};\n  arguments[0][{}] = arguments[1][{}] = &{};\n  arguments[2][{}] = &{}_wide;\n", wideType, o.name, o.name, slot, slot, o.name, slot, o.name);
      index++;
      continue;
    }
    out += fmt::format("  long long {}_count = {};\n  if ({}_count < 1)\n    {}_count = 1;\n", o.name, o.count, o.name, o.name);
    for (int v = 0; v < 3; v++)
      if (o.isGlobal)
        out += fmt::format("  {1} *{0}{2} = ({1} *)globals[{2}]({3});\n", o.name, v == 2 ? wideType : type, v, global);
      else
        out += fmt::format("  {1} *{0}{2} = ({1} *)calloc((size_t){0}_count, sizeof({1}));\n  arguments[{2}][{3}] = {0}{2};\n", o.name, v == 2 ? wideType : type, v, slot);
    std::string value = o.type.isFloat() ? "uniform()" : o.type.scalar == Scalar::Bool ? "uniform() > 0" : isUnsigned(o.type.scalar) ? "uniform() * 8 + 8" : "uniform() * 8";
    out += fmt::format("  for (long long i = 0; i < {0}_count; i++)\n    {0}0[i] = ({1})({2});\n", o.name, type, value);
    o.isGlobal ? void(global++) : void(index++);
  }
  bool returns = f.signature.result.scalar != Scalar::Void;
  if (returns) {
    std::string type = storedType(f.signature.result, Version::Original, isDouble), wideType = storedType(f.signature.result, Version::Wider, isDouble);
    out += fmt::format("  {0} result0[1] = {{0}}, result1[1] = {{0}};\n  {1} result2[1] = {{0}};\n  arguments[0][{2}] = result0, arguments[1][{2}] = result1, arguments[2][{2}] = result2;\n", type, wideType, parameters);
  }
  if (f.hasPrepare)
    out += "  prepare(arguments[0]);\n";
  for (const CheckedObject &o : f.objects)
    if (o.isArray || o.isGlobal)
      out += fmt::format("  for (long long i = 0; i < {0}_count; i++)\n    {0}1[i] = {0}0[i], {0}2[i] = {0}0[i];\n", o.name);
  out += "  original(arguments[0]);\n  generated(arguments[1]);\n";
  if (!exact)
    out += "  wider(arguments[2]);\n";
  auto compare = [&](const std::string &name, const Type &t, const std::string &count) {
    if (exact || !t.isFloat()) {
      out += fmt::format("  for (long long i = 0; i < {1}; i++)\n    if (memcmp(&{0}0[i], &{0}1[i], sizeof {0}0[i]) && !({0}0[i] != {0}0[i] && {0}1[i] != {0}1[i])) {{\n"
                         "      printf(\"{0}[%lld]: original %.9g, generated %.9g\\n\", i, (double){0}0[i], (double){0}1[i]);\n      failures++;\n      break;\n    }}\n",
                         name, count);
      return;
    }
    // The generated result may be off by four times what the original is off, and one unit in the last place.
    out += fmt::format(R"(  {{
    wide own = 0, other = 0, largest = 0;
    long long worst = 0;
    for (long long i = 0; i < {1}; i++) {{
      wide a = distance({0}0[i], {0}2[i]), b = distance({0}1[i], {0}2[i]);
      if (isnan((double){0}0[i]) != isnan((double){0}1[i])) {{ own = -1, worst = i; break; }}
      if (isnan((double)a) || isinf((double)a)) continue;
      if (a > own) own = a;
      if (b > other || isnan((double)b)) other = b, worst = i;
      if (fabsl((long double){0}2[i]) > largest) largest = fabsl((long double){0}2[i]);
    }}
    wide unit = largest * {2};
    if (own < 0 || !(other <= 4 * own + unit)) {{
      printf("{0}[%lld]: original %.9g, generated %.9g, wider %.9g; error %.3g against %.3g of the original\n", worst, (double){0}0[worst], (double){0}1[worst], (double){0}2[worst], (double)other, (double)own);
      failures++;
    }}
  }}
)",
                       name, count, t.scalar == Scalar::F32 ? "1.2e-7" : "2.3e-16");
  };
  for (const CheckedObject &o : f.objects)
    if (o.isArray || o.isGlobal)
      compare(o.name, o.type, o.name + "_count");
  if (returns)
    compare("result", f.signature.result, "1");
  out += "  fflush(stdout);\n  exit(failures ? 1 : 0);\n}\n";
  return out;
}

} // namespace nw
