// Phases over a row.
#include "plan/phases.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

// Threads of a block that has one row. On the H200, layernorm of 16384 rows of 4096 elements took
// 0.229 ms with 128, 0.150 with 256, 0.182 with 512.
constexpr int kThreads = 256;
// Elements of a row from which on it gets such a block; a shorter one gets a warp, if all threads
// of that have an element. On the H200, softmax took, in ms, by a warp a row and by 256 threads:
// 512 elements 0.138, 0.214; 1024 elements 0.100, 0.102; 2048 elements 0.240, 0.130. Layer norms of
// 1024 elements: 0.088, 0.109.
constexpr int kFewestForBlock = 1024;

class Phases {
public:
  Phases(const Program &p, const Step &step, BlockReductionParts &parts)
      : p(p), parts(parts), threads(threadsOf(step)),
        inThread(threads.apply_range(threads.reverse())),
        atOnce(isl::union_map(parts.loop.value).apply_range(parts.loop.value.reverse())) {}

  bool run() {
    if (parts.reductions.empty())
      return false;
    for (const BlockReductionPiece &piece : parts.pieces)
      if (piece.isLoop && !areApart(piece))
        return false;
    if (!findShared())
      return false;
    for (size_t n = 1, since = 0; n < parts.pieces.size(); n++) {
      bool &waits = parts.pieces[n].waits;
      for (size_t earlier = since; earlier < n; earlier++)
        waits |= mustWait(parts.pieces[earlier], parts.pieces[n]);
      since = waits ? n : since;
    }
    return true;
  }

private:
  // Pairs of instances for one value of the parallel loop that touch one element.
  isl::union_map conflicts(const Access &a, const Access &b) const {
    if (a.array != b.array || (!a.isWrite && !b.isWrite))
      return isl::union_map(p.isl->get(), "{ }");
    return isl::union_map(a.relation)
        .apply_range(isl::union_map(b.relation.reverse()))
        .intersect(inThread);
  }

  // Whether it is what threads reduce into, together.
  bool isTarget(const Statement &s, const Access &a) const {
    return parts.reductions.count(s.name) && s.reduction->array == a.array;
  }

  // Whether iterations of the loop only meet in what they reduce into, and nothing else of the loop
  // touches that.
  bool areApart(const BlockReductionPiece &piece) const {
    for (const std::string &first : piece.statements)
      for (const std::string &second : piece.statements) {
        const Statement &s = *p.find(first), &t = *p.find(second);
        for (const Access &a : s.accesses)
          for (const Access &b : t.accesses) {
            bool isOwn = &s == &t && isTarget(s, a) && isTarget(t, b);
            isl::union_map both = isOwn ? isl::union_map(p.isl->get(), "{ }") : conflicts(a, b);
            if (isTarget(s, a) ? !both.is_empty() : !both.is_subset(atOnce))
              return false;
          }
      }
    return true;
  }

  // Which private variables all threads of a row use; the others belong to a thread, as before.
  bool findShared() {
    struct Uses {
      std::set<size_t> loops; // pieces
      bool byFirst = false;   // the first thread touches it
    };
    std::map<std::string, Uses> uses;
    for (size_t n = 0; n < parts.pieces.size(); n++)
      for (const std::string &name : parts.pieces[n].statements)
        for (const Access &a : p.find(name)->accesses)
          if (p.arrays.at(a.array).kind == ArrayKind::Private) {
            bool byFirst = !parts.pieces[n].isLoop || isTarget(*p.find(name), a);
            Uses &u = uses[a.array];
            u.byFirst |= byFirst;
            if (!byFirst)
              u.loops.insert(n);
          }
    for (const auto &[name, u] : uses) {
      if (u.loops.size() + u.byFirst == 1)
        continue; // of one loop, or of the first thread
      if (!isOfBlock(name))
        return false;
      parts.shared.insert(name);
      int64_t bytes = p.arrays.at(name).elementBytes;
      for (const ExprP &e : p.arrays.at(name).extents)
        bytes *= e->integer;
      parts.sharedBytes += bytes;
    }
    std::set<Scalar> types;
    for (const std::string &name : parts.reductions)
      if (Scalar type = p.find(name)->reduction->type.scalar; types.insert(type).second)
        parts.reducedBytes += bytesOf(type);
    return true;
  }

