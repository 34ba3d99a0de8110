// Edits of the user's text. The original kernels stay: a launch that does not fit takes them.
#include "emit/cuda_in_place.h"
#include "emit/preludes.h"
#include "support/diagnostics.h"
#include "support/embedded.h"
#include "support/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <regex>

namespace nw {

namespace {

constexpr const char *kAxes[] = {"x", "y", "z"};

// What region functions need on the host, over the CUDA runtime and without any header: the arrays
// are on the device. All its names begin with nw_, since the user's macros are in force here.
const std::string kHostPrelude = embedded("emit/text/in_place_host.cu");

constexpr const char *kFirstLine = "// ---- nestwarp: what the kernels made of this file need\n";

// A change of the text: `removed` bytes go, and `text` comes in their place.
struct Edit {
  unsigned at = 0, removed = 0;
  std::string text;
};

std::string applied(std::string source, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit &a, const Edit &b) { return a.at < b.at; });
  for (size_t k = edits.size(); k-- > 0;)
    source.replace(edits[k].at, edits[k].removed, edits[k].text);
  return source;
}

std::string location(const CudaKernel &k) { return "nw_for_" + k.function; }

// A name for a number of the launch that no argument of the kernel has.
std::string fresh(const CudaKernel &k, std::string name) {
  while (std::any_of(k.parameters.begin(), k.parameters.end(),
                     [&](const CudaParameter &p) { return p.name == name; }))
    name += "_";
  return name;
}

std::string grid(const CudaKernel &k) { return fresh(k, "nw_grid"); }
std::string block(const CudaKernel &k) { return fresh(k, "nw_block"); }
std::string shared(const CudaKernel &k) { return fresh(k, "nw_shared"); }
std::string stream(const CudaKernel &k) { return fresh(k, "nw_stream"); }

// Text of ours among the user's: macros that have one of its words as a name are out of force
// meanwhile.
std::string withoutMacros(const std::string &text, const MacroNames &macros) {
  static const std::regex word("[A-Za-z_][A-Za-z_0-9]*");
  MacroNames hit;
  for (std::sregex_iterator m(text.begin(), text.end(), word), end; m != end; ++m)
    if (macros.count(m->str()))
      hit.insert(m->str());
  std::string before, after;
  for (const std::string &name : hit) {
    before += fmt::format("#pragma push_macro(\"{0}\")\n#undef {0}\n", name);
    after += fmt::format("#pragma pop_macro(\"{}\")\n", name);
  }
  return before + text + after;
}

std::string wrapperHead(const CudaKernel &k, bool isStatic) {
  std::vector<std::string> parameters = {"dim3 " + grid(k), "dim3 " + block(k),
                                         "size_t " + shared(k), "cudaStream_t " + stream(k)};
  for (const CudaParameter &p : k.parameters)
    parameters.push_back(p.declaration);
  return fmt::format("{}void nw_{}({})", isStatic ? "static " : "", k.function,
                     joined(parameters, ", "));
}

// What the loops assume of the launch, as a condition.
std::string fits(const CudaKernel &k) {
  std::vector<std::string> conditions = {fmt::format("nw_can_start({}, {})", grid(k), block(k))};
  for (int d = 0; d < 3; d++) {
    const GridAxis &g = k.axes[size_t(d)];
    const char *axis = kAxes[d];
    if (g.isOneBlock)
      conditions.push_back(fmt::format("{}.{} == 1", grid(k), axis));
    if (g.isOneThread)
      conditions.push_back(fmt::format("{}.{} == 1", block(k), axis));
    if (g.blockSize)
      conditions.push_back(fmt::format("{}.{} == {}", block(k), axis, g.blockSize));
    if (!g.threads.empty() || !g.grid.empty() || !g.block.empty())
      conditions.push_back(fmt::format("(unsigned long long){0}.{2} * {1}.{2} <= 2147483647ULL",
                                       grid(k), block(k), axis));
  }
  return joined(conditions, " && ");
}

// How the wrapper spells an argument of the loops' function.
std::string argument(const CudaKernel &k, const std::string &inLoops) {
  for (const CudaParameter &p : k.parameters)
    if (p.inLoops == inLoops)
      return p.name;
  for (int d = 0; d < 3; d++) {
    const GridAxis &g = k.axes[size_t(d)];
    if (g.threads == inLoops)
      return fmt::format("(int)({0}.{2} * {1}.{2})", grid(k), block(k), kAxes[d]);
    if (g.grid == inLoops)
      return fmt::format("(int){}.{}", grid(k), kAxes[d]);
    if (g.block == inLoops)
      return fmt::format("(int){}.{}", block(k), kAxes[d]);
  }
  throw InternalError{"an argument of a kernel that nobody has: " + inLoops};
}

