// Memory for private variables.
#include "lower/expansion.h"

namespace nw {

ExpandedVariable expandedVariable(const Program &p, const std::string &name,
                                  const isl::set &known) {
  const Array &a = p.arrays.at(name);
  isl::set touched;
  for (const Statement &s : p.statements)
    for (const Access &x : s.accesses)
      if (x.array == name) {
        isl::set r = unnamed(x.relation.range()).intersect_params(known);
        touched = touched.is_null() ? r : touched.unite(r);
      }
  AstReader reader(p, kI64);
  ExpandedVariable made;
  Buffer &b = made.buffer;
  b.name = name;
  b.element = a.variable.type;
  b.elementBytes = a.elementBytes;
  b.touched = reader.condition(onlyParams(touched), known);
  b.low = intConst(0);
  b.high = intConst(1);
  made.expansion.loops = a.privateLoops;
  for (int k = 0; k < a.privateDepth; k++) {
    ExprP first = reader.value(lowest(touched, k), known),
          last = reader.value(highest(touched, k), known),
          count = binary("+", binary("-", last, first, kI64), intConst(1), kI64);
    b.high = binary("*", b.high, count, kI64);
    made.expansion.first.push_back(first);
    made.expansion.count.push_back(count);
  }
  for (const ExprP &e : a.extents)
    b.elementBytes *= e->integer;
  return made;
}

} // namespace nw
