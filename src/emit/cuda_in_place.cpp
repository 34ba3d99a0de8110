// Edits of the user's text. The original kernels stay: a launch that does not fit takes them.
#include "emit/cuda_in_place.h"
#include "emit/preludes.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

constexpr const char *kAxes[] = {"x", "y", "z"};

// What region functions need on the host, over the CUDA runtime and without any header: the arrays are on the device.
constexpr const char *kHostPrelude = R"(#ifndef NW_IN_PLACE
#define NW_IN_PLACE
enum { NW_IN = 1, NW_OUT = 2, NW_ZERO = 4, NW_TEMPORARY = 8, NW_PLAIN = 0, NW_COOPERATIVE = 1, NW_OFFLOAD_AUTO = 0, NW_OFFLOAD_ALWAYS = 1 };
struct nw_range { const char *name; void *host; long long low, high; int flags; };
struct nw_shape { long long grid[3]; int block[3]; int form; };
struct nw_arg { int buffer; unsigned size; const void *value; };
struct nw_work { double operations; long long launches; int offload; };
struct nw_on_device { void *stream; };
struct nw_region {
  nw_range *ranges;
  cudaStream_t stream;
  char **buffers;
  int count, launched;
  cudaError_t error;
};
#define NW_BUFFER(index) {(index), 0, 0}
#define NW_VALUE(variable) {-1, sizeof(variable), &(variable)}
#define NW_KERNEL(name) ((const void *)name)
#define NW_MODULE() 0
#ifndef nw_min
[[maybe_unused]] static inline long long nw_min(long long a, long long b) { return a < b ? a : b; }
#endif
#ifndef nw_max
[[maybe_unused]] static inline long long nw_max(long long a, long long b) { return a > b ? a : b; }
#endif
#ifndef nw_floor_div
[[maybe_unused]] static inline long long nw_floor_div(long long a, long long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
#endif
[[maybe_unused]] static inline long long nw_shift(const nw_range *r) { return r->low < 0 ? -r->low : 0; }
[[maybe_unused]] static inline int nw_overlap(const nw_range *a, const nw_range *b, const nw_on_device *) {
  const char *x = (const char *)a->host, *y = (const char *)b->host;
  return x && y && a->low < a->high && b->low < b->high && x + a->low < y + b->high && y + b->low < x + a->high;
}
// The launch does not fit: the original kernel does the work.
[[maybe_unused]] static int nw_stay(int, const char *, const char *, const nw_on_device *) { return 0; }
// The arrays of a launch, and memory for what kernels hand to each other.
[[maybe_unused]] static nw_region *nw_enter(int, const char *, nw_range *ranges, int count, const nw_work *, const nw_on_device *on_device) {
  nw_region *region = new nw_region{ranges, (cudaStream_t)on_device->stream, new char *[count + 1](), count, 0, cudaSuccess};
  for (int k = 0; k < count && region->error == cudaSuccess; k++) {
    long long bytes = nw_max(ranges[k].high - nw_min(ranges[k].low, 0), 1);
    if (!(ranges[k].flags & NW_TEMPORARY)) {
      region->buffers[k] = (char *)ranges[k].host - nw_shift(&ranges[k]);
      continue;
    }
    region->error = cudaMallocAsync((void **)&region->buffers[k], bytes, region->stream);
    if (region->error == cudaSuccess && (ranges[k].flags & NW_ZERO))
      region->error = cudaMemsetAsync(region->buffers[k], 0, bytes, region->stream);
  }
  return region;
}
[[maybe_unused]] static int nw_launch(nw_region *region, const void *kernel, const nw_shape *shape, const nw_arg *args, int count) {
  void *values[256];
  if (count > 256)
    region->error = cudaErrorInvalidValue;
  if (region->error != cudaSuccess)
    return 0;
  for (int k = 0; k < 3; k++)
    if (shape->grid[k] <= 0)
      return 1;
  for (int k = 0; k < count; k++)
    values[k] = args[k].buffer >= 0 ? (void *)&region->buffers[args[k].buffer] : const_cast<void *>(args[k].value);
  dim3 grid((unsigned)shape->grid[0], (unsigned)shape->grid[1], (unsigned)shape->grid[2]), block(shape->block[0], shape->block[1], shape->block[2]);
  region->error = shape->form == NW_COOPERATIVE ? cudaLaunchCooperativeKernel(kernel, grid, block, values, 0, region->stream) : cudaLaunchKernel(kernel, grid, block, values, 0, region->stream);
  region->launched += region->error == cudaSuccess;
  return region->error == cudaSuccess;
}
// Whether element 0 lies at a multiple of so many bytes.
[[maybe_unused]] static int nw_aligned(nw_region *region, int buffer, int bytes) {
  return (unsigned long long)(region->buffers[buffer] + nw_shift(&region->ranges[buffer])) % bytes == 0;
}
[[maybe_unused]] static int nw_resident_shape(nw_region *, const void *kernel, const long long *threads, const int *block, nw_shape *shape) {
  long long in_block = (long long)block[0] * block[1], wanted = nw_max(threads[0], 1) * nw_max(threads[1], 1);
  int blocks = 0, processors = 0, device = 0;
  *shape = nw_shape{{1, 1, 1}, {block[0], block[1], 1}, NW_PLAIN};
  if (wanted <= (in_block < 256 ? 2 : 6) * in_block)
    return 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, (int)in_block, 0) != cudaSuccess)
    return 0;
  long long resident = (long long)blocks * processors;
  if (resident < 2 || wanted > 8 * resident * in_block)
    return 0;
  shape->grid[0] = nw_min(nw_max((threads[0] + block[0] - 1) / block[0], 1), resident);
  shape->grid[1] = nw_min(nw_max((threads[1] + block[1] - 1) / block[1], 1), nw_max(resident / shape->grid[0], 1));
  shape->form = NW_COOPERATIVE;
  return 1;
}
// 0: nothing was begun, and the original kernel can do the work. An error after that is found as that of any launch is, by cudaGetLastError.
[[maybe_unused]] static int nw_leave(nw_region *region) {
  for (int k = 0; k < region->count; k++)
    if (region->buffers[k] && (region->ranges[k].flags & NW_TEMPORARY))
      cudaFreeAsync(region->buffers[k], region->stream);
  int done = region->error == cudaSuccess || region->launched > 0;
  if (!done)
    cudaGetLastError();
  delete[] region->buffers;
  delete region;
  return done;
}
#endif
)";

