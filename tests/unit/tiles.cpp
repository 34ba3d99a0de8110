// Tiles: that products and transpositions in tiles are right and accepted, and that the verifier
// sees, for all sizes, when a copy, a barrier, a register or a guard is not as it should be.
// Over 500 lines: one kernel, bent in many ways.
#include "choices.h"
#include "poly/privatize.h"
#include "product.h"
#include "tiled_region.h"
#include <algorithm>
#include <array>

namespace nw::testing {

namespace {

struct Tiled : TiledRegion {
  explicit Tiled(const TilePlan &tile = smallTiles()) : TiledRegion(product(), tile) {}

  void expectSame(const std::vector<std::array<int, 3>> &sizes) const {
    for (auto [m, n, k] : sizes)
      TiledRegion::expectSame({{{"m", m}, {"n", n}, {"k", k}}});
  }
};

} // namespace

TEST(Tiles, AProductInTilesIsAcceptedAndRight) {
  Tiled tiled;
  ASSERT_TRUE(tiled.tiles().isTiled());
  EXPECT_EQ(tiled.findings(), 0u);
  EXPECT_TRUE(verifyKernels(tiled.program, tiled.kernels, tiled.device).empty());
  tiled.expectSame({{4, 16, 3}, {9, 35, 7}, {8, 32, 0}, {1, 1, 1}, {5, 17, 2}});
}

TEST(Tiles, AMissingBarrierIsSeen) {
  int number = 0;
  for (int which = 0; which < 8; which++) { // one of them at a time
    number = 0;
    Tiled tiled;
    size_t found = 0;
    Tiled copy = tiled;
    copy.tiles().body = rewritten(copy.tiles().body, [&](const StmtP &s) {
      return s->kind == StmtKind::Barrier && number++ == which ? block({}) : s;
    });
    if (which < number)
      found = copy.findings();
    EXPECT_TRUE(which >= number || found > 0) << which;
  }
  EXPECT_EQ(number, 8);
}

TEST(Tiles, ACopyOfOtherElementsIsSeen) {
  Tiled tiled;
  for (const char *name : {"A", "B"}) {
    // B is loaded to registers first; A is copied at once, since its elements are not as many for
    // each thread.
    std::string next = std::string(name) + (*name == 'B' ? "_tile_next" : "_tile");
    EXPECT_GT(tiled.bent([&](const StmtP &s) {
      if (!writes(s, next))
        return s;
      const ExprP &from = s->exprs[1];
      return moving(
          s, s->exprs[0],
          index(from->args[0], binary("+", from->args[1], intConst(1, kI32), kI32), from->type));
    }),
              0u);
    EXPECT_GT(tiled.bent([&](const StmtP &s) { return writes(s, next) ? block({}) : s; }),
              0u); // not loaded
    EXPECT_GT(tiled.bent([&](const StmtP &s) {
      return writes(s, std::string(name) + "_tile") ? block({}) : s;
    }),
              0u); // not copied
    EXPECT_EQ(tiled.bent([&](const StmtP &s) {
      return writes(s, std::string(name) + "_tile") ? block({s, s}) : s;
    }),
              0u); // twice is as good
  }
}

TEST(Tiles, AReadOfAnotherElementOfTheCopyIsSeen) {
  Tiled tiled;
  EXPECT_GT(tiled.bentExprs([](const ExprP &e) {
    if (e->kind != ExprKind::Staged || baseOf(e)->name != "A_tile")
      return e;
    return staged(index(e->args[0]->args[0],
                        binary("+", e->args[0]->args[1], intConst(1, kI32), kI32), e->type),
                  e->args[1]);
  }),
            0u);
  EXPECT_GT(tiled.bentExprs([](const ExprP &e) {
    return e->kind == ExprKind::Staged && baseOf(e)->name == "B_tile"
               ? staged(e->args[0], index(e->args[1]->args[0], intConst(0, kI32), e->type))
               : e;
  }),
            0u);
}

TEST(Tiles, RegistersThatAreNotLoadedOrStoredAreSeen) {
  Tiled tiled;
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    return s->kind == StmtKind::Assign && s->exprs[1]->kind == ExprKind::Index &&
                   baseOf(s->exprs[1])->name == "C" && writes(s, "C_kept")
               ? block({})
               : s;
  }),
            0u);
  EXPECT_GT(tiled.bent([](const StmtP &s) { return writes(s, "C") ? block({}) : s; }), 0u);
  EXPECT_GT(tiled.bentExprs([](const ExprP &e) {
    return e->kind == ExprKind::Index && e->args[1]->kind == ExprKind::Var &&
                   e->args[1]->name == "j_point" && e->args[0]->kind == ExprKind::Index &&
                   baseOf(e)->name == "C_kept"
               ? index(e->args[0], intConst(0, kI32), e->type)
               : e;
  }),
            0u);
}

