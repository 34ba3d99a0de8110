// Phases over a row.
#include "plan/phases.h"
#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace nw {

namespace {

// How many threads have a row, from how many values of the loop on, and from how many where each
// thread runs another loop for a value of it. On the H200 (driver 580.159.04, 19 November 2026),
// softmax took, in ms, by a warp, by 64, 128, 256, 512 and 1024 threads: 65536 rows of 1024 floats
// 0.228, 0.183, 0.179, 0.317, 0.445, 0.789; 2048 rows of 16384 0.424, 0.293, 0.239, 0.220, 0.143,
// 0.106: with few threads, more rows are under way than the cache holds for the next phase. Norms
// of 1024 groups of 16 x 1024 floats: 0.126, 0.101, 0.091, 0.064, 0.051, 0.062; of 128 groups of 16
// x 16384: 1.48, 1.00, 0.69, 0.34, 0.21, 0.17. Layer norms of 16384 rows of 4096 (18 November): 128
// threads 0.229, 256 0.150, 512 0.182.
struct RowOf {
  int threads, from, fromWithOthers;
};
constexpr int kNever = std::numeric_limits<int>::max();
constexpr RowOf kRows[] = {{1024, 8192, 1024}, {256, 2048, 256}, {64, 512, kNever}};

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
  int warp = powerBelow(device.warp), threads = powerBelow(device.blockThreads),
      inBlock = powerBelow(std::min(device.blockThreads, device.preferredBlock));
  if (threads < warp)
    return;
  std::vector<RowOf> rows;
  for (const RowOf &row : kRows)
    if (row.threads > warp && row.threads <= threads)
      rows.push_back(row);
  rows.push_back({warp, warp, warp});
  for (const RowOf &row : rows) {
    int from = parts.others.empty() ? row.from : row.fromWithOthers;
    if (from == kNever || (most && *most < from))
      continue;
    int many = std::max(1, inBlock / row.threads);
    while (!addForm(parts, {row.threads, many}, from, device, kernel) && many > 1)
      many /= 2;
    if (fewest >= from && !kernel.blockReductions.empty())
      return;
  }
}

} // namespace nw
