// Addresses of kernels as symbols: how they are printed, what they are for a thread, and how they
// grow; and the traces that they come from.
#include "lint/findings.h"
#include <gtest/gtest.h>

namespace nw::lint::testing {

using written::Kind;
using written::Node;
using written::NodeP;

static SymbolP thread(int axis = 0) { return index(SymbolKind::Thread, axis); }
static SymbolP block(int axis = 0) { return index(SymbolKind::Block, axis); }
static SymbolP plus(SymbolP a, SymbolP b) { return applied("+", {a, b}); }
static SymbolP times(SymbolP a, SymbolP b) { return applied("*", {a, b}); }

TEST(LintSymbols, PrintedAsInC) {
  SymbolP global = plus(times(block(), number(256)), thread());
  EXPECT_EQ(textOf(plus(times(global, number(3000)), argument("i"))),
            "(blockIdx.x * 256 + threadIdx.x) * 3000 + i");
  EXPECT_EQ(textOf(applied("-", {argument("a"), applied("-", {argument("b"), argument("c")})})),
            "a - (b - c)");
  EXPECT_EQ(textOf(plus(thread(), number(-1))), "threadIdx.x - 1");
  EXPECT_EQ(textOf(applied("&", {global, number(31)})), "(blockIdx.x * 256 + threadIdx.x) & 31");
  EXPECT_EQ(textOf(applied("min", {thread(), argument("n")})), "min(threadIdx.x, n)");
  EXPECT_EQ(textOf(applied("!", {applied("<", {thread(), argument("n")})})), "!(threadIdx.x < n)");
}

TEST(LintSymbols, WhatIsKnownIsReduced) {
  EXPECT_EQ(textOf(plus(number(0), thread())), "threadIdx.x");
  EXPECT_EQ(textOf(times(thread(), number(1))), "threadIdx.x");
  EXPECT_EQ(textOf(times(thread(), number(0))), "0");
  EXPECT_EQ(textOf(applied("/", {number(-7), number(2)})), "-3"); // toward zero, as in C
  EXPECT_EQ(textOf(applied("-", {argument("n"), argument("n")})), "0");
  EXPECT_EQ(applied("/", {number(1), number(0)})->kind, SymbolKind::Operator);
}

TEST(LintSymbols, ValuesOfThreads) {
  Surroundings around;
  around.thread = {5, 2, 0};
  around.blockSize = {16, 16, 1};
  std::map<std::string, int64_t> sizes = {{"n", 100}};
  around.sizes = &sizes;
  EXPECT_EQ(valueOf(plus(times(thread(1), argument("n")), thread()), around), 205);
  EXPECT_EQ(valueOf(argument("m"), around), kAssumedSize);
  SymbolP data = unknown("at[i]", 1, true);
  EXPECT_EQ(valueOf(plus(data, thread()), around), std::nullopt);
  // What does not matter need not be known.
  EXPECT_EQ(valueOf(applied("&&", {data, number(0)}), around), 0);
  EXPECT_EQ(valueOf(applied("?:", {applied("<", {thread(), number(9)}), number(7), data}), around),
            7);
  EXPECT_EQ(valueOf(times(number(INT64_MAX), thread()), around), std::nullopt);
}

TEST(LintSymbols, Growth) {
  SymbolP i = counter("i", 1, number(0));
  SymbolP address = plus(times(plus(times(block(), number(256)), thread()), argument("n")), i);
  EXPECT_EQ(textOf(growthAlong(address, 0)), "n");
  EXPECT_EQ(textOf(growthAlong(address, 1)), "0");
  EXPECT_EQ(textOf(growthWith(address, 1)), "1");
  EXPECT_EQ(growthAlong(applied("%", {thread(), number(4)}), 0), nullptr);
  EXPECT_EQ(textOf(growthAlong(applied("<<", {thread(), number(3)}), 0)), "8");
  // A counter that begins with the thread's index grows with it.
  EXPECT_EQ(textOf(growthAlong(times(counter("j", 2, thread()), number(4)), 0)), "4");
}

TEST(LintSymbols, OnlyDecidingSizesAreNamed) {
  EXPECT_EQ(decidingNames(plus(times(argument("m"), block()), times(thread(), argument("n")))),
            std::vector<std::string>{"n"});
  EXPECT_TRUE(decidingNames(times(plus(thread(), argument("n")), number(4))).empty());
  EXPECT_EQ(decidingNames(applied("%", {thread(), argument("n")})), std::vector<std::string>{"n"});
}

// ---- traces of small kernels, made by hand

static NodeP node(Kind kind, std::vector<NodeP> args = {}, const std::string &name = "",
                  int variable = -1, int64_t bytes = 0, int64_t integer = 0) {
  Node n;
  n.kind = kind;
  n.args = std::move(args);
  n.name = name;
  n.variable = variable;
  n.bytes = bytes;
  n.integer = integer;
  n.at = {1, 1};
  return std::make_shared<const Node>(n);
}

static NodeP num(int64_t v) { return node(Kind::Number, {}, "", -1, 0, v); }
static NodeP variable(int v) { return node(Kind::Variable, {}, "", v, 4); }
static NodeP load(NodeP address) { return node(Kind::Load, {address}, "", -1, 4); }
static NodeP op(const char *name, NodeP a, NodeP b) { return node(Kind::Operator, {a, b}, name); }
static NodeP set(int v, NodeP value) { return node(Kind::Assign, {variable(v), value}); }
static NodeP element(int pointer, NodeP at) {
  return node(Kind::Element, {load(variable(pointer)), at}, "", -1, 4);
}
static NodeP store(int pointer, NodeP at) {
  return node(Kind::Assign, {element(pointer, at), num(1)});
}
static NodeP threadX() { return node(Kind::Index, {}, "threadIdx.x"); }

enum { kA, kN, kI, kJ }; // a pointer and an integer that are arguments, two integers of its own

static written::Kernel kernelOf(std::vector<NodeP> body) {
  written::Kernel k;
  k.name = "k";
  k.variables.resize(4);
  const char *names[] = {"a", "n", "i", "j"};
  for (int v = 0; v < 4; v++) {
    k.variables[size_t(v)].name = names[v];
    k.variables[size_t(v)].isInteger = v != kA;
    k.variables[size_t(v)].isParameter = v <= kN;
  }
  k.variables[kA].isPointer = true;
  k.variables[kA].elementBytes = 4;
  std::vector<NodeP> all = {node(Kind::Declare, {num(0)}, "", kI),
                            node(Kind::Declare, {num(0)}, "", kJ)};
  all.insert(all.end(), body.begin(), body.end());
  k.functions.push_back({"k", {kA, kN}, node(Kind::Block, all)});
  return k;
}

static std::string onlyAddress(const Trace &t) {
  return t.accesses.size() == 1 ? textOf(t.accesses[0].address) : "none, or several";
}

TEST(LintTraces, VariablesAreReplaced) {
  Trace t = traceOf(
      kernelOf({set(kI, op("*", threadX(), load(variable(kN)))),
                set(kJ, op("+", load(variable(kI)), num(1))), store(kA, load(variable(kJ)))}));
  EXPECT_EQ(onlyAddress(t), "a[threadIdx.x * n + 1]");
}

TEST(LintTraces, BranchesComeTogether) {
  NodeP condition = op("<", threadX(), num(8));
  Trace t = traceOf(kernelOf(
      {node(Kind::If, {condition, set(kI, num(5)), nullptr}), store(kA, load(variable(kI)))}));
  EXPECT_EQ(onlyAddress(t), "a[threadIdx.x < 8 ? 5 : 0]");
  EXPECT_EQ(t.conditions.size(), 1u);
}

TEST(LintTraces, AnEarlyReturnGuardsTheRest) {
  Trace t = traceOf(kernelOf(
      {node(Kind::If, {op(">=", threadX(), load(variable(kN))), node(Kind::Return), nullptr}),
       store(kA, threadX())}));
  ASSERT_EQ(t.accesses.size(), 1u);
  ASSERT_EQ(t.accesses[0].guards.size(), 1u);
  EXPECT_EQ(textOf(t.accesses[0].guards[0]), "!(threadIdx.x >= n)");
}

static NodeP loopOver(int v, NodeP step, NodeP body) {
  return node(Kind::Loop, {op("<", load(variable(v)), load(variable(kN))), set(v, step), body});
}

TEST(LintTraces, CountersGoOnTogether) {
  Trace t =
      traceOf(kernelOf({set(kI, threadX()), loopOver(kI, op("+", load(variable(kI)), num(256)),
                                                     store(kA, load(variable(kI))))}));
  EXPECT_EQ(onlyAddress(t), "a[i]");
  ASSERT_EQ(t.loops.size(), 1u);
  ASSERT_EQ(t.loops[0].counters.size(), 1u);
  EXPECT_EQ(textOf(t.loops[0].counters[0].start), "threadIdx.x");
  EXPECT_EQ(textOf(growthAlong(offsetOf(t.accesses[0].address), 0)), "4");
}

TEST(LintTraces, CountersThatGoOnDifferentlyAreLost) {
  Trace t = traceOf(kernelOf(
      {loopOver(kI, op("+", load(variable(kI)), threadX()), store(kA, load(variable(kI))))}));
  ASSERT_EQ(t.accesses.size(), 1u);
  EXPECT_TRUE(dependsOnData(offsetOf(t.accesses[0].address)));
  EXPECT_TRUE(t.loops[0].counters.empty());
}

TEST(LintTraces, DataAreNotFollowedButUniformOnesAreTogether) {
  Trace t = traceOf(kernelOf({store(kA, load(element(kA, threadX()))),
                              store(kA, op("+", load(element(kA, num(3))), threadX()))}));
  ASSERT_EQ(t.accesses.size(), 4u);
  EXPECT_TRUE(dependsOnData(offsetOf(t.accesses[1].address)));
  EXPECT_FALSE(dependsOnData(offsetOf(t.accesses[3].address)));
  EXPECT_EQ(textOf(t.accesses[3].address), "a[a[3] + threadIdx.x]");
}

static std::optional<WarpCost> costIn(NodeP at, std::array<int64_t, 3> shape,
                                      const char *device = "h200") {
  written::Kernel k = kernelOf({store(kA, at)});
  Trace t = traceOf(k);
  Setting setting;
  setting.block = shape;
  return costOf(t.accesses[0], {k, t, setting, *findDevice(device)});
}

TEST(LintCosts, Transactions) {
  EXPECT_EQ(costIn(threadX(), {256, 1, 1})->count, 4);
  EXPECT_EQ(costIn(op("*", threadX(), num(2)), {256, 1, 1})->count, 8);
  EXPECT_EQ(costIn(op("*", threadX(), load(variable(kN))), {256, 1, 1})->count, 32);
  EXPECT_EQ(costIn(op("+", threadX(), num(-1)), {256, 1, 1})->count, 5);
  EXPECT_EQ(costIn(num(7), {256, 1, 1})->count, 1);
  // Rows of 16 threads: two to a warp.
  NodeP rows =
      op("+", op("*", node(Kind::Index, {}, "threadIdx.y"), load(variable(kN))), threadX());
  EXPECT_EQ(costIn(rows, {16, 16, 1})->count, 4);
  EXPECT_EQ(costIn(rows, {4, 64, 1})->count, 8);
  EXPECT_EQ(costIn(threadX(), {256, 1, 1}, "gtx-8800")->count, 2);
}

} // namespace nw::lint::testing