TEST(Tiles, PointsThatMeetOrAreMissingAreSeen) {
  Tiled tiled;
  auto scaled = [](int64_t from, int64_t to) {
    return [from, to](const ExprP &e) {
      return e->kind == ExprKind::Binary && e->name == "*" && e->args[1]->kind == ExprKind::Int &&
                     e->args[1]->integer == from && e->args[0]->kind == ExprKind::Builtin &&
                     e->args[0]->name == "local.x"
                 ? binary("*", e->args[0], intConst(to, kI32), kI32)
                 : e;
    };
  };
  EXPECT_GT(tiled.bentExprs(scaled(2, 1)), 0u);
  EXPECT_GT(tiled.bentExprs(scaled(2, 3)), 0u);
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    if (s->kind != StmtKind::For || s->loop.counter != "i_point")
      return s;
    auto copy = std::make_shared<Stmt>(*s);
    copy->loop.condition = binary("<", var("i_point", kI32), intConst(1, kI32), kI32);
    return StmtP(copy);
  }),
            0u);
}

TEST(Tiles, AMissingGuardIsSeen) {
  Tiled tiled;
  int number = 0, guards = 0;
  walkStmts(tiled.tiles().body, [&](const StmtP &s) {
    guards += s->kind == StmtKind::If && s->body.size() == 1 && !s->isSpeculated;
  });
  ASSERT_GT(guards, 4);
  for (int which = 0; which < guards; which++) {
    number = 0;
    Tiled copy = tiled;
    // Whether a strip is left over, and whether there are any: without asking, nothing is copied
    // and nothing is done. What waits in registers may also go to places that nobody reads.
    bool isEquivalent = false;
    copy.tiles().body = rewritten(copy.tiles().body, [&](const StmtP &s) -> StmtP {
      if (s->kind != StmtKind::If || s->body.size() != 1 || s->isSpeculated || number++ != which)
        return s;
      isEquivalent = (s->exprs[0]->name == "<" && mentions(s->exprs[0]->args[1], "k") &&
                      !mentions(s->exprs[0], "i")) ||
                     writes(s->body[0], "B_tile");
      return s->body[0];
    });
    if (!isEquivalent) {
      EXPECT_GT(copy.findings(), 0u) << which;
    }
  }
}

TEST(Tiles, MoreThanComputingInRegistersIsNotSpeculated) {
  Tiled tiled;
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    if (s->kind != StmtKind::If || s->isSpeculated || s->body.size() != 1 ||
        mentions(s->exprs[0], "l_rest") || !mentions(s->exprs[0], "i"))
      return s;
    auto copy = std::make_shared<Stmt>(*s);
    copy->isSpeculated = true; // loads and stores of elements that are none
    return StmtP(copy);
  }),
            0u);
}

namespace {

// Whole rounds of the copies for every thread, so that the next strip can be loaded while one is
// computed.
// { l_next = l_strip + 4 <= k - 4 ? l_strip + 4 : l_strip; loads of the next strip }
bool isNextStrip(const StmtP &s) {
  return s->kind == StmtKind::Block && s->body.size() > 1 &&
         s->body[0]->kind == StmtKind::Declare && s->body[0]->name == "l_next" &&
         s->body[0]->exprs[0]->kind == ExprKind::Select;
}

// The same with another value of l_next.
StmtP withNext(const StmtP &s, const std::function<ExprP(const ExprP &)> &change) {
  auto copy = std::make_shared<Stmt>(*s);
  copy->body[0] = declare("l_next", s->body[0]->type, {}, {change(s->body[0]->exprs[0])});
  return copy;
}

} // namespace

TEST(Ahead, StripsThatArePrefetchedAreAcceptedAndRight) {
  Tiled tiled(prefetchingTiles());
  int loads = 0;
  walkStmts(tiled.tiles().body, [&](const StmtP &s) { loads += isNextStrip(s); });
  EXPECT_EQ(loads, 2); // in whole tiles and at the edge
  EXPECT_EQ(tiled.findings(), 0u);
  tiled.expectSame({{4, 16, 4}, {9, 35, 13}, {8, 32, 0}, {4, 16, 3}, {5, 17, 8}});
}

TEST(Ahead, LoadsOfAnotherStripAreSeen) {
  Tiled tiled(prefetchingTiles());
  for (int64_t further : {0, 8})
    EXPECT_GT(tiled.bent([&](const StmtP &s) {
      auto moved = [&](const ExprP &e) {
        return node(
            ExprKind::Select,
            {e->args[0], binary("+", e->args[2], intConst(further, e->type), e->type), e->args[2]},
            e->type);
      };
      return isNextStrip(s) ? withNext(s, moved) : s;
    }),
              0u)
        << further;
  // Some loads are of this strip, or of any.
  for (int which : {0, 1, 2}) {
    int seen = 0;
    EXPECT_GT(tiled.bent([&](const StmtP &s) {
      return isNextStrip(s)
                 ? rewriteExprs(s,
                                [&](const ExprP &e) {
                                  return e->kind == ExprKind::Var && e->name == "l_next" &&
                                                 seen++ == which % 2
                                             ? (which == 2 ? i32(0) : v("l_strip"))
                                             : e;
                                })
                 : s;
    }),
              0u)
        << which;
  }
}