  // Whether one value of the parallel loop has one copy of the variable.
  bool isOfBlock(const std::string &name) const {
    const Array &array = p.arrays.at(name);
    isl::union_map copies(p.isl->get(), "{ }");
    for (const BlockReductionPiece &piece : parts.pieces)
      for (const std::string &statement : piece.statements)
        for (const Access &a : p.find(statement)->accesses)
          if (a.array == name)
            copies = copies.unite(isl::union_map(isl::manage(
                isl_map_project_out(a.relation.copy(), isl_dim_out, unsigned(array.privateDepth),
                                    unsigned(isl_map_dim(a.relation.get(), isl_dim_out)) -
                                        unsigned(array.privateDepth)))));
    return !array.variable.type.isStruct() &&
           threads.reverse().apply_range(copies).is_single_valued();
  }

  // Whether a thread touches in the later piece what another one has touched in the earlier.
  bool mustWait(const BlockReductionPiece &earlier, const BlockReductionPiece &later) const {
    for (const std::string &first : earlier.statements)
      for (const std::string &second : later.statements) {
        const Statement &s = *p.find(first), &t = *p.find(second);
        for (const Access &a : s.accesses)
          for (const Access &b : t.accesses) {
            bool byFirst = (!earlier.isLoop || isTarget(s, a)) && (!later.isLoop || isTarget(t, b));
            if (!byFirst && !conflicts(a, b).is_empty())
              return true;
          }
      }
    return false;
  }

  const Program &p;
  BlockReductionParts &parts;
  isl::union_map threads, inThread, atOnce;
};

} // namespace

bool makePhases(const Program &p, const Step &step, BlockReductionParts &parts) {
  if (!Phases(p, step, parts).run())
    return false;
  parts.inPhases = !parts.shared.empty() ||
                   std::any_of(parts.pieces.begin(), parts.pieces.end(),
                               [](const BlockReductionPiece &piece) { return piece.waits; });
  return true;
}

bool fitsSharedMemory(const BlockReductionParts &parts, const std::vector<int> &block,
                      const DeviceSpec &device) {
  return int64_t(block[1]) * (parts.sharedBytes + block[0] * parts.reducedBytes) <=
         device.sharedBytes;
}

// Adds a form, where what its blocks have in common fits.
static bool addForm(const BlockReductionParts &parts, const std::vector<int> &block, int from,
                    const DeviceSpec &device, KernelPlan &kernel) {
  if (!fitsSharedMemory(parts, block, device))
    return false;
  BlockReductionPlan s;
  s.loop = parts.loop.name;
  s.axis = ThreadAxis::X;
  s.block = block;
  s.profitableFrom = from;
  kernel.blockReductions.push_back(s);
  std::string who =
      block[1] == 1 ? fmt::format("the {} threads of a block share", block[0])
                    : fmt::format("rows of {} threads, {} in a block, share", block[0], block[1]);
  kernel.why +=
      fmt::format("; from {} values of {} on, {} out each loop over {} for one value of {}", from,
                  s.loop, who, s.loop, kernel.grid[0]);
  return true;
}

void proposePhases(const BlockReductionParts &parts, int64_t fewest, std::optional<int64_t> most,
                   const DeviceSpec &device, KernelPlan &kernel) {
  int warp = powerBelow(device.warp), threads = powerBelow(std::min(device.blockThreads, kThreads));
  if (threads < warp)
    return;
  if (threads > warp && (!most || *most >= kFewestForBlock))
    addForm(parts, {threads, 1}, kFewestForBlock, device, kernel);
  bool mayBeShort = fewest < kFewestForBlock || kernel.blockReductions.empty();
  if (!mayBeShort || (most && *most < warp))
    return;
  int rows = powerBelow(std::min(device.blockThreads, device.preferredBlock) / warp);
  while (!addForm(parts, {warp, rows}, warp, device, kernel) && rows > 1)
    rows /= 2;
}

} // namespace nw
