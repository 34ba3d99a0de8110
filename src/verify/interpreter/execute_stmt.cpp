// Execution of one thread's statements, and its accesses.
#include "verify/interpreter/execute.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

void FindingLog::add(const std::string &check, const std::string &subject,
                     const std::string &what) {
  std::string key = check + "/" + subject + "/" + where;
  if (std::find(seen.begin(), seen.end(), key) != seen.end())
    return;
  seen.push_back(key);
  all.push_back({check, where.empty() ? what : fmt::format("{}: {}", where, what)});
  if (all.size() >= 8)
    throw Enough{};
}

// ---- accesses ----

Executor::Reached Executor::reach(int32_t lvalue) {
  const LValueNode &p = code.lvalues[size_t(lvalue)];
  if (p.where == LValueNode::Chosen) {
    Reached chosen = reach(holds(p.condition) ? p.yes : p.no);
    chosen.slot += p.offset;
    for (int32_t k = 0; k < p.count; k++) {
      const Subscript &s = code.subscripts[size_t(p.first + k)];
      chosen.slot += eval(s.expression).integer * s.stride;
    }
    return chosen;
  }
  if (p.call >= 0)
    eval(p.call);
  Reached r{p.where == LValueNode::InFrame, p.offset, p.base};
  if (r.inFrame)
    r.slot += p.base;
  for (int32_t k = 0; k < p.count; k++) {
    const Subscript &s = code.subscripts[size_t(p.first + k)];
    int64_t value = eval(s.expression).integer, stride = s.stride, extent = s.extent;
    if (s.dim >= 0) {
      const BoundArray &a = arrays[size_t(p.base)];
      stride = a.strides[size_t(s.dim)];
      extent = a.extents[size_t(s.dim)];
    }
    if (extent >= 0 && (value < 0 || value >= extent)) {
      std::string name = r.inFrame ? std::string("a local array") : arrays[size_t(p.base)].name;
      undefined("bounds", name,
                fmt::format("subscript {} of {} is outside [0, {})", value, name, extent));
      value = 0;
      r.isOutside = true;
    }
    r.slot += int64_t(uint64_t(value) * uint64_t(stride));
  }
  return r;
}

Cell *Executor::cell(const Reached &lvalue, int64_t offset, bool isWrite) {
  BoundArray &a = arrays[size_t(lvalue.array)];
  int64_t slot = lvalue.slot + offset;
  if (lvalue.isOutside || slot < a.low || slot >= a.high) {
    if (!lvalue.isOutside)
      undefined("bounds", a.name,
                fmt::format("element {} of {} is touched, outside [{}, {})", slot, a.name, a.low,
                            a.high));
    nowhere = Cell{};
    nowhere.state = Cell::Set;
    return &nowhere;
  }
  a.first = std::min(a.first, slot);
  a.last = std::max(a.last, slot);
  PagedArray &memory = a.memory ? *a.memory : a.ofBlocks[size_t(t->block - firstBlock)];
  Cell &c = memory.at(slot);
  if (c.state == Cell::Unmade) {
    c.state = a.isFilled ? Cell::Set : Cell::Unset;
    if (a.isFilled)
      c.value = a.data->at(slot);
  }
  if (!log) {
    if (!promises.isIdle())
      if (std::string broken = promises.touch(a.name, slot, isWrite); !broken.empty())
        undefined("promise", a.name, broken);
    return &c;
  }
  if (isWrite)
    noteWrite(a, slot, c);
  else
    noteRead(a, slot, c);
  return &c;
}

// Two accesses are ordered by a barrier of the block if both are the block's, and by one of the
// grid in any case.
void Executor::noteRead(const BoundArray &a, int64_t slot, Cell &c) {
  uint32_t epoch = blockEpochs[size_t(t->block - firstBlock)];
  if (c.writeGridEpoch == gridEpoch && c.writer != t->number &&
      (c.writer / inBlock != t->block || c.writeBlockEpoch == epoch))
    log->add("race", a.name,
             fmt::format("threads {} and {} write and read element {} of {}", c.writer, t->number,
                         slot, a.name));
  if (c.readGridEpoch != gridEpoch) {
    c.readGridEpoch = gridEpoch;
    c.readBlockEpoch = epoch;
    c.readerBlock = t->block;
    c.reader = t->number;
  } else if (c.readerBlock != t->block) {
    c.readerBlock = kSeveral;
  } else if (c.readBlockEpoch != epoch) {
    c.readBlockEpoch = epoch;
    c.reader = t->number;
  } else if (c.reader != t->number) {
    c.reader = kSeveral;
  }
}

void Executor::noteWrite(const BoundArray &a, int64_t slot, Cell &c) {
  uint32_t epoch = blockEpochs[size_t(t->block - firstBlock)];
  if (a.isReadOnly)
    log->add("constant", a.name,
             fmt::format("{} is written, but the kernel promises not to", a.name));
  if (c.writeGridEpoch == gridEpoch && c.writer != t->number &&
      (c.writer / inBlock != t->block || c.writeBlockEpoch == epoch))
    log->add("race", a.name,
             fmt::format("threads {} and {} both write element {} of {}", c.writer, t->number, slot,
                         a.name));
  bool readByOthers =
      c.readGridEpoch == gridEpoch &&
      (c.readerBlock != t->block || (c.readBlockEpoch == epoch && c.reader != t->number));
  if (readByOthers)
    log->add("race", a.name,
             fmt::format("thread {} writes element {} of {}, which another reads", t->number, slot,
                         a.name));
  c.writer = t->number;
  c.writeGridEpoch = gridEpoch;
  c.writeBlockEpoch = epoch;
}