TEST(Ahead, LoadsUnderAnotherConditionAreSeen) {
  Tiled tiled(prefetchingTiles());
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    return isNextStrip(s) ? withNext(s, [](const ExprP &e) { return e->args[1]; }) : s;
  }),
            0u); // also where there is none
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    return isNextStrip(s) ? withNext(s, [](const ExprP &e) { return e->args[2]; }) : s;
  }),
            0u);
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    return isNextStrip(s) ? withNext(s,
                                     [](const ExprP &e) {
                                       return node(ExprKind::Select,
                                                   {binary("<", e->args[0]->args[0],
                                                           e->args[0]->args[1], kI32),
                                                    e->args[1], e->args[2]},
                                                   e->type);
                                     })
                          : s;
  }),
            0u);
  // The name changes in between.
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    if (!isNextStrip(s))
      return s;
    auto copy = std::make_shared<Stmt>(*s);
    copy->body.insert(copy->body.begin() + 1, assign(v("l_next"), v("l_strip")));
    return StmtP(copy);
  }),
            0u);
}

TEST(Ahead, AFirstStripThatIsNotLoadedIsSeen) {
  Tiled tiled(prefetchingTiles());
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    return s->kind == StmtKind::If && s->exprs[0]->kind == ExprKind::Binary &&
                   s->exprs[0]->name == "<=" && s->exprs[0]->args[0]->kind == ExprKind::Int
               ? block({})
               : s;
  }),
            0u);
}

TEST(Ahead, RegistersThatAreLoadedAnewBeforeTheyAreStoredAreSeen) {
  Tiled tiled(prefetchingTiles());
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    auto next = std::find_if(s->body.begin(), s->body.end(), isNextStrip);
    if (s->kind != StmtKind::Block || next == s->body.end())
      return s;
    auto copy = std::make_shared<Stmt>(*s);
    size_t at = size_t(next - s->body.begin());
    copy->body.erase(copy->body.begin() + long(at));
    copy->body.insert(copy->body.begin(), s->body[at]);
    return StmtP(copy);
  }),
            0u);
}

namespace {

// copy[row][column ^ (row & mask)]
bool isSwizzled(const ExprP &e, const char *name) {
  return e->kind == ExprKind::Index && baseOf(e) && baseOf(e)->name == name &&
         e->args[1]->kind == ExprKind::Binary && e->args[1]->name == "^";
}

ExprP withColumn(const ExprP &e, const ExprP &column) { return index(e->args[0], column, e->type); }

} // namespace

TEST(Swizzle, RowsInOtherPositionsAreAcceptedAndRight) {
  for (int buffers : {1, 2})
    for (int swizzle : {2, 4}) {
      TilePlan t = prefetchingTiles();
      t.stages = buffers;
      t.staged = {{"A", 0, swizzle}, {"B", 0, 4 * swizzle}};
      Tiled tiled(t);
      int positions = 0;
      walkExprs(tiled.tiles().body, [&](const ExprP &e) {
        return positions += isSwizzled(e, "A_tile") || isSwizzled(e, "B_tile"), true;
      });
      EXPECT_GE(positions, 8); // stored and read, in whole tiles and at the edge
      EXPECT_EQ(tiled.findings(), 0u);
      tiled.expectSame({{4, 16, 4}, {9, 35, 13}, {5, 17, 3}});
    }
}

TEST(Swizzle, RowsWhoseElementsWouldNotStayInThemHaveNone) {
  TilePlan t = smallTiles();
  t.staged = {{"A", 1, 2}, {"B", 0, 32}}; // rows of 5 and of 16
  Tiled tiled(t);
  int positions = 0;
  walkExprs(tiled.tiles().body, [&](const ExprP &e) {
    return positions += isSwizzled(e, "A_tile") || isSwizzled(e, "B_tile"), true;
  });
  EXPECT_EQ(positions, 0);
  EXPECT_EQ(tiled.findings(), 0u);
}

