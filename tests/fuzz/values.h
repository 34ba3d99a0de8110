// Random expressions, subscripts and conditions within a scope: the lower half of the generator.
#pragma once
#include "analyse.h"
#include "random.h"
#include <set>

namespace nw::fuzz {

class Values {
public:
  Values(Random &random, Program &program) : random(random), program(program) {
    scope.program = &program;
  }

  Scope scope;
  std::vector<std::string> privates; // visible scalars and small arrays of loops
  std::set<std::string>
      avoided; // what the nest writes: read at random, it would make most nests serial

  // An expression over what is visible; integers only unless floating point is wanted.
  Expr value(int depth, bool withFloat);
  // Changes an expression so that it may be stored in the type, or is at most `limit` in size.
  Expr fitting(Expr e, ElementType type);
  Expr narrowed(Expr e, long long limit);
  Expr condition();
  Expr affineCondition();

  Access read(const Storage &storage);
  // Each dimension has a counter of its own, where there are enough.
  Access written(const Storage &storage);
  Access nearby(const Access &access); // the same element, or one beside it

  bool isReadable(const Storage &storage) const;

private:
  Expr leaf(bool withFloat);
  Expr large(); // a number with which sums and products overflow
  Expr combined(Expr a, Expr b);
  Subscript subscript(const std::string &counter);
  std::string field(const Storage &storage);
  std::vector<std::string> countersInnermostFirst() const;

  Random &random;
  Program &program;
};

Expr literal(long long value, ElementType type = ElementType::Int);
Expr counter(const Affine &a);
Expr readOf(const Access &access);
Expr binary(const std::string &op, Expr a, Expr b);
Expr castTo(ElementType type, Expr e);

} // namespace nw::fuzz
