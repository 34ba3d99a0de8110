// The key of a region.
#include "tune/program_key.h"
#include "tune/cubins.h"
#include <fmt/format.h>

namespace nw {

std::string programKey(const Program &program, FloatingPoint floatingPoint, bool contract,
                       const PlanOptions &o) {
  std::string text = print(program);
  text.erase(0, text.find('\n')); // number, function and line
  for (const Function &f : program.region.functions)
    text += fmt::format("function {}\n{}", f.name, print(f.body, 2));
  for (auto &[name, a] : program.arrays)
    text += fmt::format("{} {} {}\n", name, a.elementBytes, a.slots);
  text += fmt::format("{} {} {} {} {} {} {} {} {} {}", int(floatingPoint), contract, o.ilp,
                      o.tiles.staging, o.tiles.padding, o.tiles.registers && o.tiles.vectors,
                      int(o.policy), o.blockReduction, o.fuse, o.vectors) +
          o.coalesce + (program.region.wraps ? " wraps" : "");
  return cubinHash(text);
}

} // namespace nw