Word Executor::load(int32_t lvalue) {
  Reached r = reach(lvalue);
  if (r.inFrame) {
    if (!t->isSet[r.slot])
      undefined("uninitialised", "local", "a local variable is used before it is set");
    return t->frame[r.slot];
  }
  Cell *c = cell(r, 0, false);
  if (c->state != Cell::Set)
    undefined("uninitialised", arrays[size_t(r.array)].name,
              fmt::format("element {} of {} is used, but was never set", r.slot,
                          arrays[size_t(r.array)].name));
  return c->value;
}

void Executor::store(int32_t lvalue, Word value) {
  Reached r = reach(lvalue);
  if (r.inFrame) {
    t->frame[r.slot] = value;
    t->isSet[r.slot] = 1;
    return;
  }
  Cell *c = cell(r, 0, true);
  c->value = value;
  c->state = Cell::Set;
}

void Executor::readLValue(int32_t lvalue, Word *values, uint8_t *isSet, int count) {
  Reached r = reach(lvalue);
  for (int k = 0; k < count; k++) {
    if (r.inFrame) {
      values[k] = t->frame[r.slot + k];
      isSet[k] = t->isSet[r.slot + k];
    } else {
      Cell *c = cell(r, k, false);
      values[k] = c->value;
      isSet[k] = c->state == Cell::Set;
    }
    if (!log && count == 1 && !isSet[k])
      undefined("uninitialised", "local", "a local variable is used before it is set");
  }
}

// Copies what is there, set or not: only the use of a value that nobody has set is a mistake.
void Executor::copy(const StmtNode &n) {
  constexpr int kMost = 64;
  Word values[kMost];
  uint8_t isSet[kMost];
  if (n.count > kMost)
    throw Exhausted{};
  readLValue(n.b, values, isSet, n.count);
  Reached to = reach(n.a);
  for (int32_t k = 0; k < n.count; k++) {
    if (to.inFrame) {
      t->frame[to.slot + k] = values[k];
      t->isSet[to.slot + k] = isSet[k];
    } else {
      Cell *c = cell(to, k, true);
      c->value = values[k];
      c->state = isSet[k] ? Cell::Set : Cell::Unset;
    }
  }
}

// ---- statements ----

Executor::Flow Executor::exec(int32_t stmt) {
  const StmtNode &n = code.stmts[size_t(stmt)];
  count(n.weight);
  switch (n.what) {
  case StmtNode::Block:
    for (int32_t k = 0; k < n.count; k++)
      if (Flow f = exec(code.children[size_t(n.first + k)]); f != Flow::Normal)
        return f;
    return Flow::Normal;
  case StmtNode::SetFrame: {
    Word value = eval(n.b);
    t->frame[n.a] = value;
    t->isSet[n.a] = 1;
    return Flow::Normal;
  }
  case StmtNode::Store:
    store(n.a, eval(n.b));
    return Flow::Normal;
  case StmtNode::Copy:
    copy(n);
    return Flow::Normal;
  case StmtNode::Clear:
    for (int32_t k = 0; k < n.b; k++) {
      t->frame[n.a + k].integer = 0; // also the bits of 0.0
      t->isSet[n.a + k] = n.zero;
    }
    return Flow::Normal;
  case StmtNode::If:
    if (holds(n.a))
      return exec(code.children[size_t(n.first)]);
    return n.count > 1 ? exec(code.children[size_t(n.first) + 1]) : Flow::Normal;
  case StmtNode::For:
  case StmtNode::While:
  case StmtNode::DoWhile:
    return loop(n);
  case StmtNode::Break:
    return Flow::Break;
  case StmtNode::Continue:
    return Flow::Continue;
  case StmtNode::Return:
    if (n.b >= 0)
      readLValue(n.b, t->frame + n.a, t->isSet + n.a, n.count);
    else if (n.c >= 0) {
      t->frame[n.a] = eval(n.c);
      t->isSet[n.a] = 1;
    }
    return Flow::Return;
  case StmtNode::Barrier:
  case StmtNode::GridBarrier:
  case StmtNode::Reduce:
    undefined("barriers", "alone", "a barrier or a reduction is executed where threads run alone");
    return Flow::Normal;
  }
  return Flow::Normal;
}

Executor::Flow Executor::loop(const StmtNode &n) {
  int32_t body = code.children[size_t(n.first)];
  bool records = n.isPromised && !log;
  if (n.what == StmtNode::For) {
    Word start = eval(n.b);
    t->frame[n.a] = start;
    t->isSet[n.a] = 1;
  }
  if (records)
    promises.enter();
  for (bool first = true;; first = false) {
    if (n.what == StmtNode::For ? !holds(n.c)
                                : (n.what == StmtNode::While || !first) && !holds(n.a)) {
      if (records)
        promises.leave();
      return Flow::Normal;
    }
    if (records)
      promises.iterate(t->frame[n.a].integer);
    Flow f = exec(body);
    if (records && (f == Flow::Break || f == Flow::Return))
      promises.leave();
    if (f == Flow::Break)
      return Flow::Normal;
    if (f == Flow::Return)
      return f;
    count(n.weight);
    if (n.what == StmtNode::For) {
      int64_t next = int64_t(uint64_t(t->frame[n.a].integer) +
                             uint64_t(n.d >= 0 ? eval(n.d).integer : n.step));
      if (!log && n.type == Scalar::I32 && next != int32_t(next))
        undefined("undefined", "overflow", "a loop counter overflows");
      t->frame[n.a].integer = narrowed(n.type, next);
    }
  }
}

} // namespace nw