TEST(Swizzle, OtherPositionsThanThoseThatWereStoredToAreSeen) {
  TilePlan t = smallTiles();
  t.staged = {{"A", 0, 4}, {"B", 0, 0}};
  Tiled tiled(t);
  auto bent = [&](bool isStore, const std::function<ExprP(const ExprP &)> &change) {
    return tiled.bent([&](const StmtP &s) {
      bool isOne = (isStore && s->kind == StmtKind::Copy && writes(s, "A_tile")) ||
                   (!isStore && s->kind == StmtKind::Assign &&
                    (s->exprs[1]->kind == ExprKind::Binary && mentions(s->exprs[1], "A_tile")));
      return isOne ? rewriteExprs(
                         s, [&](const ExprP &e) { return isSwizzled(e, "A_tile") ? change(e) : e; })
                   : s;
    });
  };
  for (bool isStore : {true, false}) {
    EXPECT_GT(bent(isStore, [](const ExprP &e) { return withColumn(e, e->args[1]->args[0]); }), 0u);
    EXPECT_GT(bent(isStore,
                   [](const ExprP &e) {
                     return withColumn(
                         e, binary("^", e->args[1]->args[0],
                                   binary("&", e->args[1]->args[1]->args[0], i32(1), kI32), kI32));
                   }),
              0u);
    EXPECT_GT(bent(isStore,
                   [](const ExprP &e) {
                     return withColumn(
                         e,
                         binary("^", e->args[1]->args[0],
                                binary("&", binary("+", e->args[1]->args[1]->args[0], i32(1), kI32),
                                       i32(3), kI32),
                                kI32));
                   }),
              0u);
  }
  // Other masks lead to places of their own, which is as good; but not out of the row.
  auto masked = [&](int64_t more, int64_t mask) {
    return tiled.bentExprs([&](const ExprP &e) {
      return isSwizzled(e, "A_tile")
                 ? withColumn(e, binary("^", e->args[1]->args[0],
                                        binary("&",
                                               binary("+", e->args[1]->args[1]->args[0],
                                                      intConst(more, kI32), kI32),
                                               intConst(mask, kI32), kI32),
                                        kI32))
                 : e;
    });
  };
  EXPECT_EQ(masked(0, 2), 0u);
  EXPECT_EQ(masked(0, 7), 0u);
  EXPECT_GT(masked(4, 4), 0u);
}

namespace {

// The last tiles are shifted inwards: 4 x 2 threads with 4 x 2 points, strips of 4.
TilePlan shiftedTiles(int ahead = 1, int buffers = 2) {
  TilePlan t = prefetchingTiles();
  t.prefetch = ahead;
  t.stages = buffers;
  t.tail = Tail::ShiftInwards;
  return t;
}

// Read where the host takes the form.
Tiled shifted(const TilePlan &t = shiftedTiles()) {
  Tiled tiled(t);
  tiled.selection = {{KernelForm::ShiftedTiles}};
  return tiled;
}

bool isUnshifted(const ExprP &e, const char *name, const char *own) {
  return e->kind == ExprKind::Binary && e->name == ">=" && e->args[0]->kind == ExprKind::Var &&
         e->args[0]->name == name && e->args[1]->kind == ExprKind::Var && e->args[1]->name == own;
}
bool guardsShifted(const ExprP &e) {
  return isUnshifted(e, "i", "i_unshifted") || isUnshifted(e, "j", "j_unshifted");
}

} // namespace

TEST(ShiftedTiles, ShiftedTilesAreAcceptedAndRight) {
  for (auto [ahead, buffers] : {std::pair(0, 1), {1, 1}, {0, 2}, {1, 2}}) {
    Tiled tiled = shifted(shiftedTiles(ahead, buffers));
    ASSERT_TRUE(tiled.tiles().isTiled());
    EXPECT_EQ(tiled.findings(), 0u);
    EXPECT_TRUE(verifyKernels(tiled.program, tiled.kernels, tiled.device).empty());
    tiled.expectSame({{4, 16, 4},
                      {5, 17, 5},
                      {9, 35, 13},
                      {7, 31, 8},
                      {3, 16, 9},
                      {4, 15, 9},
                      {8, 32, 3},
                      {8, 32, 0}});
  }
}

TEST(ShiftedTiles, PointsOfOtherBlocksAreSeen) {
  Tiled tiled = shifted();
  // Loaded, stored, or both, for points that belong to others.
  EXPECT_GT(
      tiled.bentExprs([](const ExprP &e) { return guardsShifted(e) ? intConst(1, kI32) : e; }), 0u);
  for (const char *name : {"i", "j"})
    EXPECT_GT(tiled.bentExprs([&](const ExprP &e) {
      return isUnshifted(e, name, name[0] == 'i' ? "i_unshifted" : "j_unshifted")
                 ? intConst(1, kI32)
                 : e;
    }),
              0u);
  EXPECT_GT(tiled.bentExprs([](const ExprP &e) {
    return guardsShifted(e) ? binary(">", e->args[0], e->args[1], kI32) : e;
  }),
            0u);
  EXPECT_GT(tiled.bentExprs([](const ExprP &e) {
    return guardsShifted(e) ? binary(">=", e->args[0], binary("-", e->args[1], i32(1), kI32), kI32)
                            : e;
  }),
            0u);
  for (bool isLoad : {true, false})
    EXPECT_GT(tiled.bent([&](const StmtP &s) {
      return s->kind == StmtKind::If && !s->isSpeculated && s->body[0]->kind == StmtKind::Assign &&
                     writes(s->body[0], isLoad ? "C_kept" : "C")
                 ? s->body[0]
                 : s;
    }),
              0u)
        << isLoad;
}

