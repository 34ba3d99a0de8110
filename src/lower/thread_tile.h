// Threads that take several neighbouring values of their dimensions: whole groups of points are
// jammed, what is left over comes point by point.
#pragma once
#include "lower/boxes.h"
#include "lower/instances.h"

namespace nw {

// Neighbouring points of one thread, from the first on.
struct WholeTile {
  isl::set whole; // first points, as values of x and perhaps y, of tiles whose points are all there
  std::vector<std::string> dimensions; // x and perhaps y
  std::vector<std::string> firsts;     // variables that hold the first point
  std::vector<int> points;
  StmtP rest; // those points of the tile that are there, one after the other
};

// A parallel step whose threads take several points along one or two of its dimensions, and what
// lowering lends to it. They have one value of each of the others, variables of their names.
struct ThreadTile {
  const InstanceContext &context;
  const Step &step;
  const View &view;
  const Box &box;
  std::vector<size_t> order; // dimensions of the step: x, which runs along threads, and perhaps y
  std::vector<int> points;   // values of each of them in one thread
  std::vector<StmtP> locals; // declarations of the thread's variables
  std::function<ExprP(const std::string &, const ExprP &)>
      bound; // a bound, by the host where it is long
  std::function<ExprP(const std::string &, const ExprP &)>
      launchValue; // a value that the host computes for the launch
  // How tiles are made, where they are not jammed; they begin at multiples of their width then, and
  // have a thread each.
  std::function<StmtP(const WholeTile &)> tileCode = {};
  std::optional<isl::set> only = {}; // points that whole tiles consist of; none: all that are there
  const View *everything = nullptr;  // the step's, where `view` has one value of other dimensions
};

// The kernel's code; `threads` is how many the launch needs along each dimension.
StmtP threadTileCode(const ThreadTile &points, std::array<ExprP, 3> &threads);

// A name for point number k of a dimension that nothing else has.
std::string pointName(const InstanceContext &context, const std::string &dimension, int k);

// The code of one point, whose dimensions are variables of the names given here or else of their
// own.
StmtP codeOfPoint(const ThreadTile &points, View view,
                  const std::map<std::string, std::string> &names);

// The sum, without a zero.
ExprP sumOf(const ExprP &a, const ExprP &b);

} // namespace nw
