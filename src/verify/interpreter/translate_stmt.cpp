// Statements, declarations and functions to compact code.
#include "kernel/box_copy.h"
#include "kernel/keep.h"
#include "kernel/reduction_steps.h"
#include "kernel/window.h"
#include "support/diagnostics.h"
#include "verify/interpreter/translate.h"
#include <fmt/format.h>

namespace nw {

int32_t Translator::add(StmtNode n) {
  code.stmts.push_back(n);
  return int32_t(code.stmts.size()) - 1;
}

int32_t Translator::list(const std::vector<int32_t> &nodes, StmtNode n) {
  n.first = int32_t(code.children.size());
  n.count = int32_t(nodes.size());
  for (int32_t k : nodes)
    n.hasBarrier |= code.stmts[size_t(k)].hasBarrier;
  code.children.insert(code.children.end(), nodes.begin(), nodes.end());
  return add(n);
}

int32_t Translator::bindFrame(const std::string &name, const Type &type,
                              const std::vector<int64_t> &extents) {
  int64_t width = widthOf(type);
  for (int64_t x : extents)
    width *= x;
  int32_t slot = code.frameSize;
  if (width > 1000000)
    throw InternalError{fmt::format("'{}' is too large for the interpreter", name)};
  code.frameSize += int32_t(width);
  (keepNames ? scopes.front() : scopes.back())[name] = {true, slot, type, extents};
  return slot;
}

int32_t Translator::bindArray(const std::string &name, const Type &type,
                              const std::vector<ExprP> &extents) {
  ArrayNode a;
  a.name = name;
  a.type = type;
  a.width = widthOf(type);
  for (const ExprP &e : extents)
    a.extents.push_back(e ? converted(e, Scalar::I64) : -1);
  code.arrays.push_back(a);
  int32_t number = int32_t(code.arrays.size()) - 1;
  scopes.back()[name] = {false, number, type, std::vector<int64_t>(extents.size(), -1)};
  return number;
}

int32_t Translator::bindShared(const std::string &name, const Type &type,
                               const std::vector<int64_t> &extents) {
  ArrayNode a;
  a.name = name;
  a.type = type;
  a.width = widthOf(type);
  a.constant = extents;
  a.isShared = true;
  code.arrays.push_back(a);
  int32_t number = int32_t(code.arrays.size()) - 1;
  scopes.back()[name] = {false, number, type, extents};
  return number;
}

int32_t Translator::stmt(const StmtP &s) {
  size_t before = code.exprs.size();
  int32_t made = -1;
  switch (s->kind) {
  case StmtKind::Block: {
    openScope();
    std::vector<int32_t> all;
    for (const StmtP &b : s->body)
      all.push_back(stmt(b));
    closeScope();
    StmtNode n;
    n.weight = 0;
    return list(all, n);
  }
  case StmtKind::Declare:
    return declaration(s);
  case StmtKind::Shared:
    bindShared(s->name, s->type, s->extents);
    return add(StmtNode{});
  case StmtKind::Window:
    return stmt(withoutWindow(s));
  case StmtKind::Copy:
    if (std::string wrong = wrongCopy(*s); !wrong.empty())
      throw InternalError{fmt::format("the copy {} {}", s->name, wrong)};
    return stmt(withoutCopies(s));
  case StmtKind::Keep:
    if (std::string wrong = wrongKeep(*s); !wrong.empty())
      throw InternalError{"registers " + wrong};
    return stmt(withKeptRegisters(s));
  case StmtKind::Leave:
  case StmtKind::Take:
    throw InternalError{"partial results that were not spelled out"};
  case StmtKind::Assign:
    made = assignTo(s->exprs[0], s->exprs[1]);
    break;
  case StmtKind::If:
  case StmtKind::While:
  case StmtKind::DoWhile: {
    StmtNode n;
    n.what = s->kind == StmtKind::If      ? StmtNode::If
             : s->kind == StmtKind::While ? StmtNode::While
                                          : StmtNode::DoWhile;
    n.a = condition(s->exprs[0]);
    n.weight = 1 + int32_t(code.exprs.size() - before) / 16;
    std::vector<int32_t> all;
    for (const StmtP &b : s->body) {
      openScope();
      all.push_back(stmt(b));
      closeScope();
    }
    return list(all, n);
  }
  case StmtKind::For:
    return forStmt(s);
  case StmtKind::Break:
  case StmtKind::Continue: {
    StmtNode n;
    n.what = s->kind == StmtKind::Break ? StmtNode::Break : StmtNode::Continue;
    return add(n);
  }
  case StmtKind::Return: {
    StmtNode n;
    n.what = StmtNode::Return;
    const Function *f = nullptr;
    if (currentFunction >= 0)
      for (const Function &x : region.functions)
        if (x.name == code.functions[size_t(currentFunction)].name)
          f = &x;
    if (!f)
      throw InternalError{"a return outside a function"};
    int32_t slot = code.functions[size_t(currentFunction)].result;
    if (s->exprs.empty())
      return add(n);
    if (f->result.isStruct()) {
      n.b = lvalue(s->exprs[0]).node;
      n.count = code.functions[size_t(currentFunction)].resultWidth;
    } else {
      n.b = -1;
      n.c = converted(s->exprs[0], f->result.scalar);
    }
    n.a = slot;
    made = add(n);
    break;
  }
  case StmtKind::Reduce:
    return reduce(s);
  case StmtKind::Barrier:
  case StmtKind::GridBarrier: {
    StmtNode n;
    n.what = s->kind == StmtKind::Barrier ? StmtNode::Barrier : StmtNode::GridBarrier;
    n.hasBarrier = true;
    return add(n);
  }
  }
  code.stmts[size_t(made)].weight = 1 + int32_t(code.exprs.size() - before) / 16;
  return made;
}

int32_t Translator::assignTo(const ExprP &target, const ExprP &value) {
  LValue to = lvalue(target);
  StmtNode n;
  bool isCopy = to.type.isStruct() || (isLValue(value) && value->type == to.type);
  if (isCopy) {
    LValue from = lvalue(value);
    if (from.type == to.type) { // copied as it is, set or not
      n.what = StmtNode::Copy;
      n.a = to.node;
      n.b = from.node;
      n.count = int32_t(widthOf(to.type));
      return add(n);
    }
  }
  const LValueNode p = code.lvalues[size_t(to.node)];
  n.b = converted(value, to.type.scalar);
  n.what = StmtNode::Store;
  n.a = to.node;
  if (p.where == LValueNode::InFrame && p.count == 0 && p.call < 0) {
    n.what = StmtNode::SetFrame;
    n.a = int32_t(p.base + p.offset);
  }
  return add(n);
}

int32_t Translator::declaration(const StmtP &s) {
  size_t before = code.exprs.size();
  std::vector<int32_t> all;
  int32_t slot = code.frameSize;
  StmtNode clear;
  clear.what = StmtNode::Clear;
  clear.a = slot;
  clear.zero = !s->exprs.empty() && (!s->extents.empty() || s->type.isStruct());
  clear.weight = 0;
  bool isWhole = s->extents.empty() && s->exprs.size() == 1 &&
                 (!s->type.isStruct() || s->exprs[0]->type.isStruct());
  // The initial value may use a variable of the same name outside: it is translated before the name
  // is bound.
  std::vector<int32_t> values;
  int32_t copied = -1;
  std::vector<Scalar> slots = slotsOf(region, s->type);
  if (isWhole && s->exprs[0]->type == s->type && (s->type.isStruct() || isLValue(s->exprs[0])))
    copied = lvalue(s->exprs[0]).node;
  else
    for (size_t k = 0; k < s->exprs.size(); k++)
      values.push_back(converted(s->exprs[k], slots[k % slots.size()]));
  slot = clear.a = bindFrame(s->name, s->type, s->extents);
  clear.b = code.frameSize - slot;
  if (!isWhole)
    all.push_back(add(clear));
  if (copied >= 0) {
    LValueNode own;
    own.base = slot;
    code.lvalues.push_back(own);
    StmtNode n;
    n.what = StmtNode::Copy;
    n.a = int32_t(code.lvalues.size()) - 1;
    n.b = copied;
    n.count = clear.b;
    all.push_back(add(n));
  }
  for (size_t k = 0; k < values.size(); k++) {
    StmtNode n;
    n.what = StmtNode::SetFrame;
    n.a = slot + int32_t(k);
    n.b = values[k];
    all.push_back(add(n));
  }
  code.stmts[size_t(all[0])].weight = 1 + int32_t(code.exprs.size() - before) / 16;
  if (all.size() == 1)
    return all[0];
  StmtNode n;
  n.weight = 0;
  return list(all, n);
}

int32_t Translator::reduce(const StmtP &s) {
  StmtNode n;
  n.what = StmtNode::Reduce;
  n.hasBarrier = true;
  LValue own = lvalue(var(s->name, s->type));
  const LValueNode &at = code.lvalues[size_t(own.node)];
  if (at.where != LValueNode::InFrame || at.count != 0)
    throw InternalError{
        fmt::format("'{}' is reduced, but is not a variable of the thread", s->name)};
  n.a = int32_t(at.base + at.offset);
  n.d = s->collective.axis;
  openScope();
  n.b = bindFrame("nw_left", s->type);
  n.c = bindFrame("nw_right", s->type);
  n.first =
      converted(reducedBy(s->collective.op, var("nw_left", s->type), var("nw_right", s->type)),
                s->type.scalar);
  closeScope();
  return add(n);
}

int32_t Translator::forStmt(const StmtP &s) {
  const Loop &l = s->loop;
  size_t before = code.exprs.size();
  StmtNode n;
  n.what = StmtNode::For;
  n.type = l.type.scalar;
  n.step = l.step;
  n.isPromised = l.promise == Promise::Independent;
  n.b = converted(l.start, n.type);
  openScope();
  n.a = bindFrame(l.counter, l.type);
  n.c = condition(l.condition);
  if (l.stride)
    n.d = converted(l.stride, Scalar::I64);
  n.weight = 1 + int32_t(code.exprs.size() - before) / 16;
  openScope();
  int32_t body = stmt(s->body[0]);
  closeScope();
  closeScope();
  return list({body}, n);
}

int32_t Translator::function(const std::string &name) {
  if (auto known = functions.find(name); known != functions.end())
    return known->second;
  const Function *f = nullptr;
  for (const Function &x : region.functions)
    if (x.name == name)
      f = &x;
  if (!f)
    return -1;
  // A frame of its own inside the caller's: nothing is recursive.
  int32_t number = int32_t(code.functions.size());
  functions[name] = number;
  code.functions.emplace_back();
  FunctionCode made;
  made.name = name;
  auto outer = std::move(scopes);
  scopes = {{}};
  bool kept = keepNames;
  keepNames = false;
  int32_t outerFunction = currentFunction;
  currentFunction = number;
  for (const Variable &v : f->parameters) {
    made.parameters.push_back(bindFrame(v.name, v.type));
    made.widths.push_back(int32_t(widthOf(v.type)));
  }
  made.result = code.frameSize;
  made.resultWidth = int32_t(widthOf(f->result));
  code.frameSize += made.resultWidth;
  code.functions[size_t(number)] = made;
  made.body = stmt(f->body);
  code.functions[size_t(number)] = made;
  currentFunction = outerFunction;
  keepNames = kept;
  scopes = std::move(outer);
  return number;
}

} // namespace nw