std::string wrapper(const OptimizedKernel &o, bool isStatic) {
  const CudaKernel &k = o.kernel;
  std::vector<std::string> arguments, own;
  for (const Buffer &b : o.region.kernels->buffers)
    if (!b.array.empty())
      arguments.push_back("(void *)" + argument(k, b.array));
  for (const Parameter &s : o.region.kernels->scalars)
    if (o.region.program->region.variables.count(s.name))
      arguments.push_back(argument(k, s.name));
  arguments.push_back("(void *)" + stream(k));
  for (const CudaParameter &p : k.parameters)
    own.push_back(p.name);
  return fmt::format("// Launches of {0}: the kernels above where they fit, else the "
                     "original.\n{1} {{\n  if ({2} &&\n      {3}::{4}_on_device({5}))\n    "
                     "return;\n  {7}<<<{8}, {9}, {10}, {11}>>>({6});\n}}\n",
                     k.launched, wrapperHead(k, isStatic), fits(k), location(k), o.region.entry,
                     joined(arguments, ", "), joined(own, ", "), k.called, grid(k), block(k),
                     shared(k), stream(k));
}

} // namespace

bool isCudaInPlace(const std::string &source) {
  return source.find(kFirstLine) != std::string::npos;
}

std::string cudaInPlacePrelude() { return kHostPrelude; }

std::string cudaInPlace(const std::string &source, const CudaChanges &changes,
                        const EmitOptions &given) {
  std::vector<Edit> edits;
  for (const TextRange &r : changes.annotations)
    edits.push_back({r.begin, r.end - r.begin, ""});
  EmitOptions options = given;
  options.linkage = "";
  options.kernelLinkage = "";
  options.onDeviceOnly = true;
  options.lines = false; // the user's own lines come after
  std::string bodies;
  unsigned first = unsigned(source.size());
  for (const OptimizedKernel &o : changes.kernels) {
    bool isLaunched =
        std::any_of(changes.launches.begin(), changes.launches.end(),
                    [&](const CudaLaunch &l) { return l.function == o.kernel.function; });
    bool isStatic = o.kernel.isStatic || isLaunched;
    std::string text = kernelText({o.region}, Language::Cuda, options);
    std::string prelude =
        kernelPrelude(text, Language::Cuda, true, false); // it is in front of all kernels, once
    text = text.substr(text.starts_with(prelude) ? prelude.size() : 0);
    bodies += text;
    text = fmt::format("namespace {0} {{\nnamespace {{\n{1}{2}}}\n}}\n{3}", location(o.kernel),
                       text, regionFunction(o.region, options), wrapper(o, isStatic));
    edits.push_back({o.kernel.end, 0,
                     fmt::format("\n\n// ---- nestwarp: {0}\n{1}// ---- nestwarp: end of {0}\n",
                                 o.kernel.launched, withoutMacros(text, changes.macros))});
    if (o.kernel.declared)
      edits.push_back({o.kernel.declared, 0, " " + wrapperHead(o.kernel, isStatic) + ";"});
    first = std::min(first, o.kernel.outermost);
  }
  for (const CudaLaunch &l : changes.launches) {
    auto o =
        std::find_if(changes.kernels.begin(), changes.kernels.end(),
                     [&](const OptimizedKernel &k) { return k.kernel.function == l.function; });
    if (o == changes.kernels.end())
      continue;
    static const char *const kRest[] = {"", "", ", 0, 0", ", 0", ""};
    edits.push_back({l.begin, l.config - l.begin, o->kernel.scope + "nw_" + l.function + "("});
    edits.push_back({l.close, l.arguments - l.close,
                     std::string(kRest[l.configured]) + (l.hasArguments ? ", " : "")});
    if (!l.defaults.empty())
      edits.push_back({l.end, 0, ", " + joined(l.defaults, ", ")});
  }
  if (!changes.kernels.empty())
    edits.push_back(
        {first, 0,
         kFirstLine +
             withoutMacros(kernelPrelude(bodies, Language::Cuda, true, false) + kHostPrelude,
                           changes.macros) +
             "// ---- nestwarp: end\n\n"});
  return applied(source, edits);
}

} // namespace nw
