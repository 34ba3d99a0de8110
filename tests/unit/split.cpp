// Splitting at collisions keeps every instance.
#include "build.h"
#include "frontend/affine/build_program.h"
#include "poly/split.h"

namespace nw::testing {

// b[i] = i == m ? b[j] : 0 over i and j: b[j] is read under a condition that the model sees.
TEST(Split, InstancesThatDoNotReadAreKept) {
  ExprP i = v("i"), j = v("j"), m = v("m"), n = v("n");
  StmtP s = assign(at("b", {i}), select(binary("==", i, m, kI32), at("b", {j}), i32(0), kI32));
  Region r = regionOf({loop("i", i32(0), n, {loop("j", i32(0), n, {s})})}, {scalar("n"), scalar("m"), scalar("i"), scalar("j"), pointer("b")});
  r.variables["i"].storage = r.variables["j"].storage = Storage::Local;
  Program program = buildProgram(r);
  std::optional<Program> split = splitAtCollisions(program);
  ASSERT_TRUE(split.has_value());
  ASSERT_GT(split->statements.size(), 1u);
  const isl::set &whole = program.statements[0].domain;
  isl::set all = isl::set::empty(whole.get_space());
  for (const Statement &part : split->statements) {
    isl::set one = named(part.domain, program.statements[0].name);
    EXPECT_TRUE(one.intersect(all).is_empty()) << "parts overlap";
    all = all.unite(one);
  }
  EXPECT_TRUE(all.is_equal(whole));
}

} // namespace nw::testing
