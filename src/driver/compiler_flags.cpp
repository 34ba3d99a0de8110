// The table of flags, and how lists of flags are read.
#include "driver/compiler_flags.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace nw {

namespace {

using enum FlagEffect;

constexpr const char *kTraps = "a kernel cannot stop the program where a signed integer overflows";
constexpr const char *kSanitizers =
    "the checks are the host compiler's, and kernels would run without them";
constexpr const char *kErrno =
    "the functions of math.h set no errno in kernels; without the flag that is taken as it is";
constexpr const char *kFast = "kernels compute as if it were not given; `--fp=fast` asks for it";
constexpr const char *kSystem = "where headers are looked for, or what they see";

const CompilerFlag kFlags[] = {
    {"-fwrapv", Wraps, "signed arithmetic of kernels wraps around", "overflow"},
    {"-fno-strict-overflow", Wraps, "the same as `-fwrapv`", "overflow"},
    {"-fno-wrapv", Overflows, "the default: signed arithmetic does not overflow", "overflow"},
    {"-fstrict-overflow", Overflows, "the default", "overflow"},
    {"-ftrapv", Host, kTraps},
    {"-fno-trapv", Nothing, "the default"},
    {"-fwrapv-pointer", Nothing, "kernels compute subscripts, not addresses"},
    {"-fno-wrapv-pointer", Nothing, "the default"},
    {"-fsigned-char", Parsed, "plain `char` has a sign", "char"},
    {"-fno-unsigned-char", Parsed, "plain `char` has a sign", "char"},
    {"-funsigned-char", Parsed, "plain `char` has no sign", "char"},
    {"-fno-signed-char", Parsed, "plain `char` has no sign", "char"},
    {"-fshort-enums", Parsed, "enumerations have the size that the host gives them"},
    {"-fno-short-enums", Parsed, "the default on most machines"},
    {"-fshort-wchar", Parsed, "`wchar_t` has 16 bits"},
    {"-fno-short-wchar", Parsed, "the default on most machines"},
    {"-fpack-struct", Parsed, "nests with structs that it changes stay on the host (NW0102)"},
    {"-fpack-struct=*", Parsed, "nests with structs that it changes stay on the host (NW0102)"},
    {"-fno-pack-struct", Parsed, "the default"},
    {"-mms-bitfields", Parsed, "nests with bit-fields stay on the host anyway (NW0102)"},
    {"-mno-ms-bitfields", Parsed, "the default"},
    {"-mlong-double-*", Parsed, "nests with `long double` stay on the host anyway (NW0102)"},
    {"-std=*", Parsed, "the language"},
    {"-ansi", Parsed, "the language"},
    {"-fgnu89-inline", Parsed, "what `inline` means"},
    {"-fno-gnu89-inline", Parsed, "the default"},
    {"-fms-extensions", Parsed, "the language"},
    {"-fexceptions", Parsed, "the language; nests that throw stay on the host"},
    {"-fno-exceptions", Parsed, "the language"},
    {"-frtti", Parsed, "the language"},
    {"-fno-rtti", Parsed, "the language"},
    {"-fchar8_t", Parsed, "the language"},
    {"-fno-char8_t", Parsed, "the language"},
    {"-fno-builtin", Parsed,
     "the program may have its own `sqrt`: nests that call functions of "
     "`math.h` stay on the host (NW0106)"},
    {"-fno-builtin-*", Parsed, "the same for one function"},
    {"-fbuiltin", Parsed, "the default"},
    {"-ffreestanding", Parsed, "implies `-fno-builtin`", "freestanding"},
    {"-fhosted", Parsed, "the default", "freestanding"},
    {"-nostdinc", Parsed, kSystem},
    {"-nostdinc++", Parsed, kSystem},
    {"--sysroot=*", Parsed, kSystem},
    {"-undef", Parsed, kSystem},
    {"-pthread", Parsed, kSystem},
    {"-ffp-contract=off", Separate, "kernels do not contract `a*b + c`", "contract"},
    {"-ffp-contract=on", Separate, "contraction is allowed within expressions; kernels do without",
     "contract", true},
    {"-ffp-contract=fast", Contracts, "kernels may contract `a*b + c`, as without the flag",
     "contract", true},
    {"-fexcess-precision=*", Nothing, "hosts of 64 bits have no excess precision"},
    {"-mfpmath=387", Nothing, "kernels have no excess precision", "fpmath", true},
    {"-mfpmath=both", Nothing, "kernels have no excess precision", "fpmath", true},
    {"-mfpmath=sse", Nothing, "the default", "fpmath"},
    {"-Ofast", Permission, kFast, "optimization", true},
    {"-O*", Parsed, "headers see it as `__OPTIMIZE__`", "optimization"},
    {"-ffast-math", Permission, kFast, "", true},
    {"-fno-fast-math", Permission, "the default"},
    {"-funsafe-math-optimizations", Permission, kFast, "", true},
    {"-fno-unsafe-math-optimizations", Permission, "the default"},
    {"-fassociative-math", Permission, kFast, "", true},
    {"-fno-associative-math", Permission,
     "the default; reductions are reordered unless "
     "`--fp=strict` is given"},
    {"-freciprocal-math", Permission, kFast, "", true},
    {"-fno-reciprocal-math", Permission, "the default"},
    {"-fno-signed-zeros", Permission, kFast, "", true},
    {"-fsigned-zeros", Permission, "the default"},
    {"-ffinite-math-only", Permission, kFast, "", true},
    {"-fno-finite-math-only", Permission, "the default"},
    {"-fno-math-errno", Permission, "kernels set no `errno` in any case"},
    {"-fmath-errno", Host, kErrno},
    {"-fno-trapping-math", Permission, "kernels raise no floating-point exceptions in any case"},
    {"-ftrapping-math", Host, "kernels raise no floating-point exceptions"},
    {"-frounding-math", Host, "kernels round to the nearest, whatever mode the program sets"},
    {"-fno-rounding-math", Nothing, "the default"},
    {"-fsignaling-nans", Host, "kernels have no signaling NaNs"},
    {"-fno-signaling-nans", Nothing, "the default"},
    {"-fsingle-precision-constant", Host, "kernels read constants as C does"},
    {"-fno-single-precision-constant", Nothing, "the default"},
    {"-fno-strict-aliasing", Nothing, "kernels never assume that types keep arrays apart"},
    {"-fstrict-aliasing", Nothing, "the default with optimization"},
    {"-fsanitize=*", Host, kSanitizers, "sanitize"},
    {"-fno-sanitize=all", Nothing, "takes `-fsanitize=` back", "sanitize"},
    {"-fbounds-check", Host, kSanitizers},
    {"-fno-bounds-check", Nothing, "the default"},
    {"-fnon-call-exceptions", Host, "a kernel cannot throw where an instruction traps"},
    {"-fno-non-call-exceptions", Nothing, "the default"},
    {"-fopenmp", Host, "its directives share loops out among the host's threads"},
    {"-fopenmp=*", Host, "its directives share loops out among the host's threads"},
    {"-fno-openmp", Nothing, "the default"},
    {"-fopenmp-simd", Nothing, "its directives promise what nestwarp finds out by itself"},
    {"-m32", Host, "the runtime is for programs of 64 bits", "width"},
    {"-mx32", Host, "the runtime is for programs of 64 bits", "width"},
    {"-m64", Nothing, "the default", "width"},
};

bool fits(const std::string &pattern, const std::string &given) {
  if (!pattern.ends_with("*"))
    return pattern == given;
  return given.starts_with(pattern.substr(0, pattern.size() - 1));
}

// Flags with the same key replace each other: those of a group, -fX and -fno-X.
std::string keyOf(const CompilerFlag &flag, const std::string &given) {
  if (*flag.group)
    return flag.group;
  std::string name = given.substr(0, given.find('='));
  return name.starts_with("-fno-") ? "-f" + name.substr(5) : name;
}

} // namespace

