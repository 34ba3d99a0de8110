// The model of two caches.
#include "analysis/traffic.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace nw {

namespace {

// References to one array that move alike: what they touch overlaps.
struct Family {
  std::vector<size_t> members;
  std::vector<double> reach; // by dimension of the box: how many more steps their offsets span
  size_t leader = 0;
  int bytes = 0; // of the widest access
};

// threads x, threads y, blocks x, blocks y, then loops, outermost first.
std::vector<Stride> boxOf(const ReferenceShape &r) {
  std::vector<Stride> box = {r.threads[0], r.threads[1], r.blocks[0], r.blocks[1]};
  box.insert(box.end(), r.loops.begin(), r.loops.end());
  return box;
}

bool movesLike(const ReferenceShape &a, const ReferenceShape &b) {
  if (a.array != b.array || !a.isRegular || !b.isRegular || a.loops.size() != b.loops.size() ||
      a.keptLoops != b.keptLoops)
    return false;
  std::vector<Stride> x = boxOf(a), y = boxOf(b);
  for (size_t k = 0; k < x.size(); k++)
    if (std::fabs(x[k].bytes - y[k].bytes) >
        1e-6 * std::max(1.0, std::fabs(x[k].bytes))) // averages of what is the same
      return false;
  return true;
}

// Steps along each dimension that make up an offset, largest strides first; nothing where something
// is left over.
bool decompose(double offset, const std::vector<Stride> &box, double slack,
               std::vector<double> &steps) {
  std::vector<size_t> order(box.size());
  for (size_t k = 0; k < order.size(); k++)
    order[k] = k;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return std::fabs(box[a].bytes) > std::fabs(box[b].bytes); });
  steps.assign(box.size(), 0);
  for (size_t k : order)
    if (box[k].bytes != 0 && box[k].count > 1) {
      double q = std::round(offset / box[k].bytes);
      if (std::fabs(q) <= box[k].count / 2) { // further away little is touched by both
        steps[k] = q;
        offset -= q * box[k].bytes;
      }
    }
  return std::fabs(offset) < slack;
}

std::vector<Family> familiesOf(const std::vector<ReferenceShape> &all,
                               const std::vector<size_t> &group, double segment) {
  std::vector<Family> out;
  std::vector<std::vector<double>> lows, highs;
  for (size_t k : group) {
    bool merged = false;
    for (size_t f = 0; f < out.size() && !merged; f++) {
      const ReferenceShape &leader = all[out[f].leader];
      std::vector<double> steps;
      if (!movesLike(leader, all[k]) ||
          !decompose(all[k].offset - leader.offset, boxOf(leader), segment, steps))
        continue;
      for (size_t d = 0; d < steps.size(); d++) {
        lows[f][d] = std::min(lows[f][d], steps[d]);
        highs[f][d] = std::max(highs[f][d], steps[d]);
      }
      out[f].members.push_back(k);
      out[f].bytes = std::max(out[f].bytes, all[k].elementBytes);
      merged = true;
    }
    if (merged)
      continue;
    out.push_back({{k}, {}, k, all[k].elementBytes});
    lows.emplace_back(4 + all[k].loops.size(), 0.0);
    highs.emplace_back(4 + all[k].loops.size(), 0.0);
  }
  for (size_t f = 0; f < out.size(); f++)
    for (size_t d = 0; d < lows[f].size(); d++)
      out[f].reach.push_back(highs[f][d] - lows[f][d]);
  return out;
}

// Segments that a family touches when its dimensions have these counts.
double touched(const Family &f, const ReferenceShape &leader, const std::vector<double> &counts,
               double segment) {
  std::vector<Stride> box = boxOf(leader);
  double most = 1;
  for (size_t d = 0; d < box.size(); d++) {
    box[d].count = counts[d] + f.reach[d];
    most *= counts[d];
  }
  if (leader.isRegular)
    return segmentsTouched(f.bytes, box, segment);
  double all = leader.arrayBytes > 0 ? leader.arrayBytes / segment : most;
  return std::min(most, std::max(all, 1.0));
}

// For one level: the counts of one stretch that fits, and how often it is repeated.
struct Stretch {
  std::vector<double> counts;
  double repeats = 1;
};