TEST(ShiftedTiles, TilesThatLieElsewhereAreSeen) {
  Tiled tiled = shifted();
  auto declared = [&](const char *name, const std::function<ExprP(const ExprP &)> &change) {
    return tiled.bent([&](const StmtP &s) {
      return s->kind == StmtKind::Declare && s->name == name
                 ? declare(name, s->type, {}, {change(s->exprs[0])})
                 : s;
    });
  };
  for (const char *tile : {"i_tile", "j_tile"}) {
    EXPECT_GT(declared(tile, [](const ExprP &e) { return e->args[0]; }), 0u); // not shifted inwards
    EXPECT_GT(declared(tile, [](const ExprP &e) { return e->args[1]; }), 0u); // all at the end
    for (int64_t by : {-1, 1})
      EXPECT_GT(declared(tile,
                         [&](const ExprP &e) {
                           return node(ExprKind::Min,
                                       {e->args[0],
                                        binary("+", e->args[1], intConst(by, e->type), e->type)},
                                       e->type);
                         }),
                0u)
          << by;
    EXPECT_GT(declared(tile, [](const ExprP &e) { return node(ExprKind::Max, e->args, e->type); }),
              0u);
  }
  EXPECT_GT(declared("i_unshifted", [](const ExprP &e) { return binary("+", e, i32(1), kI32); }),
            0u);
  EXPECT_GT(declared("j_unshifted", [](const ExprP &e) { return binary("-", e, i32(1), kI32); }),
            0u);
}

TEST(ShiftedTiles, TheHostMustAskForATileAndAStrip) {
  Tiled tiled = shifted();
  HostAlternative *shifted = alternativeOf(tiled.kernels.host, KernelForm::ShiftedTiles);
  ASSERT_TRUE(shifted);
  int questions = 0;
  walk(shifted->legalIf, [&](const ExprP &e) {
    return questions += e->kind == ExprKind::Binary && e->name == ">=" &&
                        e->args[1]->kind == ExprKind::Int && e->args[1]->integer > 1,
           true;
  });
  EXPECT_EQ(questions, 3);
  for (int which = 0; which < 3; which++) {
    Tiled bent = tiled;
    HostAlternative &one = *alternativeOf(bent.kernels.host, KernelForm::ShiftedTiles);
    int seen = 0;
    one.legalIf = rewrite(one.legalIf, [&](const ExprP &e) {
      return e->kind == ExprKind::Binary && e->name == ">=" && e->args[1]->kind == ExprKind::Int &&
                     e->args[1]->integer > 1 && seen++ == which
                 ? intConst(1, kI32)
                 : e;
    });
    EXPECT_GT(bent.findings(), 0u) << which;
  }
}

TEST(ShiftedTiles, TheRestMustBeOfPointsThatAreThere) {
  Tiled tiled = shifted();
  auto isRest = [](const StmtP &s) {
    return s->kind == StmtKind::For && s->loop.counter == "l" && mentions(s->loop.start, "l_rest");
  };
  auto bent = [&](const std::function<void(Stmt &)> &change) {
    return tiled.bent([&](const StmtP &s) {
      if (!isRest(s))
        return s;
      auto copy = std::make_shared<Stmt>(*s);
      change(*copy);
      return StmtP(copy);
    });
  };
  EXPECT_GT(bent([](Stmt &s) { s.loop.start = binary("-", s.loop.start, i32(1), kI32); }), 0u);
  EXPECT_GT(bent([](Stmt &s) { s.loop.start = binary("+", s.loop.start, i32(1), kI32); }), 0u);
  EXPECT_GT(bent([](Stmt &s) {
              s.loop.condition =
                  binary("<=", s.loop.condition->args[0], s.loop.condition->args[1], kI32);
            }),
            0u);
  // Another element, and elements that somebody writes.
  EXPECT_GT(bent([](Stmt &s) {
              s.body[0] = rewriteExprs(s.body[0], [](const ExprP &e) {
                return e->kind == ExprKind::Index && baseOf(e)->name == "B" &&
                               e->args[0]->kind == ExprKind::Index
                           ? index(e->args[0], binary("+", e->args[1], i32(1), kI32), e->type)
                           : e;
              });
            }),
            0u);
  EXPECT_GT(bent([](Stmt &s) {
              s.body[0] = rewriteExprs(s.body[0], [](const ExprP &e) {
                return e->kind == ExprKind::Var && e->name == "B" ? var("C", e->type) : e;
              });
            }),
            0u);
}

namespace {

TilePlan twoStages(int ahead) {
  TilePlan t = prefetchingTiles();
  t.prefetch = ahead;
  t.stages = 2;
  return t;
}

bool isTurn(const ExprP &e) {
  return e->kind == ExprKind::Binary && e->name == "%" && e->args[1]->kind == ExprKind::Int &&
         e->args[1]->integer == 2 && mentions(e, "l_strip");
}

} // namespace

