// Spellings.
#include "emit/dialect.h"
#include <cmath>
#include <fmt/format.h>

namespace nw {

// Words that C, C++, CUDA or OpenCL C keep for themselves, or that our own preludes define.
static const std::set<std::string> &takenWords() {
  static const std::set<std::string> words = [] {
    std::set<std::string> all = {"alignas",
                                 "alignof",
                                 "and",
                                 "and_eq",
                                 "asm",
                                 "auto",
                                 "bitand",
                                 "bitor",
                                 "bool",
                                 "break",
                                 "case",
                                 "catch",
                                 "char",
                                 "class",
                                 "compl",
                                 "concept",
                                 "const",
                                 "consteval",
                                 "constexpr",
                                 "constinit",
                                 "const_cast",
                                 "continue",
                                 "co_await",
                                 "co_return",
                                 "co_yield",
                                 "decltype",
                                 "default",
                                 "delete",
                                 "do",
                                 "double",
                                 "dynamic_cast",
                                 "else",
                                 "enum",
                                 "explicit",
                                 "export",
                                 "extern",
                                 "false",
                                 "float",
                                 "for",
                                 "friend",
                                 "goto",
                                 "if",
                                 "inline",
                                 "int",
                                 "long",
                                 "mutable",
                                 "namespace",
                                 "new",
                                 "noexcept",
                                 "not",
                                 "not_eq",
                                 "nullptr",
                                 "operator",
                                 "or",
                                 "or_eq",
                                 "private",
                                 "protected",
                                 "public",
                                 "register",
                                 "reinterpret_cast",
                                 "requires",
                                 "restrict",
                                 "return",
                                 "short",
                                 "signed",
                                 "sizeof",
                                 "static",
                                 "static_assert",
                                 "static_cast",
                                 "struct",
                                 "switch",
                                 "template",
                                 "this",
                                 "thread_local",
                                 "throw",
                                 "true",
                                 "try",
                                 "typedef",
                                 "typeid",
                                 "typename",
                                 "union",
                                 "unsigned",
                                 "using",
                                 "virtual",
                                 "void",
                                 "volatile",
                                 "wchar_t",
                                 "while",
                                 "xor",
                                 "xor_eq",
                                 "kernel",
                                 "global",
                                 "local",
                                 "constant",
                                 "generic",
                                 "pipe",
                                 "half",
                                 "quad",
                                 "complex",
                                 "imaginary",
                                 "uniform",
                                 "read_only",
                                 "write_only",
                                 "read_write",
                                 "uchar",
                                 "ushort",
                                 "uint",
                                 "ulong",
                                 "size_t",
                                 "ptrdiff_t",
                                 "intptr_t",
                                 "uintptr_t",
                                 "event_t",
                                 "sampler_t",
                                 "vec_step",
                                 "threadIdx",
                                 "blockIdx",
                                 "blockDim",
                                 "gridDim",
                                 "warpSize",
                                 "get_global_id",
                                 "get_local_id",
                                 "get_group_id",
                                 "get_global_size",
                                 "get_local_size",
                                 "get_num_groups",
                                 "get_work_dim",
                                 "get_global_offset",
                                 "barrier",
                                 "mem_fence",
                                 "read_mem_fence",
                                 "write_mem_fence",
                                 "min",
                                 "max",
                                 "clamp",
                                 "mix",
                                 "step",
                                 "smoothstep",
                                 "sign",
                                 "degrees",
                                 "radians",
                                 "cross",
                                 "dot",
                                 "distance",
                                 "length",
                                 "normalize",
                                 "select",
                                 "mad",
                                 "rotate",
                                 "popcount",
                                 "clz",
                                 "abs",
                                 "abs_diff",
                                 "any",
                                 "all",
                                 "shuffle",
                                 "prefetch",
                                 "printf",
                                 "assert",
                                 "exp10",
                                 "rsqrt",
                                 "sincos",
                                 "sincospi",
                                 "sinpi",
                                 "cospi",
                                 "signbit",
                                 "isnan",
                                 "isinf",
                                 "saturate",
                                 "atomic_add",
                                 "atomic_inc",
                                 "atomic_min",
                                 "atomic_max",
                                 "atomicAdd",
                                 "atomicMin",
                                 "atomicMax",
                                 "norm",
                                 "j0",
                                 "j1",
                                 "y0",
                                 "y1",
                                 "jn",
                                 "yn",
                                 "gamma",
                                 "nan",
                                 "ilogb",
                                 "ldexp",
                                 "logb",
                                 "nextafter",
                                 "pown",
                                 "powr",
                                 "rootn",
                                 "fract",
                                 "modf",
                                 "frexp",
                                 "maxmag",
                                 "minmag",
                                 "fast_length",
                                 "bitselect",
                                 "isequal",
                                 "isless",
                                 "isgreater",
                                 "NULL",
                                 "NAN",
                                 "INFINITY",
                                 "MAXFLOAT",
                                 "M_PI",
                                 "M_E",
                                 "dim3",
                                 "main",
                                 "linux",
                                 "unix",
                                 "time",
                                 "clock",
                                 "clock64",
                                 "hadd",
                                 "mul24",
                                 "mul_hi",
                                 "upsample",
                                 "vload4",
                                 "vstore4",
                                 "convert_int",
                                 "as_int",
                                 "as_float",
                                 "CHAR_BIT",
                                 "INT_MAX",
                                 "INT_MIN",
                                 "index",
                                 "rindex",
                                 "ranges",
                                 "region",
                                 "work",
                                 "shape",
                                 "args",
                                 "threads",
                                 "block",
                                 "module",
                                 "on_device",
                                 "stream",
                                 "scalar",
                                 "cuda_source",
                                 "opencl_source",
                                 "norm3d",
                                 "norm4d",
                                 "rhypot",
                                 "erfinv",
                                 "cyl_bessel_i0",
                                 "umin",
                                 "umax",
                                 "llmin",
                                 "llmax",
                                 "mulhi",
                                 "div",
                                 "ldiv",
                                 "labs",
                                 "llabs",
                                 "alloca",
                                 "brev",
                                 "ffs"};
    for (const char *function :
         {"sqrt",      "fabs", "floor",  "ceil",   "trunc",    "round", "rint",
          "nearbyint", "fmin", "fmax",   "fmod",   "fma",      "exp",   "exp2",
          "expm1",     "log",  "log2",   "log10",  "log1p",    "pow",   "sin",
          "cos",       "tan",  "asin",   "acos",   "atan",     "atan2", "sinh",
          "cosh",      "tanh", "asinh",  "acosh",  "atanh",    "cbrt",  "hypot",
          "erf",       "erfc", "tgamma", "lgamma", "copysign", "fdim",  "remainder"}) {
      all.insert(function);
      all.insert(std::string(function) + "f");
    }
    for (const char *base : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
                             "longlong", "ulonglong", "float", "double", "half", "bool"})
      for (const char *width : {"1", "2", "3", "4", "8", "16"})
        all.insert(std::string(base) + width);
    for (const char *image : {"image1d_t", "image2d_t", "image3d_t", "image1d_array_t",
                              "image2d_array_t", "image1d_buffer_t"})
      all.insert(image);
    return all;
  }();
  return words;
}

