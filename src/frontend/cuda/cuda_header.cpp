// The header's text: declarations only, since nothing is ever generated from it.
#include "frontend/cuda/cuda_header.h"
#include "support/embedded.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

// float4 and its like, with their alignment and make_float4.
static std::string vectorTypes() {
  struct Element {
    const char *name, *type;
    int bytes;
  };
  std::string out;
  for (const Element &e : {Element{"char", "signed char", 1},
                           {"uchar", "unsigned char", 1},
                           {"short", "short", 2},
                           {"ushort", "unsigned short", 2},
                           {"int", "int", 4},
                           {"uint", "unsigned", 4},
                           {"longlong", "long long", 8},
                           {"ulonglong", "unsigned long long", 8},
                           {"float", "float", 4},
                           {"double", "double", 8}})
    for (int n = 1; n <= 4; n++) {
      if (std::string(e.name) == "uint" && n == 3) // for threadIdx
        continue;
      std::string members, parameters, values;
      for (int k = 0; k < n; k++) {
        members += fmt::format(" {} {};", e.type, "xyzw"[k]);
        parameters += fmt::format("{}{} {}", k ? ", " : "", e.type, "xyzw"[k]);
        values += fmt::format("{}{}", k ? ", " : "", "xyzw"[k]);
      }
      std::string alignment =
          n == 2 || n == 4 ? fmt::format(" __align__({})", std::min(n * e.bytes, 16)) : "";
      out += fmt::format("struct{0} {1}{2} {{{3} }};\nstatic inline __host__ __device__ {1}{2} "
                         "make_{1}{2}({4}) {{ return {{{5}}}; }}\n",
                         alignment, e.name, n, members, parameters, values);
    }
  return out;
}

std::string cudaHeader() {
  std::string out = embedded("frontend/cuda/text/cuda_runtime.cuh");
  out += vectorTypes();
  for (const char *f : {"Add", "Sub", "Exch", "Min", "Max", "And", "Or", "Xor"})
    out += fmt::format("template <class T> __device__ T atomic{}(T *, T);\n", f);
  out += "template <class T> __device__ T atomicCAS(T *, T, T);\n";
  for (const char *f :
       {"sqrt", "fabs",  "floor", "ceil",   "trunc",  "round", "rint",  "nearbyint", "exp",
        "exp2", "expm1", "log",   "log2",   "log10",  "log1p", "sin",   "cos",       "tan",
        "asin", "acos",  "atan",  "sinh",   "cosh",   "tanh",  "asinh", "acosh",     "atanh",
        "cbrt", "erf",   "erfc",  "tgamma", "lgamma", "rsqrt"})
    out += fmt::format("__device__ float {0}f(float);\n__device__ double {0}(double);\n__device__ "
                       "float {0}(float);\n",
                       f);
  for (const char *f :
       {"fmin", "fmax", "fmod", "pow", "atan2", "hypot", "copysign", "fdim", "remainder"})
    out += fmt::format("__device__ float {0}f(float, float);\n__device__ double {0}(double, "
                       "double);\n__device__ float {0}(float, float);\n",
                       f);
  out += "__device__ float fmaf(float, float, float);\n__device__ double fma(double, double, "
         "double);\n__device__ float fma(float, float, float);\n";
  for (const char *f :
       {"__expf", "__logf", "__sinf", "__cosf", "__tanf", "__frcp_rn", "__fsqrt_rn"})
    out += fmt::format("__device__ float {}(float);\n", f);
  out += "__device__ float __powf(float, float);\n__device__ float __fdividef(float, "
         "float);\n__device__ void sincosf(float, float *, float *);\n";
  for (const char *t : {"int", "unsigned", "long", "unsigned long", "long long",
                        "unsigned long long", "float", "double"})
    out += fmt::format("__device__ {0} min({0}, {0});\n__device__ {0} max({0}, {0});\n", t);
  for (const char *t : {"int", "long", "long long", "float", "double"})
    out += fmt::format("__device__ {0} abs({0});\n", t);
  return out;
}

} // namespace nw
