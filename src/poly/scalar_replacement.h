// Reductions into an element of an array that they also read elsewhere, such as t[i][j] =
// max(t[i][j], t[i][k] + t[k + 1][j]): the element is kept in a variable through the reduction's
// loop, loaded before it and stored after it. The loop is then a reduction into that variable,
// which threads keep in a register.
#pragma once
#include "poly/steps.h"
#include <functional>

namespace nw {

// What a statement's body reduces, if it does.
using FindReduction = std::function<std::optional<Reduction>(const StmtP &body)>;

// Whether the reduction takes a new value where a comparison fails, as m >= x ? m : x does: with a
// NaN it begins anew, so that the order of floating-point values counts.
bool restartsAtNan(const StmtP &body, const Reduction &reduction);

struct ScalarReplaced {
  Program program;
  Schedule schedule;
};

// The program with such elements in variables, and its schedule: where the reduction's loop runs
// within threads of one parallel loop, each of which has but one such element. Nothing where there
// are none.
std::optional<ScalarReplaced> replaceScalars(const Program &program, const Schedule &schedule,
                                             const FindReduction &findReduction);

} // namespace nw
