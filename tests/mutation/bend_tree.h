// Every way to bend a tree at one point.
#pragma once
#include "ir/tree.h"

namespace nw::mutation {

// Gets a bent tree and what was done to it.
template <class Tree> using Taker = std::function<void(const Tree &bent, const std::string &what)>;

void bend(const ExprP &e, const Taker<ExprP> &take);
void bend(const StmtP &s, const Taker<StmtP> &take);

} // namespace nw::mutation