std::span<const CompilerFlag> compilerFlags() { return kFlags; }

const CompilerFlag *compilerFlag(const std::string &given) {
  const auto *found = std::find_if(std::begin(kFlags), std::end(kFlags),
                                   [&](const CompilerFlag &f) { return fits(f.spelling, given); });
  return found == std::end(kFlags) ? nullptr : found;
}

std::string plainCharFlag(bool isUnsigned) {
  return isUnsigned ? "-funsigned-char" : "-fsigned-char";
}

CompilerMeaning meaningOf(const std::vector<std::string> &flags) {
  CompilerMeaning meaning;
  std::map<std::string, std::pair<const CompilerFlag *, std::string>> last; // by key
  for (const std::string &given : flags)
    if (const CompilerFlag *flag = compilerFlag(given)) {
      last[keyOf(*flag, given)] = {flag, given};
      if (flag->effect != Host && flag->effect != Nothing)
        meaning.forClang.push_back(given);
    }
  for (const auto &[key, entry] : last) {
    const auto &[flag, given] = entry;
    meaning.wraps |= flag->effect == Wraps;
    if (key == "char")
      meaning.charFlag = given;
    if (flag->effect == Contracts || flag->effect == Separate)
      meaning.contract = flag->effect == Contracts;
    if (flag->effect == Host)
      meaning.host.push_back({given, flag->about});
    if (flag->mixesArithmetic)
      meaning.mixing.push_back(given);
  }
  return meaning;
}

void refuseMixedArithmetic(const CompilerMeaning &meaning) {
  if (!meaning.mixing.empty())
    throw UserError{fmt::format("--fp=strict and {} contradict each other: strict means one "
                                "arithmetic in the whole program, on the host and on the device; "
                                "leave one of them out",
                                meaning.mixing.front()),
                    2};
}

} // namespace nw
