// Lanes a constant stride apart fall into a few classes: those of one class are a whole number of
// words apart, so that their banks are a coset of the multiples of that number. Counting a bank's
// requests is arithmetic modulo the banks.
#include "analysis/bank_conflicts.h"
#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

namespace nw {

namespace {

int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
int64_t modulo(int64_t a, int64_t b) { return a - floorDivide(a, b) * b; }

// x with a * x = 1 modulo b; a and b have no common divisor.
int64_t inverse(int64_t a, int64_t b) {
  int64_t previous = 0, current = 1, larger = b, smaller = modulo(a, b);
  while (smaller > 1) {
    int64_t quotient = larger / smaller;
    std::tie(larger, smaller) = std::pair{smaller, larger - quotient * smaller};
    std::tie(previous, current) = std::pair{current, previous - quotient * current};
  }
  return modulo(current, b);
}

// Words first, first + step, …: `count` different ones.
struct Progression {
  int64_t first, step, count;
};

// How many of the words are in the bank.
int64_t wordsInBank(const Progression &words, int64_t bank, int64_t banks) {
  int64_t common = std::gcd(words.step, banks), period = banks / common,
          distance = modulo(bank - words.first, banks);
  if (distance % common)
    return 0;
  int64_t earliest =
      period == 1 ? 0 : modulo(distance / common * inverse(words.step / common, period), period);
  return earliest < words.count ? (words.count - 1 - earliest) / period + 1 : 0;
}

// Requests of the bank that has most.
int64_t mostInABank(const std::vector<Progression> &all, int64_t banks) {
  // The words of one progression are even over the banks that they reach at all.
  if (all.size() == 1)
    return (all[0].count * std::gcd(all[0].step, banks) + banks - 1) / banks;
  int64_t most = 0;
  for (int64_t bank = 0; bank < banks; bank++) {
    int64_t here = 0;
    for (const Progression &words : all)
      here += wordsInBank(words, bank, banks);
    most = std::max(most, here);
  }
  return most;
}

// Lanes that touch one part of a word each, `stride` bytes apart, the first at byte `first`.
int64_t turnsOfParts(int64_t first, int64_t stride, int64_t lanes, const DeviceSpec &device) {
  int64_t width = device.bankWidth;
  if (device.subWordRule == SubWordRule::Broadcast &&
      stride < width) { // words without gaps, each delivered once
    int64_t words =
        floorDivide(first + (lanes - 1) * stride, width) - floorDivide(first, width) + 1;
    return (words + device.banks - 1) / device.banks;
  }
  int64_t classes = width / std::gcd(stride, width);
  std::vector<Progression> all;
  for (int64_t k = 0; k < std::min(classes, lanes); k++)
    all.push_back({floorDivide(first + k * stride, width), stride * classes / width,
                   (lanes - k + classes - 1) / classes});
  return mostInABank(all, device.banks);
}

// Lanes that touch `words` whole words each, `step` words apart.
int64_t turnsOfWords(int64_t step, int64_t words, int64_t lanes, const DeviceSpec &device) {
  std::vector<Progression> all;
  for (int64_t k = 0; k < words; k++)
    all.push_back({k, step, lanes});
  return mostInABank(all, device.banks);
}

} // namespace

std::optional<BankTurns> stridedBankTurns(int64_t strideBytes, int elementBytes,
                                          const DeviceSpec &device, int64_t first) {
  int64_t width = device.bankWidth, words = std::max<int64_t>(1, elementBytes / width),
          stride = std::abs(strideBytes);
  int64_t unit = std::min<int64_t>(elementBytes, width);
  if (elementBytes < 1 || (elementBytes > width ? elementBytes % width : width % elementBytes) ||
      stride % unit || first % unit || (stride && stride < elementBytes))
    return std::nullopt;
  bool isWide = words > 1;
  int64_t group = device.bankGroup;
  if (isWide && device.wideRule == WideRule::Halves)
    group = std::max<int64_t>(1, group / words);
  BankTurns sum;
  for (int64_t begin = 0; begin < device.warp; begin += group) {
    int64_t lanes = std::min<int64_t>(group, device.warp - begin);
    // A group that walks backward is one that walks forward from its last lane.
    int64_t low = first + strideBytes * (strideBytes < 0 ? begin + lanes - 1 : begin);
    int64_t different = stride ? lanes : 1;
    if (!isWide) {
      sum.turns += int(stride ? turnsOfParts(low, stride, lanes, device) : 1);
      sum.ideal++;
    } else if (device.wideRule == WideRule::TwoRequests) {
      sum.turns += int(words * turnsOfWords(stride / width, 1, different, device));
      sum.ideal += int(words);
    } else {
      int64_t turns = turnsOfWords(stride / width, words, different, device);
      sum.turns += int(device.wideRule == WideRule::Whole ? (turns + words - 1) / words : turns);
      sum.ideal++;
    }
  }
  return sum;
}

int bankConflictDegree(int64_t strideElements, int elementBytes, const DeviceSpec &device) {
  if (std::optional<BankTurns> turns =
          stridedBankTurns(strideElements * elementBytes, elementBytes, device))
    return turns->degree();
  // Elements that straddle words: lane by lane.
  std::vector<std::optional<int64_t>> lanes;
  for (int64_t k = 0; k < device.warp; k++)
    lanes.push_back((strideElements < 0 ? k - device.warp + 1 : k) * strideElements * elementBytes);
  return bankTurnsOf(lanes, elementBytes, device).degree();
}

} // namespace nw
