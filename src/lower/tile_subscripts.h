// Subscripts of references in a tile: how each follows the tile's dimensions.
#pragma once
#include "ir/program.h"
#include "lower/tile_box.h"
#include <map>

namespace nw {

// One subscript: a dimension of the tile plus a number, or something that all threads of the block
// agree on. Counters of loops inside a point may be added, where these run between numbers.
struct TileSubscript {
  enum Kind { Row, Column, Strip, Inside, Fixed } kind = Fixed; // Inside: counters alone
  int64_t offset = 0;                                           // the smallest
  int64_t most = 0;                                             // the largest
  int64_t number = 0;                                           // without the counters
  ExprP counters;                                               // null: none
  ExprP uniform; // added to a dimension, the same for all threads of the block; null: nothing
  ExprP fixed;
};

class TileSubscripts {
public:
  // `code` is that of the tile's points: counters of its loops may be parts of subscripts.
  TileSubscripts(const Program &program, const TileBox &box, const Type &type, const StmtP &code);

  // Nothing where the threads of the block do not agree on it in such a way.
  std::optional<TileSubscript> read(const ExprP &subscript) const;

private:
  void findCounters(const StmtP &code);
  std::optional<std::pair<int64_t, int64_t>> runOf(const ExprP &e) const;
  bool isSame(const ExprP &e) const;
  ExprP ofBlock(const ExprP &e) const;
  void addCounter(TileSubscript &s, const ExprP &counter, std::pair<int64_t, int64_t> run,
                  bool isPlus) const;

  const Program &p;
  const TileBox &box;
  Type type;
  std::map<std::string, std::pair<int64_t, int64_t>>
      counters; // of loops inside a point: the first and the last value
};

} // namespace nw