TEST(Buffers, StripsThatTakeTurnsAreAcceptedAndRight) {
  for (int ahead : {0, 1}) {
    Tiled tiled(twoStages(ahead));
    EXPECT_EQ(tiled.findings(), 0u) << ahead;
    tiled.expectSame({{4, 16, 4}, {9, 35, 13}, {8, 32, 0}, {4, 16, 3}, {5, 17, 16}});
  }
}

TEST(Buffers, AMissingBarrierIsSeen) {
  Tiled tiled(twoStages(1));
  int number = 0;
  for (int which = 0; which < 8; which++) {
    number = 0;
    Tiled copy = tiled;
    copy.tiles().body = rewritten(copy.tiles().body, [&](const StmtP &s) {
      return s->kind == StmtKind::Barrier && number++ == which ? block({}) : s;
    });
    // The first of a tile waits for nothing: nobody has touched its copies before.
    bool isNeeded = which % 4 != 0;
    EXPECT_EQ(which < number && copy.findings() > 0, isNeeded) << which;
  }
  EXPECT_EQ(number, 8);
}

TEST(Buffers, BuffersThatDoNotTakeTurnsAreSeen) {
  Tiled tiled(twoStages(1));
  EXPECT_GT(tiled.bentExprs([](const ExprP &e) { return isTurn(e) ? intConst(0, e->type) : e; }),
            0u);
  EXPECT_GT(tiled.bentExprs([](const ExprP &e) {
    return isTurn(e) ? binary("%", binary("/", e->args[0]->args[0], intConst(8, e->type), e->type),
                              e->args[1], e->type)
                     : e;
  }),
            0u);
  int number = 0; // the other one is read
  EXPECT_GT(tiled.bent([&](const StmtP &s) {
    if (!s->isInstance())
      return s;
    bool found = false;
    StmtP other = rewriteExprs(s, [&](const ExprP &e) {
      found |= isTurn(e);
      return isTurn(e) ? binary("-", intConst(1, e->type), e, e->type) : e;
    });
    return found && number++ == 0 ? other : s;
  }),
            0u);
}

// ---- copies that are under way ----

static TilePlan underWay() {
  TilePlan t = twoStages(0);
  t.async = true;
  return t;
}

TEST(Async, CopiesUnderWayAreAcceptedAndRight) {
  Tiled tiled(underWay());
  int many = 0;
  walkStmts(tiled.tiles().body,
            [&](const StmtP &s) { many += s->kind == StmtKind::Copy && s->isAsync; });
  EXPECT_EQ(many, 8); // of A and B, the first strip and the next, whole tiles and edges
  EXPECT_EQ(tiled.findings(), 0u);
  tiled.expectSame({{4, 16, 4}, {9, 35, 13}, {8, 32, 0}, {4, 16, 3}, {5, 17, 16}});
}

TEST(Async, AMissingBarrierIsSeen) {
  Tiled tiled(underWay());
  int number = 0;
  for (int which = 0; which < 8; which++) {
    number = 0;
    Tiled copy = tiled;
    copy.tiles().body = rewritten(copy.tiles().body, [&](const StmtP &s) {
      return s->kind == StmtKind::Barrier && number++ == which ? block({}) : s;
    });
    // The first of a tile waits for nothing: nobody has touched its copies before.
    bool isNeeded = which % 4 != 0;
    EXPECT_EQ(which < number && copy.findings() > 0, isNeeded) << which;
  }
  EXPECT_EQ(number, 8);
}

TEST(Async, CopiesThatGoWhereSomethingIsReadAreSeen) {
  Tiled tiled(underWay());
  // into the buffer of this turn, and a strip too late
  EXPECT_GT(tiled.bentExprs([](const ExprP &e) { return isTurn(e) ? intConst(0, e->type) : e; }),
            0u);
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    if (s->kind != StmtKind::If || !mentions(s->exprs[0], "l_strip"))
      return s;
    return rewriteExprs(s, [](const ExprP &e) {
      return e->kind == ExprKind::Binary && e->name == "+" && e->args[0]->kind == ExprKind::Var &&
                     e->args[0]->name == "l_strip" && e->args[1]->kind == ExprKind::Int
                 ? e->args[0]
                 : e;
    });
  }),
            0u);
  // What waits in registers is not under way.
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    if (s->kind != StmtKind::Copy || s->isAsync)
      return s;
    auto copy = std::make_shared<Stmt>(*s);
    copy->isAsync = true;
    return StmtP(copy);
  }),
            0u);
}

TEST(Async, AThreadDoesNotFindItsOwnCopyBeforeABarrier) {
  // tile[thread] = A[thread], then read by the same thread at once.
  Type real = typeOf(Scalar::F32);
  ExprP lane = node(ExprKind::Builtin, {}, kI32, "local.x"),
        slot = index(var("A_tile", real), lane, real), element = index(var("A", real), lane, real);
  auto shared = std::make_shared<Stmt>(*declare("A_tile", real, {4}, {}));
  shared->kind = StmtKind::Shared;
  for (bool isAsync : {false, true}) {
    auto copy = std::make_shared<Stmt>(*assign(slot, element));
    copy->isAsync = isAsync;
    Kernel kernel;
    kernel.block = {4, 1, 1};
    kernel.body =
        block({shared, copy,
               instanceBlock("S0", {},
                             {assign(index(var("B", real), lane, real), staged(slot, element))})});
    for (const char *name : {"A", "B"})
      kernel.parameters.push_back({.name = name, .type = real, .buffer = name[0] - 'A'});
    EXPECT_EQ(checkStaging(kernel).size(), isAsync ? 1u : 0u);
  }
}