std::string Dialect::name(const std::string &given) const {
  bool taken = takenWords().count(given) || given.starts_with("__");
  return taken ? given + "_nw" : given;
}

std::string Dialect::type(const Type &t) const {
  if (t.isStruct())
    return "struct " + name(t.structName);
  if (language == Language::HostC) // also read by C++, which has another name for _Bool
    return t.scalar == Scalar::Bool ? "unsigned char" : cName(t.scalar);
  if (language == Language::Cuda)
    return t.scalar == Scalar::Bool ? "bool" : cName(t.scalar);
  switch (t.scalar) {
  case Scalar::Bool:
    return "uchar";
  case Scalar::I8:
    return "char";
  case Scalar::U8:
    return "uchar";
  case Scalar::U16:
    return "ushort";
  case Scalar::U32:
    return "uint";
  case Scalar::I64:
    return "long";
  case Scalar::U64:
    return "ulong";
  default:
    return cName(t.scalar);
  }
}

std::string Dialect::builtin(const std::string &coordinate, const Type &t) const {
  std::string what = coordinate.substr(0, coordinate.find('.')),
              axis = coordinate.substr(coordinate.find('.') + 1);
  if (language == Language::Cuda) {
    bool wide = bitsOf(t.scalar) > 32;
    if (what == "thread")
      return wide ? fmt::format("((long long)blockIdx.{0} * blockDim.{0} + threadIdx.{0})", axis)
                  : fmt::format("int(blockIdx.{0} * blockDim.{0} + threadIdx.{0})", axis);
    if (what == "threads")
      return wide ? fmt::format("((long long)gridDim.{0} * blockDim.{0})", axis)
                  : fmt::format("int(gridDim.{0} * blockDim.{0})", axis);
    return fmt::format("int({}.{})",
                       what == "local"    ? "threadIdx"
                       : what == "blocks" ? "gridDim"
                                          : "blockIdx",
                       axis);
  }
  int dimension = axis[0] - 'x';
  std::string cast = bitsOf(t.scalar) > 32 ? "(long)" : "(int)";
  const char *function = what == "thread"    ? "get_global_id"
                         : what == "threads" ? "get_global_size"
                         : what == "local"   ? "get_local_id"
                         : what == "blocks"  ? "get_num_groups"
                                             : "get_group_id";
  return fmt::format("{}{}({})", cast, function, dimension);
}

std::string Dialect::function(const std::string &given, const Type &t) const {
  if (language == Language::OpenCl)
    return given == "nearbyint" ? "rint" : given;
  return t.scalar == Scalar::F32 ? given + "f" : given;
}

std::string Dialect::integer(int64_t value, const Type &t) const {
  const char *wide = language == Language::OpenCl ? "L" : "LL",
             *wideUnsigned = language == Language::OpenCl ? "UL" : "ULL";
  switch (t.scalar) {
  case Scalar::I32:
    return value == INT32_MIN ? "(-2147483647 - 1)" : std::to_string(value);
  case Scalar::U32:
    return fmt::format("{}u", uint32_t(value));
  case Scalar::I64:
    if (value == INT64_MIN)
      return fmt::format("(-9223372036854775807{} - 1)", wide);
    return fmt::format("{}{}", value, wide);
  case Scalar::U64:
    return fmt::format("{}{}", uint64_t(value), wideUnsigned);
  case Scalar::Bool:
    return value ? "1" : "0";
  default:
    return fmt::format("({}){}", type(t), value);
  }
}

std::string Dialect::number(double value, const Type &t) const {
  bool single = t.scalar == Scalar::F32;
  if (std::isinf(value) || std::isnan(value)) {
    std::string text;
    if (language == Language::Cuda)
      text = single
                 ? std::isnan(value) ? "__int_as_float(0x7fffffff)" : "__int_as_float(0x7f800000)"
             : std::isnan(value) ? "__longlong_as_double(0x7fffffffffffffffLL)"
                                 : "__longlong_as_double(0x7ff0000000000000LL)";
    else
      text = fmt::format("({}){}", type(t), std::isnan(value) ? "NAN" : "INFINITY");
    return value < 0 ? "(-" + text + ")" : text;
  }
  std::string text = single ? fmt::format("{}", float(value)) : fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text + (single ? "f" : "");
}

} // namespace nw