// `counts` holds what runs at once; `outward` lists the dimensions that come one after the other,
// fastest first.
Stretch longest(const std::vector<Family> &families, const std::vector<ReferenceShape> &all,
                std::vector<double> counts, const std::vector<double> &full,
                const std::vector<size_t> &outward, double capacity, double segment) {
  auto fits = [&](const std::vector<double> &c) {
    double sum = 0;
    for (const Family &f : families)
      sum += touched(f, all[f.leader], c, segment) * segment;
    return sum <= capacity;
  };
  bool open = fits(counts);
  double repeats = 1;
  for (size_t d : outward) {
    double low = counts[d], high = full[d];
    if (open && high > low) {
      counts[d] = high;
      if (!fits(counts)) {
        while (high - low >
               std::max(1.0, low / 16)) { // counts are averages, so they need not be whole
          counts[d] = (low + high) / 2;
          (fits(counts) ? low : high) = counts[d];
        }
        low = std::max(1.0, std::floor(low));
        counts[d] = low;
        open = false;
      }
    }
    repeats *= full[d] / std::max(counts[d], 1.0);
  }
  return {counts, repeats};
}

// Of the transactions that a warp asks for in one stretch, those that touch something for the first
// time.
double newToWarp(const Family &f, const ReferenceShape &r, std::vector<double> counts, int warp,
                 double segment) {
  double asked = r.transactions;
  counts[0] = std::min(counts[0], double(warp));
  counts[1] = std::max(1.0, std::floor(warp / counts[0]));
  for (size_t d = 4; d < counts.size(); d++)
    asked *= counts[d];
  Family alone = f;
  std::fill(alone.reach.begin(), alone.reach.end(), 0.0);
  alone.bytes = r.elementBytes;
  return std::min(1.0, touched(alone, r, counts, segment) / std::max(asked, 1.0));
}

} // namespace

std::vector<Traffic> trafficOf(const std::vector<ReferenceShape> &references,
                               const CacheSizes &caches, const DeviceSpec &device) {
  std::vector<Traffic> out(references.size());
  double segment = device.transactionBytes.front();
  std::map<int, std::vector<size_t>> groups;
  for (size_t k = 0; k < references.size(); k++) {
    const ReferenceShape &r = references[k];
    out[k].firstBytes = r.accesses * r.transactions * r.transactionBytes;
    if (r.accesses > 0)
      groups[r.loop].push_back(k);
  }
  for (auto &[loop, group] : groups) {
    std::vector<Family> families = familiesOf(references, group, segment);
    std::vector<double> full(boxOf(references[group[0]]).size(), 1.0);
    for (size_t k : group) {
      std::vector<Stride> box = boxOf(references[k]);
      for (size_t d = 0; d < std::min(box.size(), full.size()); d++)
        full[d] = std::max(full[d], box[d].count);
    }
    std::vector<size_t> loops;
    for (size_t d = full.size(); d-- > 4;)
      loops.push_back(d);
    double grid = full[2] * full[3];
    // A block, and then all blocks of a wave: rows of blocks as the device deals them out.
    std::vector<double> block(full.size(), 1.0), wave;
    block[0] = full[0], block[1] = full[1];
    wave = block;
    wave[2] = std::min(full[2], std::max(caches.residentBlocks, 1.0));
    wave[3] = std::min(full[3], std::max(std::floor(caches.residentBlocks / full[2]), 1.0));
    std::vector<size_t> outward = loops;
    outward.push_back(2);
    outward.push_back(3);
    Stretch inWave =
        longest(families, references, wave, full, outward, caches.secondBytes, segment);
    for (const Family &f : families) {
      const ReferenceShape &leader = references[f.leader];
      double asked = 0, written = 0;
      for (size_t k : f.members) {
        asked += out[k].firstBytes;
        written += references[k].isWrite ? out[k].firstBytes : 0;
      }
      if (asked == 0)
        continue;
      // The first level keeps what a family has for so many of the loops around it; others may have
      // it longer.
      size_t inner = std::min(leader.keptLoops, loops.size());
      Stretch inBlock =
          longest(families, references, block, full, {loops.begin(), loops.begin() + long(inner)},
                  caches.firstBytes, segment);
      for (size_t n = inner; n < loops.size(); n++)
        inBlock.repeats *= full[loops[n]];
      double share = leader.boxShare, read = asked - written;
      double fetched = caches.firstBytes > 0 ? touched(f, leader, inBlock.counts, segment) *
                                                   segment * inBlock.repeats * grid * share
                                             : asked;
      double missed = caches.secondBytes > 0 ? touched(f, leader, inWave.counts, segment) *
                                                   segment * inWave.repeats * share
                                             : fetched;
      for (size_t k : f.members) {
        bool isWrite = references[k].isWrite;
        double part = out[k].firstBytes /
                      (isWrite ? written : read); // what is read and written crosses twice
        out[k].secondBytes =
            isWrite ? out[k].firstBytes : std::min(out[k].firstBytes, fetched * part);
        out[k].memoryBytes = std::min(out[k].secondBytes, missed * part);
        out[k].newToWarp = caches.firstBytes > 0
                               ? newToWarp(f, references[k], inBlock.counts, device.warp, segment)
                               : 1;
      }
    }
  }
  return out;
}

} // namespace nw