TEST(Buffers, AStoreBehindTheBarrierIsSeen) {
  Tiled tiled(twoStages(0));
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    if (s->kind != StmtKind::For || s->loop.counter != "l_strip")
      return s;
    std::vector<StmtP> body = s->body[0]->body;
    auto barrier = std::find_if(body.begin(), body.end(),
                                [](const StmtP &b) { return b->kind == StmtKind::Barrier; });
    if (barrier == body.begin() || barrier == body.end())
      return s;
    std::iter_swap(barrier - 1, barrier);
    auto copy = std::make_shared<Stmt>(*s);
    copy->body = {block(body)};
    return StmtP(copy);
  }),
            0u);
}

TEST(Tiles, AVariableThatIsDeclaredTwiceIsSeen) {
  Tiled tiled;
  ASSERT_EQ(tiled.findings(), 0u);
  EXPECT_GT(tiled.bent([](const StmtP &s) {
    if (s->kind != StmtKind::Block || s->isInstance() || s->body.empty() ||
        s->body[0]->kind != StmtKind::Declare || s->body[0]->name != "C_kept")
      return s;
    std::vector<StmtP> twice = {s->body[0]};
    twice.insert(twice.end(), s->body.begin(), s->body.end());
    return block(twice);
  }),
            0u);
}

// ---- what a second reviewer bent ----

TEST(ShiftedTiles, ElementsThatAreNotThereAreSeenWhereNobodyAsks) {
  Tiled tiled = shifted();
  ASSERT_EQ(tiled.findings(), 0u);
  // j where the point is the block's own, far in front of the row elsewhere: min(j, j + 100000 * (j
  // - j_unshifted)).
  auto far = [](const ExprP &j) {
    ExprP behind = binary("-", j, var("j_unshifted", kI32), kI32);
    return node(ExprKind::Min,
                {j, binary("+", j, binary("*", intConst(100000, kI32), behind, kI32), kI32)}, kI32);
  };
  EXPECT_GT(tiled.bent([&](const StmtP &s) {
    if (s->kind != StmtKind::For || s->loop.counter != "l" || !mentions(s->loop.start, "l_rest"))
      return s;
    return rewriteExprs(s, [&](const ExprP &e) {
      return e->kind == ExprKind::Index && baseOf(e)->name == "B" &&
                     e->args[0]->kind == ExprKind::Index
                 ? index(e->args[0], far(e->args[1]), e->type)
                 : e;
    });
  }),
            0u);
}

TEST(ShiftedTiles, RegistersOfAnotherTileAreSeen) {
  // The registers are loaded and stored for tiles that are not shifted inwards, and used for those
  // that are.
  Tiled tiled = shifted();
  int many = 0;
  tiled.tiles().body = rewritten(tiled.tiles().body, [&](const StmtP &s) -> StmtP {
    if (s->kind == StmtKind::Declare && s->name == "j_tile")
      return declare("j_tile", s->type, {}, {var("j_unshifted", s->type)});
    std::vector<StmtP> body = s->body;
    auto isKept = [](const StmtP &x) {
      bool is = false;
      walkStmts(x, [&](const StmtP &y) {
        is |= (writes(y, "C_kept") || writes(y, "C")) && y->exprs[1]->kind == ExprKind::Index;
      });
      return is && x->kind == StmtKind::For;
    };
    if (s->kind != StmtKind::Block || s->isInstance() || body.size() < 3 || !isKept(body.front()) ||
        !isKept(body.back()))
      return s;
    many++;
    auto asked = [](const StmtP &x) {
      return rewriteExprs(x, [](const ExprP &e) {
        return isUnshifted(e, "j", "j_unshifted") ? binary("<", v("j"), v("n"), kI32) : e;
      });
    };
    std::vector<StmtP> inner = {
        declare("j_tile", kI32, {},
                {node(ExprKind::Min,
                      {v("j_unshifted"), binary("-", v("n"), intConst(16, kI32), kI32)}, kI32)})};
    inner.insert(inner.end(), body.begin() + 1, body.end() - 1);
    return block({asked(body.front()), block(inner), asked(body.back())});
  });
  ASSERT_GT(many, 0) << print(tiled.tiles().body, 0);
  EXPECT_GT(tiled.findings(), 0u) << print(tiled.tiles().body, 0);
}

