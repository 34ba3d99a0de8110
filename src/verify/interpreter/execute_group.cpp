// Groups of threads with barriers. Statements without barriers run thread by thread; around
// barriers, all threads of the group go through the tree together, each where its conditions lead
// it. A barrier that only some of them reach is a finding.
#include "verify/interpreter/execute.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace nw {

void Executor::execGroup(int32_t stmt, std::vector<Thread> &threads, int threadsInBlock) {
  if (threads.empty())
    return;
  group = &threads;
  inBlock = threadsInBlock;
  firstBlock = threads.front().block;
  blockEpochs.assign(size_t(threads.back().block - firstBlock + 1), 1);
  if (!code.stmts[size_t(stmt)].hasBarrier) {
    for (Thread &one : threads) {
      t = &one;
      exec(stmt);
    }
    return;
  }
  flows.assign(threads.size(), Flow::Normal);
  Group active(threads.size());
  for (size_t k = 0; k < active.size(); k++)
    active[k] = int32_t(k);
  together(stmt, active);
}

// Drops the threads that have left the statement by break or continue.
void Executor::keepRunning(Group &active) {
  active.erase(std::remove_if(active.begin(), active.end(),
                              [&](int32_t k) { return flows[size_t(k)] != Flow::Normal; }),
               active.end());
}

void Executor::together(int32_t stmt, Group &active) {
  const StmtNode &n = code.stmts[size_t(stmt)];
  if (active.empty())
    return;
  if (!n.hasBarrier) {
    bool left = false;
    for (int32_t k : active) {
      t = &(*group)[size_t(k)];
      flows[size_t(k)] = exec(stmt);
      left |= flows[size_t(k)] != Flow::Normal;
    }
    if (left)
      keepRunning(active);
    return;
  }
  switch (n.what) {
  case StmtNode::Block:
    for (int32_t k = 0; k < n.count; k++)
      together(code.children[size_t(n.first + k)], active);
    return;
  case StmtNode::If: {
    Group yes, no;
    for (int32_t k : active) {
      t = &(*group)[size_t(k)];
      count(n.weight);
      (holds(n.a) ? yes : no).push_back(k);
    }
    together(code.children[size_t(n.first)], yes);
    if (n.count > 1)
      together(code.children[size_t(n.first) + 1], no);
    keepRunning(active);
    return;
  }
  case StmtNode::For:
    togetherFor(n, active);
    return;
  case StmtNode::While:
  case StmtNode::DoWhile:
    togetherWhile(n, active);
    return;
  case StmtNode::Reduce:
    reduce(n, active);
    return;
  case StmtNode::Barrier:
  case StmtNode::GridBarrier:
    barrier(n, active);
    return;
  default:
    return;
  }
}

void Executor::togetherFor(const StmtNode &n, Group &active) {
  for (int32_t k : active) {
    t = &(*group)[size_t(k)];
    Word start = eval(n.b);
    t->frame[n.a] = start;
    t->isSet[n.a] = 1;
  }
  for (Group running = active; !running.empty();) {
    Group going;
    for (int32_t k : running) {
      t = &(*group)[size_t(k)];
      count(n.weight);
      if (holds(n.c))
        going.push_back(k);
    }
    Group inBody = going;
    together(code.children[size_t(n.first)], inBody);
    running.clear();
    for (int32_t k : going) {
      if (flows[size_t(k)] == Flow::Return)
        continue;
      bool leaves = flows[size_t(k)] == Flow::Break;
      flows[size_t(k)] = Flow::Normal;
      if (leaves)
        continue;
      t = &(*group)[size_t(k)];
      int64_t next = int64_t(uint64_t(t->frame[n.a].integer) +
                             uint64_t(n.d >= 0 ? eval(n.d).integer : n.step));
      t->frame[n.a].integer = narrowed(n.type, next);
      running.push_back(k);
    }
  }
  keepRunning(active);
}

void Executor::togetherWhile(const StmtNode &n, Group &active) {
  bool first = true;
  for (Group running = active; !running.empty(); first = false) {
    Group going;
    for (int32_t k : running) {
      t = &(*group)[size_t(k)];
      count(n.weight);
      if ((first && n.what == StmtNode::DoWhile) || holds(n.a))
        going.push_back(k);
    }
    Group inBody = going;
    together(code.children[size_t(n.first)], inBody);
    running.clear();
    for (int32_t k : going) {
      if (flows[size_t(k)] == Flow::Return)
        continue;
      bool leaves = flows[size_t(k)] == Flow::Break;
      flows[size_t(k)] = Flow::Normal;
      if (!leaves)
        running.push_back(k);
    }
  }
  keepRunning(active);
}

// All threads of a block meet; those that differ along one axis only, or all of them, leave with
// what their values make together.
void Executor::reduce(const StmtNode &n, const Group &active) {
  barrier(n, active);
  std::map<std::array<int64_t, 3>, Group>
      together; // by block and by the coordinates that they share
  for (int32_t k : active) {
    const Thread &one = (*group)[size_t(k)];
    const int64_t *lane = one.coordinates + 6;
    bool isOfAll = n.d == kAllThreads;
    together[{one.block, isOfAll ? 0 : lane[n.d == 0 ? 1 : 0], isOfAll ? 0 : lane[2]}].push_back(k);
  }
  for (auto &[where, members] : together) {
    Word all{};
    for (size_t m = 0; m < members.size(); m++) {
      t = &(*group)[size_t(members[m])];
      count(1);
      if (!t->isSet[n.a])
        undefined("uninitialised", "local", "a variable is reduced before it is set");
      if (m > 0) {
        t->frame[n.b] = all;
        t->frame[n.c] = t->frame[n.a];
        t->isSet[n.b] = t->isSet[n.c] = 1;
        all = eval(n.first);
      } else
        all = t->frame[n.a];
    }
    for (int32_t k : members)
      (*group)[size_t(k)].frame[n.a] = all;
  }
}

void Executor::barrier(const StmtNode &n, const Group &active) {
  count(n.weight);
  if (n.what == StmtNode::GridBarrier) {
    if (active.size() != group->size())
      log->add("barriers", "grid",
               fmt::format("{} of {} threads reach a barrier of the grid", active.size(),
                           group->size()));
    gridEpoch++;
    return;
  }
  std::vector<int> present(blockEpochs.size(), 0);
  for (int32_t k : active)
    present[size_t((*group)[size_t(k)].block - firstBlock)]++;
  for (size_t b = 0; b < present.size(); b++)
    if (present[b]) {
      if (present[b] != inBlock)
        log->add("barriers", "block",
                 fmt::format("{} of {} threads of a block reach a barrier", present[b], inBlock));
      blockEpochs[b]++;
    }
}

} // namespace nw
