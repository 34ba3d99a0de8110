// Transactions and bank conflicts of one warp.
#include "analysis/transactions.h"
#include <algorithm>
#include <map>
#include <set>

namespace nw {

namespace {

// Lanes in groups that the memory looks at together.
template <class Visit> void inGroups(LaneAddresses lanes, int group, const Visit &visit) {
  size_t step = size_t(std::max(group, 1));
  for (size_t first = 0; first < lanes.size(); first += step) {
    LaneAddresses part = lanes.subspan(first, std::min(step, lanes.size() - first));
    if (std::any_of(part.begin(), part.end(), [](auto &a) { return a.has_value(); }))
      visit(part);
  }
}

std::set<int64_t> segmentsOf(LaneAddresses lanes, int elementBytes, int64_t size) {
  std::set<int64_t> all;
  for (const auto &a : lanes)
    if (a)
      for (int64_t s = *a / size; s <= (*a + elementBytes - 1) / size; s++)
        all.insert(s);
  return all;
}

// Lane k touches element k of a row that begins at a multiple of the group's bytes; lanes may be
// missing.
bool isInOrder(LaneAddresses lanes, int elementBytes) {
  if (elementBytes != 4 && elementBytes != 8 && elementBytes != 16)
    return false;
  std::optional<int64_t> base;
  for (size_t k = 0; k < lanes.size(); k++)
    if (lanes[k]) {
      int64_t here = *lanes[k] - int64_t(k) * elementBytes;
      if (base && *base != here)
        return false;
      base = here;
    }
  return base && *base % (int64_t(lanes.size()) * elementBytes) == 0;
}

void addInOrder(LaneAddresses lanes, int elementBytes, const DeviceSpec &device, Transactions &t) {
  int64_t smallest = device.transactionBytes.front(), largest = device.transactionBytes.back();
  if (isInOrder(lanes, elementBytes)) {
    int64_t row = int64_t(lanes.size()) * elementBytes;
    t.count += int((row + largest - 1) / largest);
    t.bytes += row;
    return;
  }
  for (const auto &a : lanes)
    if (a) {
      t.count++;
      t.bytes += std::max<int64_t>(smallest, elementBytes);
    }
}

// Each touched segment of the largest size, halved for as long as what is touched lies in one half.
void addSegments(LaneAddresses lanes, int elementBytes, const DeviceSpec &device, Transactions &t) {
  int64_t smallest = device.transactionBytes.front(), largest = device.transactionBytes.back();
  // Small elements do not use the large segments (compute capability 1.2: 32 bytes for 1-byte
  // elements, 64 for 2-byte).
  largest = std::min<int64_t>(largest, std::max<int64_t>(smallest, 32LL * elementBytes));
  for (int64_t segment : segmentsOf(lanes, elementBytes, largest)) {
    int64_t low = (segment + 1) * largest, high = segment * largest;
    for (const auto &a : lanes)
      if (a && *a < (segment + 1) * largest && *a + elementBytes > segment * largest) {
        low = std::min(low, std::max(*a, segment * largest));
        high = std::max(high, std::min(*a + elementBytes, (segment + 1) * largest));
      }
    int64_t size = largest;
    while (size / 2 >= smallest && low / (size / 2) == (high - 1) / (size / 2))
      size /= 2;
    t.count++;
    t.bytes += size;
  }
}

} // namespace

Transactions transactionsOf(LaneAddresses lanes, int elementBytes, const DeviceSpec &device) {
  Transactions t;
  inGroups(lanes, device.coalescingGroup, [&](LaneAddresses group) {
    switch (device.coalescingRule) {
    case CoalescingRule::InOrder:
      addInOrder(group, elementBytes, device, t);
      break;
    case CoalescingRule::Segments:
      addSegments(group, elementBytes, device, t);
      break;
    case CoalescingRule::Lines: {
      int64_t sector = device.transactionBytes.front();
      int sectors = int(segmentsOf(group, elementBytes, sector).size());
      t.count += sectors;
      t.bytes += sectors * sector;
    }
    }
    t.lines += int(segmentsOf(group, elementBytes, device.transactionBytes.back()).size());
  });
  return t;
}

int idealTransactions(LaneAddresses lanes, int elementBytes, const DeviceSpec &device) {
  int64_t size = device.coalescingRule == CoalescingRule::Lines ? device.transactionBytes.front()
                                                                : device.transactionBytes.back();
  int total = 0;
  inGroups(lanes, device.coalescingGroup, [&](LaneAddresses group) {
    std::set<int64_t> different;
    for (const auto &a : group)
      if (a)
        different.insert(*a);
    total += int((int64_t(different.size()) * elementBytes + size - 1) / size);
  });
  return total;
}

namespace {

// How many turns the banks need for one group: in each, a bank delivers one word to all who want
// it, or, where parts of a word conflict, to those who want the same part.
int turnsOfGroup(LaneAddresses lanes, int elementBytes, const DeviceSpec &device) {
  std::map<int64_t, std::set<int64_t>> wanted; // bank: words, or parts of words
  bool parts = device.subWordRule == SubWordRule::Conflict && elementBytes < device.bankWidth;
  for (const auto &a : lanes)
    if (a)
      for (int64_t word = *a / device.bankWidth; word <= (*a + elementBytes - 1) / device.bankWidth;
           word++)
        wanted[word % device.banks].insert(parts ? *a : word);
  size_t most = 0;
  for (auto &[bank, words] : wanted)
    most = std::max(most, words.size());
  return int(most);
}

} // namespace

BankTurns bankTurnsOf(LaneAddresses lanes, int elementBytes, const DeviceSpec &device) {
  BankTurns t;
  int words = std::max(1, elementBytes / device.bankWidth), group = device.bankGroup;
  // Wide elements: parts of the group at a time, or all of them in as many requests.
  if (words > 1 && device.wideRule == WideRule::Halves)
    group = std::max(1, group / words);
  int requests = words > 1 && device.wideRule == WideRule::TwoRequests ? words : 1;
  inGroups(lanes, group, [&](LaneAddresses part) {
    if (requests == 1) {
      int turns = turnsOfGroup(part, elementBytes, device);
      bool whole = words > 1 && device.wideRule == WideRule::Whole;
      t.turns += whole ? (turns + words - 1) / words : turns;
      t.ideal++;
      return;
    }
    for (int r = 0; r < requests; r++) {
      std::vector<std::optional<int64_t>> shifted(part.begin(), part.end());
      for (auto &a : shifted)
        if (a)
          *a += r * device.bankWidth;
      t.turns += turnsOfGroup(shifted, device.bankWidth, device);
      t.ideal++;
    }
  });
  return t;
}

} // namespace nw
