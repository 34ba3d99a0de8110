// The interpreter: C's arithmetic, the prime field, and every kind of finding, each with a twin
// that has none.
// Over 500 lines: one small device, with a twin for each kind of finding.
#include "verify/interpreter/interpreter.h"
#include "build.h"
#include "verify/interpreter/field.h"
#include <algorithm>

namespace nw::testing {

namespace {

constexpr int kSize = 8;

// void f(int n, int a[n], int b[n], float *x, float *y), with whatever the test puts inside.
Region regionWith(std::vector<StmtP> body) {
  Region r = regionOf(std::move(body),
                      {scalar("n"), pointer("a"), pointer("b"), pointer("x", kF32),
                       pointer("y", kF32), scalar("s"), scalar("u", kU32), scalar("f", kF32)});
  r.variables["a"].extents = r.variables["b"].extents = {v("n")};
  return r;
}

SampleInput inputOf(Arithmetic arithmetic = Arithmetic::Field) {
  SampleInput input;
  input.scalars = {{"n", kSize}, {"s", 3}, {"u", 5}};
  input.arithmetic = arithmetic;
  return input;
}

void give(SampleInput &input, const std::string &array, std::vector<int64_t> values) {
  for (size_t k = 0; k < values.size(); k++) {
    Value v;
    v.integer = values[k];
    v.number = double(values[k]);
    input.elements[{array, int64_t(k)}] = v;
  }
}

Value valueOf(const RunResult &r, const std::string &array, int64_t slot) {
  auto found = r.memory.find({array, slot});
  Value none;
  none.isSet = false;
  return found == r.memory.end() ? none : found->second;
}

// What `target = value` leaves in the variable s.
int64_t computed(const ExprP &value) {
  RunResult r = runOriginal(regionWith({assign(v("s"), cast(value, kI32))}), inputOf());
  EXPECT_EQ(r.kind, RunResult::Kind::Finished) << r.why;
  return valueOf(r, "s", 0).isSet ? valueOf(r, "s", 0).integer : 3;
}

RunResult::Kind kindOf(std::vector<StmtP> body) {
  return runOriginal(regionWith(std::move(body)), inputOf()).kind;
}

// Kernels over `a` and `b`: each kernel a body, launched once on n threads in blocks of 4.
struct Device {
  std::shared_ptr<Program> made = std::make_shared<Program>();
  Program &program = *made;
  Kernels kernels;

  explicit Device(std::vector<StmtP> original) {
    program.region = regionWith(std::move(original));
    for (const char *name : {"a", "b"}) {
      Buffer b;
      b.name = b.array = name;
      b.element = program.region.variables.at(name).type;
      b.low = intConst(0);
      b.high = cast(v("n"), kI64);
      b.copyIn = b.copyOut = true;
      kernels.buffers.push_back(b);
    }
    kernels.scalars = {{"n", v("n"), kI32}, {"s", v("s"), kI32}};
  }

  Device &launch(std::vector<StmtP> body, ExprP threads = nullptr) {
    Kernel k;
    k.name = "kernel" + std::to_string(kernels.kernels.size());
    k.block = {4, 1, 1};
    for (size_t n = 0; n < kernels.buffers.size(); n++) {
      KernelParameter p;
      p.name = kernels.buffers[n].name;
      p.type = kernels.buffers[n].element;
      p.buffer = int(n);
      p.extents = {nullptr};
      k.parameters.push_back(p);
    }
    for (const char *name : {"n", "s"}) {
      KernelParameter p;
      p.name = name;
      p.type = kI32;
      p.value = v(name);
      k.parameters.push_back(p);
    }
    k.body = block(std::move(body));
    kernels.kernels.push_back(k);
    HostStep h;
    h.kind = HostKind::Launch;
    h.kernel = int(kernels.kernels.size()) - 1;
    h.threads = {threads ? threads : cast(v("n"), kI64), intConst(1), intConst(1)};
    kernels.host.children.push_back(h);
    return *this;
  }

  RunResult run(RunLimits limits = {}) const {
    return runKernels(program, kernels, inputOf(), limits);
  }

