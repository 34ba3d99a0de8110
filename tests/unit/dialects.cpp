// Trees as text: precedence, constants, names that a language has taken.
#include "build.h"
#include "emit/dialect.h"
#include <cmath>

namespace nw::testing {

struct Printing : ::testing::Test {
  Dialect host{Language::HostC}, cuda{Language::Cuda}, opencl{Language::OpenCl};
  std::string c(const ExprP &e) { return TreePrinter(host).expr(e); }
};

TEST_F(Printing, Precedence) {
  ExprP a = v("a"), b = v("b"), d = v("d");
  EXPECT_EQ(c(op("+", a, op("*", b, d))), "a + b * d");
  EXPECT_EQ(c(op("*", op("+", a, b), d)), "(a + b) * d");
  EXPECT_EQ(c(op("-", a, op("-", b, d))), "a - (b - d)");
  EXPECT_EQ(c(op("-", op("-", a, b), d)), "a - b - d");
  EXPECT_EQ(c(op("/", a, op("*", b, d))), "a / (b * d)");
  EXPECT_EQ(c(op("%", op("*", a, b), d)), "a * b % d");
  EXPECT_EQ(c(unary("-", op("+", a, b), kI32)), "-(a + b)");
  EXPECT_EQ(c(op("-", a, unary("-", b, kI32))), "a - -b");
  EXPECT_EQ(c(cast(op("+", a, b), kI64)), "(long long)(a + b)");
  EXPECT_EQ(c(op("&", op("==", a, b), d)), "(a == b) & d");
  EXPECT_EQ(c(op("+", select(a, b, d, kI32), i32(1))), "(a ? b : d) + 1");
  EXPECT_EQ(c(select(a, b, select(d, a, b, kI32), kI32)), "a ? b : d ? a : b");
}

TEST_F(Printing, MinusBeforeANegativeNumberIsNoDecrement) {
  EXPECT_EQ(c(unary("-", i32(-3), kI32)), "-(-3)");
  EXPECT_EQ(c(unary("-", unary("-", v("a"), kI32), kI32)), "-(-a)");
}

// Signed arithmetic that wraps is spelled without a sign, in the type in which C computes.
TEST_F(Printing, WrappingArithmetic) {
  ExprP a = v("a"), b = v("b"), w = var("w", kI64), s = var("s", typeOf(Scalar::I16));
  host.wraps = opencl.wraps = true;
  EXPECT_EQ(c(op("+", a, i32(1))), "(int)((unsigned)a + 1u)");
  EXPECT_EQ(c(op("<", op("-", op("*", a, b), i32(1)), a)),
            "(int)((unsigned)a * (unsigned)b - 1u) < a");
  EXPECT_EQ(c(unary("-", a, kI32)), "(int)-((unsigned)a)");
  EXPECT_EQ(c(op("<<", a, b)), "(int)((unsigned)a << b)");
  EXPECT_EQ(c(binary("+", cast(op("+", a, b), kI64), w, kI64)),
            "(long long)((unsigned long long)(long long)(int)((unsigned)a + (unsigned)b) + "
            "(unsigned long long)w)");
  EXPECT_EQ(c(binary("+", s, s, typeOf(Scalar::I16))), "(int)((unsigned)s + (unsigned)s)");
  EXPECT_EQ(c(op("/", a, b)), "a / b");
  EXPECT_EQ(c(binary("+", var("u", typeOf(Scalar::U32)), a, typeOf(Scalar::U32))), "u + a");
  EXPECT_EQ(c(binary("*", var("x", typeOf(Scalar::F64)), var("y", typeOf(Scalar::F64)),
                     typeOf(Scalar::F64))),
            "x * y");
  EXPECT_EQ(c(call("abs", {a}, kI32)), "(a < 0 ? (int)-((unsigned)a) : a)");
  EXPECT_EQ(TreePrinter(opencl).expr(op("+", a, i32(-1))), "(int)((uint)a + 4294967295u)");
}

TEST_F(Printing, SmallestIntegers) {
  EXPECT_EQ(host.integer(INT32_MIN, kI32), "(-2147483647 - 1)");
  EXPECT_EQ(host.integer(INT64_MIN, kI64), "(-9223372036854775807LL - 1)");
  EXPECT_EQ(opencl.integer(INT64_MIN, kI64), "(-9223372036854775807L - 1)");
  EXPECT_EQ(c(op("*", i32(INT32_MIN), v("a"))), "(-2147483647 - 1) * a");
}

TEST_F(Printing, UnsignedIntegers) {
  EXPECT_EQ(host.integer(-1, kU32), "4294967295u");
  EXPECT_EQ(cuda.integer(-1, typeOf(Scalar::U64)), "18446744073709551615ULL");
  EXPECT_EQ(opencl.integer(-1, typeOf(Scalar::U64)), "18446744073709551615UL");
}

TEST_F(Printing, FloatingPointConstants) {
  EXPECT_EQ(host.number(1, kF64), "1.0");
  EXPECT_EQ(host.number(1, kF32), "1.0f");
  EXPECT_EQ(host.number(0.1, kF64), "0.1");
  EXPECT_EQ(host.number(0.1f, kF32), "0.1f");
  EXPECT_EQ(cuda.number(HUGE_VAL, kF32), "__int_as_float(0x7f800000)");
  EXPECT_EQ(opencl.number(-HUGE_VAL, kF64), "(-(double)INFINITY)");
  for (double x : {1e300, 5e-324, 1.0 / 3, 123456789.123, -0.0}) // as many digits as it takes
    EXPECT_EQ(std::strtod(host.number(x, kF64).c_str(), nullptr), x);
  for (float x : {1e30f, 1e-45f, 1.0f / 3, 16777216.0f})
    EXPECT_EQ(std::strtof(host.number(x, kF32).c_str(), nullptr), x);
  EXPECT_TRUE(std::signbit(std::strtod(host.number(-0.0, kF64).c_str(), nullptr)));
}

TEST_F(Printing, NamesThatALanguageHasTaken) {
  for (const char *taken :
       {"kernel", "global", "threadIdx", "float4", "sqrt", "class", "template", "__mine"})
    EXPECT_NE(opencl.name(taken), taken);
  EXPECT_EQ(opencl.name("matrix"), "matrix");
  EXPECT_EQ(TreePrinter(cuda).expr(op("+", v("local"), v("x"))), "local_nw + x");
}

TEST_F(Printing, TypesOfTheLanguages) {
  EXPECT_EQ(opencl.type(kI64), "long");
  EXPECT_EQ(cuda.type(kI64), "long long");
  EXPECT_EQ(opencl.type(typeOf(Scalar::U8)), "uchar");
  EXPECT_EQ(host.type(Type{Scalar::I32, "point"}), "struct point");
}

TEST_F(Printing, CudaWithoutContractionMultipliesByFunction) {
  Dialect strict{Language::Cuda, false};
  ExprP e = op("+", op("*", v("x", kF32), v("y", kF32)), v("z", kF32));
  EXPECT_EQ(TreePrinter(strict).expr(e), "__fmul_rn(x, y) + z");
  EXPECT_EQ(TreePrinter(cuda).expr(e), "x * y + z");
  EXPECT_EQ(TreePrinter(strict).expr(op("*", v("i"), v("j"))), "i * j");
}

TEST_F(Printing, MathFunctionsByType) {
  EXPECT_EQ(TreePrinter(cuda).expr(call("sqrt", {v("x", kF32)}, kF32)), "sqrtf(x)");
  EXPECT_EQ(TreePrinter(opencl).expr(call("sqrt", {v("x", kF32)}, kF32)), "sqrt(x)");
}

} // namespace nw::testing