// A change of the text: `removed` bytes go, and `text` comes in their place.
struct Edit {
  unsigned at = 0, removed = 0;
  std::string text;
};

std::string applied(std::string source, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit &a, const Edit &b) { return a.at < b.at; });
  for (size_t k = edits.size(); k-- > 0;)
    source.replace(edits[k].at, edits[k].removed, edits[k].text);
  return source;
}

std::string place(const CudaKernel &k) { return "nw_for_" + k.function; }

std::string wrapperHead(const CudaKernel &k, bool isStatic) {
  std::vector<std::string> parameters = {"dim3 nw_grid", "dim3 nw_block", "size_t nw_shared", "cudaStream_t nw_stream"};
  for (const CudaParameter &p : k.parameters)
    parameters.push_back(p.declaration);
  return fmt::format("{}void nw_{}({})", isStatic ? "static " : "", k.function, joined(parameters, ", "));
}

// What the loops assume of the launch, as a condition.
std::string fits(const CudaKernel &k) {
  std::vector<std::string> conditions;
  for (int d = 0; d < 3; d++) {
    const GridAxis &g = k.axes[size_t(d)];
    const char *axis = kAxes[d];
    if (g.isOneBlock)
      conditions.push_back(fmt::format("nw_grid.{} == 1", axis));
    if (g.isOneThread)
      conditions.push_back(fmt::format("nw_block.{} == 1", axis));
    if (g.blockSize)
      conditions.push_back(fmt::format("nw_block.{} == {}", axis, g.blockSize));
    if (!g.threads.empty() || !g.grid.empty() || !g.block.empty())
      conditions.push_back(fmt::format("(unsigned long long)nw_grid.{0} * nw_block.{0} <= 2147483647ULL", axis));
  }
  return conditions.empty() ? "true" : joined(conditions, " && ");
}

