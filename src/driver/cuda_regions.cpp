// CUDA kernels as regions.
#include "driver/cuda_regions.h"
#include "emit/loops_text.h"
#include <algorithm>

namespace nw {

NoWraps takeCuda(CudaFile file, Compilation &out) {
  NoWraps noWrap;
  std::vector<LoopsFunction> functions;
  for (size_t k = 0; k < file.kernels.size(); k++) {
    Sequence &s = file.parsed.sequences[k];
    s.items[0].tree = withWideSubscripts(s.items[0].tree, s.variables, noWrap[s.function]);
    functions.push_back({s.function, file.parsed.signatures[k].parameters, s.items[0].tree,
                         s.structs, s.functions});
  }
  out.loops = loopsText(functions);
  for (size_t k = 0; k < functions.size(); k++) {
    for (auto &[name, v] : file.parsed.sequences[k].variables)
      v.spelling = nameInLoops(name);
    file.parsed.sequences[k].items[0].beginOffset = functions[k].begin;
    file.parsed.sequences[k].items[0].endOffset = functions[k].end;
  }
  out.parsed = std::move(file.parsed);
  out.kernels = std::move(file.kernels);
  out.launches = std::move(file.launches);
  out.annotations = std::move(file.annotations);
  out.macros = std::move(file.macros);
  return noWrap;
}

void assumeNothingWraps(CompiledRegion &r, const NoWraps &noWrap) {
  auto found = noWrap.find(r.program.region.function);
  if (found == noWrap.end())
    return;
  std::vector<ExprP> conditions;
  for (const std::string &name : found->second.notNegative)
    conditions.push_back(binary(
        ">=", cast(var(name, r.program.region.variables.at(name).type), kI64), intConst(0), kI32));
  for (const Buffer &b : r.kernels.buffers)
    if (const auto &list = found->second.lessThan31Bits;
        std::count(list.begin(), list.end(), b.array)) {
      ExprP fits = binary("<=", cast(b.high, kI64), intConst(int64_t(1) << 31), kI32);
      conditions.push_back(b.touched ? binary("||", unary("!", b.touched, kI32), fits, kI32)
                                     : fits);
    }
  for (const ExprP &c : conditions)
    r.kernels.assumptions =
        r.kernels.assumptions ? binary("&&", r.kernels.assumptions, c, kI32) : c;
}

void applyMinBlocks(CompiledRegion &r, const std::vector<CudaKernel> &kernels,
                    const DeviceSpec &device) {
  for (const CudaKernel &c : kernels)
    if (c.function == r.program.region.function && c.minBlocksPerSm > 0)
      for (Kernel &k : r.kernels.kernels) {
        int64_t threads = int64_t(k.block[0]) * k.block[1] * k.block[2];
        int64_t blocks =
            c.blockThreads ? c.minBlocksPerSm * c.blockThreads / threads : c.minBlocksPerSm;
        k.minBlocksPerSm = int(std::max<int64_t>(
            k.minBlocksPerSm, std::min({blocks, int64_t(device.residentThreads) / threads,
                                        int64_t(device.residentBlocks)})));
      }
}

} // namespace nw