  // The names of the checks that found something, sorted.
  std::vector<std::string> found(RunLimits limits = {}) const {
    std::vector<std::string> checks;
    RunResult device = run(limits), original = runOriginal(program.region, inputOf());
    EXPECT_EQ(original.kind, RunResult::Kind::Finished) << original.why;
    for (const Finding &f : device.findings)
      checks.push_back(f.check);
    if (device.findings.empty())
      for (const Finding &f : compareRuns(program.region, original, device))
        checks.push_back(f.check);
    std::sort(checks.begin(), checks.end());
    checks.erase(std::unique(checks.begin(), checks.end()), checks.end());
    return checks;
  }
};

using Checks = std::vector<std::string>;

ExprP thread() { return node(ExprKind::Builtin, {}, kI32, "thread.x"); }
ExprP lane() { return node(ExprKind::Builtin, {}, kI32, "local.x"); }
ExprP plus(ExprP a, int64_t k) { return op("+", std::move(a), i32(k)); }
StmtP shared(const std::string &name, int64_t extent) {
  auto s = std::make_shared<Stmt>(*declare(name, kI32, {extent}, {}));
  s->kind = StmtKind::Shared;
  return s;
}
StmtP barrier() { return marker(StmtKind::Barrier); }

// for (i = 0; i < n; i++) a[i] = b[i] + 1, and its kernel.
std::vector<StmtP> copyLoop() {
  return {loop("i", i32(0), v("n"), {assign(at("a", {v("i")}), plus(at("b", {v("i")}), 1))})};
}
StmtP copyOne(ExprP position) { return assign(at("a", {position}), plus(at("b", {position}), 1)); }

} // namespace

// ---- arithmetic of the original ----

TEST(Interpreter, IntegersAreC) {
  EXPECT_EQ(computed(op("/", i32(-7), i32(2))), -3);
  EXPECT_EQ(computed(op("%", i32(-7), i32(2))), -1);
  EXPECT_EQ(computed(node(ExprKind::FloorDiv, {i32(-7), i32(2)}, kI32)), -4);
  EXPECT_EQ(computed(node(ExprKind::FloorDiv, {i32(7), i32(2)}, kI32)), 3);
  EXPECT_EQ(computed(cast(i32(300), typeOf(Scalar::U8))), 44);
  EXPECT_EQ(computed(cast(i32(200), typeOf(Scalar::I8))), -56);
  EXPECT_EQ(computed(cast(i32(7), kBool)), 1);
  EXPECT_EQ(computed(op("<<", i32(3), i32(4))), 48);
  EXPECT_EQ(computed(op(">>", i32(-8), i32(1))), -4);
  EXPECT_EQ(computed(cast(op("-", intConst(0, kU32), intConst(1, kU32)), kI64)),
            -1); // cut to int on the way into s
  EXPECT_EQ(
      computed(binary("<", op("-", intConst(0, kU32), intConst(1, kU32)), intConst(1, kU32), kI32)),
      0);
  EXPECT_EQ(computed(binary("<", i32(-1), intConst(1, kU32), kI32)), 0); // the usual conversions
  EXPECT_EQ(computed(select(less(i32(1), i32(2)), i32(10), i32(20), kI32)), 10);
  EXPECT_EQ(computed(call("abs", {i32(-4)}, kI32)), 4);
  EXPECT_EQ(computed(unary("~", i32(5), kI32)), -6);
}

TEST(Interpreter, LazyOperatorsDoNotTouchTheirRightSide) {
  ExprP trap = binary("==", op("/", i32(1), op("-", v("s"), v("s"))), i32(1), kI32);
  EXPECT_EQ(computed(binary("&&", less(i32(2), i32(1)), trap, kI32)), 0);
  EXPECT_EQ(computed(binary("||", less(i32(1), i32(2)), trap, kI32)), 1);
}

TEST(Interpreter, WhatCDoesNotDefineIsInvalid) {
  auto setS = [](ExprP e) { return std::vector<StmtP>{assign(v("s"), std::move(e))}; };
  ExprP large = i32(2147483647), zero = op("-", v("s"), v("s"));
  EXPECT_EQ(kindOf(setS(op("+", large, v("s")))), RunResult::Kind::Invalid);
  EXPECT_EQ(kindOf(setS(op("+", large, zero))), RunResult::Kind::Finished);
  EXPECT_EQ(kindOf(setS(op("/", v("s"), zero))), RunResult::Kind::Invalid);
  EXPECT_EQ(kindOf(setS(op("<<", v("s"), i32(32)))), RunResult::Kind::Invalid);
  EXPECT_EQ(kindOf({declare("t", kI32, {}, {}), assign(v("s"), plus(v("t"), 1))}),
            RunResult::Kind::Invalid);
  EXPECT_EQ(
      kindOf({declare("t", kI32, {}, {}), assign(v("t"), i32(1)), assign(v("s"), plus(v("t"), 1))}),
      RunResult::Kind::Finished);
  EXPECT_EQ(kindOf({declare("t", kI32, {3}, {i32(1)}), assign(v("s"), at("t", {i32(2)}))}),
            RunResult::Kind::Finished); // the rest is zero
  EXPECT_EQ(kindOf({declare("t", kI32, {3}, {i32(1)}), assign(v("s"), at("t", {i32(3)}))}),
            RunResult::Kind::Invalid);
}

TEST(Interpreter, SubscriptsStayInsideDeclaredExtents) {
  Variable rows = pointer("m", kI32, {v("n")});
  auto run = [&](int64_t row, int64_t column) {
    return runOriginal(
        regionOf({assign(at("m", {i32(row), i32(column)}), i32(1))}, {scalar("n"), rows}),
        inputOf());
  };
  EXPECT_EQ(run(3, kSize - 1).kind, RunResult::Kind::Finished);
  EXPECT_EQ(run(3, kSize).kind, RunResult::Kind::Invalid);
  EXPECT_EQ(run(3, -1).kind, RunResult::Kind::Invalid);
  RunResult r = run(3, 2);
  EXPECT_EQ(valueOf(r, "m", 3 * kSize + 2).integer, 1);
  EXPECT_EQ(r.touched.at("m"), std::make_pair(int64_t(3 * kSize + 2), int64_t(3 * kSize + 2)));
}

TEST(Interpreter, FloatsRoundToFloat) {
  SampleInput input = inputOf(Arithmetic::Exact);
  give(input, "x", {16777216, 1});
  auto sum = [&](Type t) {
    return binary("+", cast(at("x", {i32(0)}, kF32), t), cast(at("x", {i32(1)}, kF32), t), t);
  };
  auto run = [&](Type t) {
    return valueOf(runOriginal(regionWith({assign(
                                   at("y", {i32(0)}, kF32),
                                   cast(binary("-", sum(t), floatConst(16777216, t), t), kF32))}),
                               input),
                   "y", 0)
        .number;
  };
  EXPECT_EQ(run(kF32), 0);
  EXPECT_EQ(run(kF64), 1);
}

TEST(Interpreter, LoopsBreakAndContinue) {
  StmtP body = block({ifElse(binary("==", v("i"), i32(2), kI32), marker(StmtKind::Continue)),
                      ifElse(binary("==", v("i"), i32(5), kI32), marker(StmtKind::Break)),
                      assign(v("s"), op("+", v("s"), v("i")))});
  RunResult r = runOriginal(
      regionWith({forLoop("i", kI32, i32(0), less(v("i"), v("n")), i32(1), body)}), inputOf());
  EXPECT_EQ(valueOf(r, "s", 0).integer, 3 + 0 + 1 + 3 + 4);
}

TEST(Interpreter, FunctionsAndStructs) {
  Region region = regionWith({});
  region.structs = {{"pair", {{"first", kI32, {}}, {"rest", kI32, {2}}}, 12}};
  Type pair{Scalar::Void, "pair"};
  region.variables["p"] = pointer("p", pair);
  // int twice(int k) { if (k < 0) return 0; return k + k; }
  region.functions = {{"nw_twice", kI32, {scalar("k")}, nullptr}};
  auto returned = [](ExprP e) {
    auto s = std::make_shared<Stmt>(*marker(StmtKind::Return));
    s->exprs = {std::move(e)};
    return s;
  };
  region.functions[0].body =
      block({ifElse(less(v("k"), i32(0)), returned(i32(0))), returned(op("+", v("k"), v("k")))});
  ExprP second = index(member(index(var("p", pair), i32(1), pair), "rest", kI32), i32(1), kI32);
  ExprP nested = call("nw_twice", {call("nw_twice", {v("s")}, kI32)}, kI32);
  region.body = {assign(second, nested),
                 assign(index(var("p", pair), i32(2), pair), index(var("p", pair), i32(1), pair))};
  RunResult r = runOriginal(region, inputOf());
  ASSERT_EQ(r.kind, RunResult::Kind::Finished) << r.why;
  EXPECT_EQ(valueOf(r, "p", 3 * 1 + 2).integer, 12);
  EXPECT_EQ(valueOf(r, "p", 3 * 2 + 2).integer, 12);
  EXPECT_EQ(r.touched.at("p"), std::make_pair(int64_t(1), int64_t(2)));
}

TEST(Interpreter, EndlessLoopsAreCut) {
  StmtP forever = forLoop("i", kI32, i32(0), less(i32(0), i32(1)), i32(0), block({}));
  EXPECT_EQ(kindOf({forever}), RunResult::Kind::TooLong);
}

// ---- the field ----

TEST(Field, SumsMayBeReordered) {
  using namespace field;
  int64_t a = fromHash(1234567891234567), b = fromHash(987654321987654321), c = fromInteger(-5);
  EXPECT_EQ(add(add(a, b), c), add(a, add(c, b)));
  EXPECT_EQ(multiply(a, add(b, c)), add(multiply(a, b), multiply(a, c)));
  EXPECT_EQ(divide(multiply(a, b), b), a);
  EXPECT_EQ(add(c, fromInteger(5)), 0);
  EXPECT_EQ(multiply(fromDouble(0.5), fromInteger(14)), fromInteger(7));
  EXPECT_EQ(fromDouble(1), 1);
  EXPECT_EQ(fromDouble(-3), negated(fromInteger(3)));
  EXPECT_EQ(toInteger(fromInteger(-3)), -3);
  EXPECT_LT(a, kInfinity);
  EXPECT_GT(a, kMinusInfinity);
}

TEST(Field, AWrongTermIsSeen) {
  auto sum = [](std::vector<int> order) {
    ExprP all = floatConst(0, kF32);
    for (int k : order)
      all = binary("+", all, at("x", {i32(k)}, kF32), kF32);
    return runOriginal(regionWith({assign(at("y", {i32(0)}, kF32), all)}), inputOf()).memory;
  };
  auto value = [](const auto &memory) { return memory.at({"y", 0}).integer; };
  EXPECT_EQ(value(sum({0, 1, 2, 3})), value(sum({3, 1, 0, 2})));
  EXPECT_NE(value(sum({0, 1, 2, 3})), value(sum({0, 1, 2})));
  EXPECT_NE(value(sum({0, 1, 2, 3})), value(sum({0, 1, 2, 2})));
}

TEST(Field, InfinitiesAreTheEndsOfTheOrder) {
  ExprP x = at("x", {i32(0)}, kF32), infinity = floatConst(HUGE_VAL, kF32);
  auto holds = [](ExprP c) { return computed(std::move(c)); };
  EXPECT_EQ(holds(binary("<", x, infinity, kI32)), 1);
  EXPECT_EQ(holds(binary(">", x, unary("-", infinity, kF32), kI32)), 1);
  EXPECT_EQ(holds(binary("==", call("fmin", {infinity, x}, kF32), x, kI32)), 1);
}

TEST(Field, MinimaAndMaximaPassOverNaN) {
  ExprP x = at("x", {i32(0)}, kF32), nan = floatConst(NAN, kF32);
  auto isNaN = [](const ExprP &e) { return computed(binary("!=", e, e, kI32)); };
  for (const char *f : {"fmin", "fmax"}) {
    EXPECT_EQ(computed(binary("==", call(f, {nan, x}, kF32), x, kI32)), 1);
    EXPECT_EQ(computed(binary("==", call(f, {x, nan}, kF32), x, kI32)), 1);
    EXPECT_EQ(isNaN(call(f, {nan, nan}, kF32)), 1);
  }
  EXPECT_EQ(isNaN(x), 0);
  for (const char *op : {"+", "-", "*", "/"}) {
    EXPECT_EQ(isNaN(binary(op, x, nan, kF32)), 1) << op;
    EXPECT_EQ(isNaN(binary(op, nan, x, kF32)), 1) << op;
  }
}

TEST(Field, NaNIsInNoOrder) {
  ExprP x = at("x", {i32(0)}, kF32), nan = floatConst(NAN, kF32);
  for (const ExprP &other : {x, nan, unary("-", floatConst(HUGE_VAL, kF32), kF32)})
    for (const char *op : {"<", "<=", ">", ">=", "=="}) {
      EXPECT_EQ(computed(binary(op, other, nan, kI32)), 0) << op;
      EXPECT_EQ(computed(binary(op, nan, other, kI32)), 0) << op;
    }
  EXPECT_EQ(computed(binary("!=", x, nan, kI32)), 1);
}

// ---- findings of kernels, and twins without ----

TEST(Kernels, TheSameResultHasNoFinding) {
  EXPECT_EQ(Device(copyLoop()).launch({copyOne(thread())}).found(), Checks{});
  EXPECT_EQ(Device(copyLoop()).launch({ifElse(less(thread(), i32(5)), copyOne(thread()))}).found(),
            Checks{"result"});
}

TEST(Kernels, ThreadsBeyondTheEndAreSeen) {
  EXPECT_EQ(Device(copyLoop()).launch({copyOne(thread())}, intConst(9)).found(), Checks{"bounds"});
  EXPECT_EQ(Device(copyLoop())
                .launch({ifElse(less(thread(), v("n")), copyOne(thread()))}, intConst(9))
                .found(),
            Checks{});
}

TEST(Kernels, RacesWithinALaunch) {
  // b[i + 1] is read by one thread while another writes it, in whatever order they happen to run.
  std::vector<StmtP> shift = {
      loop("i", i32(0), op("-", v("n"), i32(1)),
           {assign(at("b", {v("i")}), plus(at("b", {plus(v("i"), 1)}), 1))})};
  StmtP one = ifElse(less(thread(), op("-", v("n"), i32(1))),
                     assign(at("b", {thread()}), plus(at("b", {plus(thread(), 1)}), 1)));
  EXPECT_EQ(Device(shift).launch({one}).found(), Checks{"race"});
  StmtP first = ifElse(less(thread(), op("-", v("n"), i32(1))),
                       assign(at("a", {thread()}), plus(at("b", {plus(thread(), 1)}), 1)));
  StmtP second = ifElse(less(thread(), op("-", v("n"), i32(1))),
                        assign(at("b", {thread()}), at("a", {thread()})));
  Device twoLaunches = Device(shift).launch({first}).launch({second});
  twoLaunches.kernels.buffers[0].copyOut = false; // a is a temporary here
  EXPECT_EQ(twoLaunches.found(), Checks{});
  EXPECT_EQ(Device({assign(at("a", {i32(0)}), i32(1))})
                .launch({assign(at("a", {i32(0)}), i32(1))})
                .found(),
            Checks{"race"}); // also of equal values
  EXPECT_EQ(Device({assign(at("a", {i32(0)}), i32(1))})
                .launch({assign(at("a", {i32(0)}), i32(1))}, intConst(1))
                .found(),
            Checks{"race"}); // a block has four
}

TEST(Kernels, BarriersOrderTheirBlockOnly) {
  auto mirrored =
      [](int width,
         StmtKind between) { // a[i] = b[i], then each reads its neighbour's in a group of `width`
        ExprP other = op("^", thread(), i32(width));
        return std::vector<StmtP>{assign(at("a", {thread()}), at("b", {thread()})), marker(between),
                                  declare("t", kI32, {}, {at("a", {other})}), marker(between),
                                  assign(at("a", {thread()}), v("t"))};
      };
  auto original = [](int width) {
    return std::vector<StmtP>{loop(
        "i", i32(0), v("n"), {assign(at("a", {v("i")}), at("b", {op("^", v("i"), i32(width))}))})};
  };
  EXPECT_EQ(Device(original(1)).launch(mirrored(1, StmtKind::Barrier)).found(), Checks{});
  EXPECT_EQ(Device(original(4)).launch(mirrored(4, StmtKind::Barrier)).found(), Checks{"race"});
  EXPECT_EQ(Device(original(4)).launch(mirrored(4, StmtKind::GridBarrier)).found(), Checks{});
  EXPECT_EQ(Device(original(1)).launch(mirrored(1, StmtKind::Block)).found(),
            Checks{"race"}); // no barrier at all
}

TEST(Kernels, SharedMemoryBelongsToTheBlock) {
  auto body = [](int64_t extent, ExprP read) {
    return std::vector<StmtP>{shared("t", extent), assign(at("t", {lane()}), at("b", {thread()})),
                              barrier(),
                              assign(at("a", {thread()}), plus(at("t", {std::move(read)}), 1))};
  };
  EXPECT_EQ(Device(copyLoop()).launch(body(4, lane())).found(), Checks{});
  EXPECT_EQ(Device(copyLoop()).launch(body(3, lane())).found(), Checks{"bounds"});
  EXPECT_EQ(Device(copyLoop()).launch(body(5, plus(lane(), 1))).found(), Checks{"uninitialised"});
  EXPECT_EQ(Device(copyLoop()).launch(body(4, op("-", i32(3), lane()))).found(), Checks{"result"});
}

TEST(Kernels, AllThreadsOfABlockReachABarrier) {
  StmtP divergent = ifElse(less(lane(), i32(2)), barrier()),
        uniform = ifElse(less(node(ExprKind::Builtin, {}, kI32, "block.x"), i32(1)), barrier());
  EXPECT_EQ(Device(copyLoop()).launch({copyOne(thread()), divergent}).found(), Checks{"barriers"});
  EXPECT_EQ(Device(copyLoop()).launch({copyOne(thread()), uniform}).found(), Checks{});
  StmtP longer = forLoop("k", kI32, i32(0), less(v("k"), lane()), i32(1), barrier()),
        same = forLoop("k", kI32, i32(0), less(v("k"), v("s")), i32(1), barrier());
  EXPECT_EQ(Device(copyLoop()).launch({copyOne(thread()), longer}).found(), Checks{"barriers"});
  EXPECT_EQ(Device(copyLoop()).launch({copyOne(thread()), same}).found(), Checks{});
}

TEST(Kernels, ValuesThatNobodySetAreSeenWhenTheyAreUsed) {
  std::vector<StmtP> used = {declare("t", kI32, {}, {}),
                             assign(at("a", {thread()}), plus(v("t"), 1))};
  std::vector<StmtP> carried = {declare("t", kI32, {}, {}), declare("w", kI32, {}, {v("t")}),
                                assign(v("w"), at("b", {thread()})),
                                assign(at("a", {thread()}), plus(v("w"), 1))};
  EXPECT_EQ(Device(copyLoop()).launch(used).found(), Checks{"uninitialised"});
  EXPECT_EQ(Device(copyLoop()).launch(carried).found(), Checks{});
}

TEST(Kernels, WhatIsReadMustBeCopiedIn) {
  Device d = Device(copyLoop()).launch({copyOne(thread())});
  d.kernels.buffers[1].copyIn = d.kernels.buffers[1].copyOut = false;
  EXPECT_EQ(d.found(), Checks{"uninitialised"});
}

TEST(Kernels, WhatIsCopiedOutMustBeSetOrCopiedIn) {
  Device whole = Device(copyLoop()).launch({copyOne(thread())});
  whole.kernels.buffers[0].copyIn = false;
  EXPECT_EQ(whole.found(), Checks{});
  Device part({loop("i", i32(0), i32(4), {assign(at("a", {v("i")}), i32(9))})});
  part.launch({ifElse(less(thread(), i32(4)), assign(at("a", {thread()}), i32(9)))});
  part.kernels.buffers[0].copyIn = false;
  part.kernels.buffers[0].high = intConst(8);
  EXPECT_EQ(part.found(), Checks{"uninitialised"});
  Device lost = Device(copyLoop()).launch({copyOne(thread())});
  lost.kernels.buffers[0].copyOut = false;
  EXPECT_EQ(lost.found(), Checks{"result"});
}

TEST(Kernels, RangesMustExist) {
  Device d = Device(copyLoop()).launch({copyOne(thread())});
  d.program.region.variables["b"].extents = {
      nullptr}; // int *b: nothing but its accesses says how long it is
  EXPECT_EQ(d.found(), Checks{});
  d.kernels.buffers[1].high = intConst(kSize + 1);
  EXPECT_EQ(d.found(), Checks{"transfers"});
  d.program.region.variables["b"].extents = {i32(kSize + 1)}; // now its declaration says so
  EXPECT_EQ(d.found(), Checks{});
  d.kernels.buffers[1].low = intConst(-1);
  d.kernels.kernels[0].parameters[1].shifted = true;
  EXPECT_EQ(d.found(), Checks{"transfers"});
}

TEST(Kernels, LimitsOfTheDevice) {
  Device d = Device(copyLoop()).launch({shared("t", 8), copyOne(thread())});
  RunLimits limits;
  limits.blockThreads = 4;
  limits.sharedBytes = 32;
  EXPECT_EQ(d.found(limits), Checks{});
  limits.sharedBytes = 31;
  EXPECT_EQ(d.found(limits), Checks{"resources"});
  limits.sharedBytes = 32;
  limits.blockThreads = 3;
  EXPECT_EQ(d.found(limits), Checks{"resources"});
}

TEST(Kernels, AssumptionsRefuse) {
  Device d = Device(copyLoop()).launch({copyOne(thread())});
  d.kernels.assumptions = binary("<", v("n"), i32(kSize), kI32);
  EXPECT_EQ(d.run().kind, RunResult::Kind::Refused);
  d.kernels.assumptions = binary("<=", v("n"), i32(kSize), kI32);
  EXPECT_EQ(d.run().kind, RunResult::Kind::Finished);
}

TEST(Kernels, HostLoopsAndConditions) {
  // for (k = 0; k < 3; k++) a[i] += k
  std::vector<StmtP> original = {
      loop("k", i32(0), i32(3),
           {loop("i", i32(0), v("n"),
                 {assign(at("a", {v("i")}), op("+", at("a", {v("i")}), v("k")))})})};
  Device d =
      Device(original).launch({assign(at("a", {thread()}), op("+", at("a", {thread()}), v("k")))});
  KernelParameter p;
  p.name = "k";
  p.type = kI32;
  p.value = v("k");
  d.kernels.kernels[0].parameters.push_back(p);
  HostStep looped;
  looped.kind = HostKind::Loop;
  looped.loop = loop("k", i32(0), i32(3), {});
  looped.children = {d.kernels.host.children[0]};
  d.kernels.host.children = {looped};
  EXPECT_EQ(d.found(), Checks{});
  d.kernels.host.children[0].children[0].condition = less(v("k"), i32(2));
  EXPECT_EQ(d.found(), Checks{"result"});
}

TEST(Kernels, EndlessKernelsAreCut) {
  StmtP forever = forLoop("i", kI32, i32(0), less(i32(0), i32(1)), i32(0), block({}));
  EXPECT_EQ(Device(copyLoop()).launch({forever}).run().kind, RunResult::Kind::TooLong);
}

TEST(Kernels, ConstantBuffersAreNotWritten) {
  Device d = Device(copyLoop()).launch({copyOne(thread())});
  d.kernels.kernels[0].parameters[1].isConst = true;
  EXPECT_EQ(d.found(), Checks{});
  d.kernels.kernels[0].parameters[0].isConst = true;
  EXPECT_EQ(d.found(), Checks{"constant"});
}

} // namespace nw::testing