TEST(ShiftedTiles, PointsOfAnotherTileAreOtherThreads) {
  // C is set by tiles that are not shifted inwards, and gone on with by those that are: other
  // threads, without a barrier of the grid between them.
  Region r = product();
  ExprP c = index(index(var("C", real()), v("g"), real()), v("h"), real());
  Region both = regionOf(
      {loop("g", i32(0), v("m"), {loop("h", i32(0), v("n"), {assign(c, floatConst(0, real()))})}),
       r.body.at(0)},
      {scalar("g"), scalar("h")});
  both.variables.insert(r.variables.begin(), r.variables.end());
  for (const char *name : {"g", "h"})
    both.variables[name].storage = Storage::Local;
  Tiled tiled = shifted();
  tiled.program = buildProgram(both);
  Dependences d = computeDependences(tiled.program);
  Schedule s = schedule(tiled.program, d, true);
  Plan plan = propose(tiled.program, s, tiled.device);
  ASSERT_EQ(plan.kernels.size(), 1u);
  plan.kernels[0].tiles = {shiftedTiles()};
  tiled.kernels = lower(tiled.program, d, s, plan, tiled.device);
  ASSERT_TRUE(tiled.tiles().isTiled());
  ASSERT_EQ(tiled.findings(), 0u);
  int many = 0;
  tiled.tiles().body = rewritten(tiled.tiles().body, [&](const StmtP &x) -> StmtP {
    if (x->kind == StmtKind::Declare && x->name == "j_tile")
      return block({});
    size_t n = 0;
    while (n + 1 < x->body.size() &&
           !(x->kind == StmtKind::Block && x->body[n]->kind == StmtKind::For &&
             x->body[n + 1]->kind == StmtKind::If))
      n++;
    if (n + 1 >= x->body.size() || x->body[n]->loop.counter != "i_point")
      return x;
    many++;
    StmtP unmoved = rewriteExprs(x->body[n], [](const ExprP &e) {
      return isUnshifted(e, "j", "j_unshifted") ? binary("<", v("j"), v("n"), kI32) : e;
    });
    auto copy = std::make_shared<Stmt>(*x);
    copy->body[n] = block({declare("j_tile", kI32, {}, {v("j_unshifted")}), unmoved});
    copy->body[n + 1] = block(
        {declare("j_tile", kI32, {},
                 {node(ExprKind::Min,
                       {v("j_unshifted"), binary("-", v("n"), intConst(16, kI32), kI32)}, kI32)}),
         x->body[n + 1]});
    return copy;
  });
  ASSERT_EQ(many, 1);
  EXPECT_GT(tiled.findings(), 0u) << print(tiled.tiles().body, 0);
}

TEST(Tiles, VariablesOfOtherPointsAreSeen) {
  // s = 0; for l: s += A[i][l] * B[l][j]; C[i][j] = s, where the last loop over points deals them
  // out in another way.
  auto element = [](const char *a, const char *x, const char *y) {
    return index(index(var(a, real()), v(x), real()), v(y), real());
  };
  Region r = product();
  ExprP sum = var("s", real());
  StmtP update = assign(
      sum, binary("+", sum, binary("*", element("A", "i", "l"), element("B", "l", "j"), real()),
                  real()));
  r.body = {loop("i", i32(0), v("m"),
                 {loop("j", i32(0), v("n"),
                       {assign(sum, floatConst(0, real())), loop("l", i32(0), v("k"), {update}),
                        assign(element("C", "i", "j"), sum)})})};
  Variable own = scalar("s");
  own.type = real();
  own.storage = Storage::Local;
  own.liveAfter = own.addressKnown = false;
  r.variables["s"] = own;
  Tiled tiled;
  Program plain = buildProgram(r);
  tiled.program = privatize(plain);
  Dependences d = computeDependences(tiled.program);
  Schedule s = schedule(tiled.program, d, true);
  Plan plan = propose(tiled.program, s, tiled.device);
  ASSERT_EQ(plan.kernels.size(), 1u);
  plan.kernels[0].tiles = {smallTiles()};
  tiled.kernels = lower(tiled.program, d, s, plan, tiled.device);
  ASSERT_TRUE(tiled.tiles().isTiled());
  ASSERT_EQ(tiled.findings(), 0u);
  EXPECT_GT(tiled.bent([](const StmtP &x) -> StmtP {
    bool isLast = false;
    walkStmts(x, [&](const StmtP &y) { isLast |= writes(y, "C"); });
    if (x->kind != StmtKind::For || x->loop.counter != "j_point" || !isLast)
      return x;
    return rewritten(x, [](const StmtP &y) {
      ExprP lane = node(ExprKind::Builtin, {}, kI32, "local.x");
      return y->kind == StmtKind::Declare && y->name == "j"
                 ? declare(
                       "j", y->type, {},
                       {binary("+", binary("+", v("j_tile"), binary("*", lane, i32(4), kI32), kI32),
                               v("j_point"), kI32)})
                 : y;
    });
  }),
            0u)
      << print(tiled.tiles().body, 0);
}

} // namespace nw::testing
