// Each kernel on its own, for each shape that its blocks have.
#include "lint/lint.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::lint {

namespace {

struct Shape {
  std::array<int64_t, 3> block = {1, 1, 1};
  int64_t dynamicShared = 0;
  Location at;
  int length = 1;
  bool isAssumed = false;
};

bool usesAxis(const written::NodeP &n, const char *name) {
  return n && ((n->kind == written::Kind::Index && n->name == name) ||
               std::any_of(n->args.begin(), n->args.end(),
                           [&](const written::NodeP &a) { return usesAxis(a, name); }));
}

bool uses(const written::Kernel &k, const char *name) {
  return std::any_of(k.functions.begin(), k.functions.end(),
                     [&](const written::Function &f) { return usesAxis(f.body, name); });
}

// The number that the kernel takes a block's threads to be: blockIdx.x * 256 + threadIdx.x.
int64_t multiplied(const Trace &trace) {
  int64_t all = 0;
  auto look = [&](const SymbolP &s) {
    anyPart(s, [&](const Symbol &p) {
      if (p.kind == SymbolKind::Operator && p.name == "+" && p.args.size() == 2)
        for (int k = 0; k < 2; k++) {
          const SymbolP &product = p.args[size_t(k)], &other = p.args[size_t(1 - k)];
          if (other->kind != SymbolKind::Thread || other->axis != 0 ||
              product->kind != SymbolKind::Operator || product->name != "*")
            continue;
          for (int j = 0; j < 2; j++)
            if (product->args[size_t(j)]->kind == SymbolKind::Block &&
                product->args[size_t(j)]->axis == 0 &&
                product->args[size_t(1 - j)]->kind == SymbolKind::Number)
              all = product->args[size_t(1 - j)]->value;
        }
      return false;
    });
  };
  for (const Access &a : trace.accesses)
    look(offsetOf(a.address));
  return all;
}

bool isWhole(const std::array<int64_t, 3> &b) { return b[0] > 0 && b[1] > 0 && b[2] > 0; }

bool canBe(const std::array<int64_t, 3> &b, const DeviceSpec &d) {
  return b[0] <= d.blockLimit[0] && b[1] <= d.blockLimit[1] && b[2] <= d.blockLimit[2] &&
         b[0] * b[1] * b[2] <= d.blockThreads;
}

std::string textOf(const std::array<int64_t, 3> &b) {
  return b[2] > 1   ? fmt::format("{}x{}x{}", b[0], b[1], b[2])
         : b[1] > 1 ? fmt::format("{}x{}", b[0], b[1])
                    : fmt::format("{}", b[0]);
}

class KernelLint {
public:
  KernelLint(const written::Kernel &kernel, const Options &options, Findings &found)
      : kernel(kernel), options(options), found(found) {}

  void run() {
    if (!kernel.unread.empty() || kernel.functions.empty()) {
      add("NW0511", Severity::Remark, kernel.unreadAt.line ? kernel.unreadAt : kernel.at, 1,
          fmt::format("'{}' cannot be analysed: {}", kernel.name,
                      kernel.unread.empty() ? "it has no body" : kernel.unread),
          "write it without");
      return;
    }
    trace = traceOf(kernel);
    size_t before = found.size();
    std::vector<Shape> all = shapes();
    for (const Shape &s : all) {
      Findings here;
      look(s, here);
      for (Finding &f : here) {
        if (all.size() > 1 && f.diagnostic.code != "NW0508" && f.diagnostic.code != "NW0510" &&
            f.diagnostic.code != "NW0505" && f.diagnostic.code != "NW0504")
          f.diagnostic.message += fmt::format(" (in blocks of {})", textOf(s.block));
        found.push_back(std::move(f));
      }
    }
    auto dependsOnShape = [](const Finding &f) {
      return f.diagnostic.code == "NW0501" || f.diagnostic.code == "NW0502" ||
             f.diagnostic.code == "NW0506" || f.diagnostic.code == "NW0507";
    };
    if (std::any_of(found.begin() + long(before), found.end(), dependsOnShape) && all.size() == 1 &&
        all[0].isAssumed)
      add("NW0512", Severity::Remark, kernel.at, kernel.length,
          fmt::format("the block shape of '{}' is not known: {} is assumed", kernel.name,
                      textOf(all[0].block)),
          "give it with --block, as in --block 32x8");
  }

private:
  void add(const char *code, Severity severity, Location at, int length, std::string message,
           std::string help) {
    found.push_back(
        {{code, severity, at, std::move(message), std::move(help)}, length, kernel.name});
  }