// How the wrapper spells an argument of the loops' function.
std::string argument(const CudaKernel &k, const std::string &inLoops) {
  for (const CudaParameter &p : k.parameters)
    if (p.inLoops == inLoops)
      return p.name;
  for (int d = 0; d < 3; d++) {
    const GridAxis &g = k.axes[size_t(d)];
    if (g.threads == inLoops)
      return fmt::format("(int)(nw_grid.{0} * nw_block.{0})", kAxes[d]);
    if (g.grid == inLoops)
      return fmt::format("(int)nw_grid.{}", kAxes[d]);
    if (g.block == inLoops)
      return fmt::format("(int)nw_block.{}", kAxes[d]);
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
  arguments.push_back("(void *)nw_stream");
  for (const CudaParameter &p : k.parameters)
    own.push_back(p.name);
  return fmt::format("// Launches of {0}: the kernels above where they fit, else the original.\n{1} {{\n  if ({2} &&\n      {3}::{4}_on_device({5}))\n    return;\n  {0}<<<nw_grid, nw_block, nw_shared, nw_stream>>>({6});\n}}\n",
                     k.launched, wrapperHead(k, isStatic), fits(k), place(k), o.region.entry, joined(arguments, ", "), joined(own, ", "));
}

} // namespace

std::string cudaInPlace(const std::string &source, const std::vector<OptimizedKernel> &kernels, const std::vector<CudaLaunch> &launches, const std::vector<TextRange> &annotations,
                        const EmitOptions &given) {
  std::vector<Edit> edits;
  for (const TextRange &r : annotations)
    edits.push_back({r.begin, r.end - r.begin, ""});
  EmitOptions options = given;
  options.linkage = "";
  options.kernelLinkage = "";
  options.onDeviceOnly = true;
  options.lines = false; // the user's own lines come after
  std::string bodies;
  unsigned first = unsigned(source.size());
  for (const OptimizedKernel &o : kernels) {
    bool isLaunched = std::any_of(launches.begin(), launches.end(), [&](const CudaLaunch &l) { return l.function == o.kernel.function; });
    bool isStatic = o.kernel.isStatic || isLaunched;
    std::string text = kernelText({o.region}, Language::Cuda, options);
    std::string prelude = kernelPrelude(text, Language::Cuda, true, false); // it is in front of all kernels, once
    text = text.substr(text.starts_with(prelude) ? prelude.size() : 0);
    bodies += text;
    text = fmt::format("\n\n// ---- nestwarp: {0}\nnamespace {1} {{\nnamespace {{\n{2}{3}}}\n}}\n{4}// ---- nestwarp: end of {0}\n", o.kernel.launched, place(o.kernel), text, regionFunction(o.region, options),
                       wrapper(o, isStatic));
    edits.push_back({o.kernel.end, 0, text});
    if (o.kernel.declared)
      edits.push_back({o.kernel.declared, 0, " " + wrapperHead(o.kernel, isStatic) + ";"});
    first = std::min(first, o.kernel.outermost);
  }
  for (const CudaLaunch &l : launches) {
    if (std::none_of(kernels.begin(), kernels.end(), [&](const OptimizedKernel &o) { return o.kernel.function == l.function; }))
      continue;
    static const char *const kRest[] = {"", "", ", 0, 0", ", 0", ""};
    edits.push_back({l.begin, l.config - l.begin, "nw_" + l.function + "("});
    edits.push_back({l.close, l.arguments - l.close, std::string(kRest[l.configured]) + (l.hasArguments ? ", " : "")});
  }
  if (!kernels.empty())
    edits.push_back({first, 0, "// ---- nestwarp: what the kernels made of this file need\n" + kernelPrelude(bodies, Language::Cuda, true, false) + kHostPrelude + "// ---- nestwarp: end\n\n"});
  return applied(source, edits);
}

} // namespace nw
