// Code between instances that only moves elements between memory and shared memory: loops, guards
// and registers of any shape. What it brings where is executed by the check 'staging'.
#pragma once
#include "ir/program.h"
#include <set>

namespace nw {

struct CopyCode {
  std::set<std::string> tiles;       // shared arrays that stand for elements of arrays
  std::set<const Stmt *> statements; // the outermost ones that only move elements
};

// `buffers`: names of arrays in memory.
CopyCode copiesIn(const StmtP &body, const std::set<std::string> &buffers);

// Whether an array that is copied back from the tile is touched in no other way, and the tile is
// read by such copies alone.
bool isOnlyCopiedBack(const StmtP &body, const std::string &array, const std::string &tile);

} // namespace nw
