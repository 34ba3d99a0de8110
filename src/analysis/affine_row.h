// A subscript as a sum of multiples: how far it moves with each dimension, with each parameter, and
// where it begins. What access matrices (patterns), F of references (affine) and rows of a nest
// (share) are read from.
#pragma once
#include "support/linear_sum.h"

namespace nw {

// The relation to output `k` alone.
isl::map outputOf(const isl::map &relation, int k);

// Output `k` of the relation, where it is one such sum on the whole domain of the relation. Nothing
// where data decide, where it is a division or differs in kind over the domain, and where a number
// does not fit a machine's.
std::optional<AffineRow> affineRow(const isl::map &relation, int k);

// All outputs; nothing where one of them is no such sum, or where the relation is empty.
std::optional<std::vector<AffineRow>> affineRows(const isl::map &relation);

} // namespace nw