  bool impossible(const std::array<int64_t, 3> &b, Location at, int length) {
    if (canBe(b, options.device))
      return false;
    const DeviceSpec &d = options.device;
    int64_t threads = b[0] * b[1] * b[2];
    std::string why = threads > d.blockThreads
                          ? fmt::format("is too large: at most {}", d.blockThreads)
                          : fmt::format("is too long along an axis: at most {}, {} and {}",
                                        d.blockLimit[0], d.blockLimit[1], d.blockLimit[2]);
    add("NW0509", Severity::Warning, at, length,
        fmt::format("a block of {} {}; the launch fails", threadsText(b), why),
        "use more blocks that are smaller");
    return true;
  }

  // Those that launches give; else what annotations, bounds or the kernel's own numbers tell; else
  // a usual one.
  std::vector<Shape> shapes() {
    if (options.block)
      return {{*options.block, 0, kernel.at, kernel.length, false}};
    std::vector<Shape> all;
    bool isTold = false;
    for (const written::Launch &l : kernel.launches) {
      if (!isWhole(l.block))
        continue;
      isTold = true;
      if (impossible(l.block, l.at, l.length))
        continue;
      auto same =
          std::find_if(all.begin(), all.end(), [&](const Shape &s) { return s.block == l.block; });
      if (same == all.end())
        all.push_back({l.block, std::max<int64_t>(l.sharedBytes, 0), l.at, l.length, false});
      else
        same->dynamicShared = std::max(same->dynamicShared, l.sharedBytes);
    }
    if (isTold)
      return all;
    if (kernel.annotatedThreads)
      return impossible({kernel.annotatedThreads, 1, 1}, kernel.annotatedAt, kernel.annotatedLength)
                 ? std::vector<Shape>{}
                 : std::vector<Shape>{{{kernel.annotatedThreads, 1, 1},
                                       0,
                                       kernel.annotatedAt,
                                       kernel.annotatedLength,
                                       false}};
    bool isFlat = !uses(kernel, "threadIdx.y") && !uses(kernel, "threadIdx.z");
    Shape usual;
    usual.at = kernel.at;
    usual.length = kernel.length;
    usual.isAssumed = true;
    int64_t own = multiplied(trace);
    if (isFlat && own > 0 && own <= options.device.blockThreads)
      return {{{own, 1, 1}, 0, kernel.at, kernel.length, false}};
    if (isFlat && kernel.boundThreads > 0 && kernel.boundThreads <= options.device.blockThreads)
      usual.block = {kernel.boundThreads, 1, 1};
    else if (isFlat)
      usual.block = {options.device.preferredBlock, 1, 1};
    else
      usual.block = {options.device.warp,
                     std::max(options.device.preferredBlock / options.device.warp, 1), 1};
    return {usual};
  }

  void look(const Shape &shape, Findings &here) {
    Setting setting;
    setting.block = shape.block;
    setting.sizes = options.sizes;
    setting.warp = options.device.warp;
    Subject subject{kernel, trace, setting, options.device};
    if (options.listAll)
      listAccesses(subject, here);
    checkGlobalAccesses(subject, here);
    checkSharedAccesses(subject, here);
    checkRepeatedLoads(subject, here);
    checkLoadsOfBlocks(subject, here);
    checkDivergence(subject, here);
    noteUnknownAddresses(subject, here);
    if (!shape.isAssumed) {
      checkBlockShape(subject, shape.at, shape.length, here);
      int64_t shared = shape.dynamicShared;
      for (const written::Variable &v : kernel.variables)
        shared += v.space == written::Space::Shared && v.uses ? v.bytes : 0;
      checkOccupancy(subject, options.registers, shared, shape.at, shape.length, here);
    }
  }

  const written::Kernel &kernel;
  const Options &options;
  Findings &found;
  Trace trace;
};

} // namespace

Findings lint(const written::File &file, const Options &options) {
  Findings found;
  for (const written::Kernel &k : file.kernels)
    KernelLint(k, options, found).run();
  auto address = [](const Finding &f) {
    return std::tuple(f.diagnostic.at.line, f.diagnostic.at.column, f.diagnostic.code);
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const Finding &a, const Finding &b) { return address(a) < address(b); });
  // One of several shapes, instances or callers is enough; loads and stores of += are two of the
  // list.
  auto isAgain = [&](const Finding &a, const Finding &b) {
    return address(a) == address(b) &&
           (a.diagnostic.code != "NW0500" || a.diagnostic.message == b.diagnostic.message);
  };
  found.erase(std::unique(found.begin(), found.end(), isAgain), found.end());
  return found;
}

int warningsIn(const Findings &found) {
  return int(std::count_if(found.begin(), found.end(), [](const Finding &f) {
    return f.diagnostic.severity != Severity::Remark;
  }));
}

std::string toText(const Findings &found, const written::File &file) {
  std::string out;
  for (const Finding &f : found)
    out += render(f.diagnostic, file.file, file.source);
  return out;
}

} // namespace nw::lint
