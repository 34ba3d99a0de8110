// What tiles touch (affine, section 4.6; share, step 4) and which references have reuse (affine,
// section 4.1).
#include "affine_programs.h"
#include "analysis/reuse.h"

namespace nw::testing::affine {

namespace {

// Sizes of the loops of the last statement, outermost first.
TileSizes tileOf(const Program &p, std::vector<int64_t> sizes) {
  TileSizes tile;
  for (size_t k = 0; k < sizes.size(); k++)
    tile[p.statements.back().loops[k]] = sizes[k];
  return tile;
}

FootprintBox onlyBox(const Program &p, const std::string &array, const TileSizes &tile,
                     Touch touch = Touch::Reads) {
  std::vector<FootprintBox> boxes = footprintBoxes(p, allStatements(p), array, tile, touch);
  EXPECT_EQ(boxes.size(), 1u);
  return boxes[0];
}

// The exact set at one origin, counted by isl.
int64_t countedByIsl(const Program &p, const std::string &array, const TileSizes &tile, Touch touch,
                     long n, long origin) {
  isl::set elements = tileElements(p, allStatements(p), array, tile, touch);
  auto fix = [&](const std::string &name, long value) {
    int position = isl_set_find_dim_by_name(elements.get(), isl_dim_param, name.c_str());
    if (position >= 0)
      elements = isl::manage(
          isl_set_fix_si(elements.release(), isl_dim_param, unsigned(position), int(value)));
  };
  fix("n", n);
  for (const SourceLoop &l : p.loops)
    fix(originOf(p, l.id), origin);
  elements = isl::manage(
      isl_set_project_out(elements.copy(), isl_dim_param, 0, unsigned(paramsOf(elements))));
  return *longOf(isl::manage(isl_set_count_val(elements.get())));
}

AffineReference referenceTo(const Program &p, const std::string &array) {
  for (const AffineReference &r : affineReferences(p, allStatements(p)))
    if (r.array == array)
      return r;
  ADD_FAILURE() << array;
  return {};
}

} // namespace

// A tile of ti × tj × tk of a matrix product: ti·tk + tk·tj + ti·tj loads, ti·tj stores.
TEST(TileFootprint, MatrixProduct) {
  Program p = mm();
  TileSizes tile = tileOf(p, {32, 16, 8});
  EXPECT_EQ(onlyBox(p, "A", tile).extents, (IntegerRow{32, 8}));
  EXPECT_EQ(onlyBox(p, "B", tile).extents, (IntegerRow{8, 16}));
  EXPECT_EQ(onlyBox(p, "C", tile, Touch::Writes).extents, (IntegerRow{32, 16}));
  EXPECT_EQ(print(p, onlyBox(p, "B", tile)), "B[tile_k : 8][tile_j : 16]");
  TileTraffic t = tileTraffic(p, allStatements(p), tile);
  EXPECT_EQ(t.loads, 32 * 8 + 8 * 16 + 32 * 16);
  EXPECT_EQ(t.stores, 32 * 16);
  EXPECT_TRUE(t.isExact);
}

// affine, section 7.3: loads of a 4K product between 4K³/2⁷ and 4K³/2⁴. A tile of 32 × 32 sums,
// with all of k, is at the upper end, one of 256 × 256 at the lower; each also loads its C once.
TEST(TileFootprint, TrafficOfThePapersMatrixProduct) {
  Program p = mm();
  int64_t n = 4096, cube = n * n * n;
  TileSizes all = tileOf(p, {n, n, n});
  TileTraffic small = totalTraffic(p, allStatements(p), tileOf(p, {32, 32, n}), all),
              large = totalTraffic(p, allStatements(p), tileOf(p, {256, 256, n}), all);
  EXPECT_EQ(small.loads, cube / 16 + n * n);
  EXPECT_EQ(large.loads, cube / 128 + n * n);
  EXPECT_EQ(small.stores, n * n);
  EXPECT_TRUE(small.isExact);
  EXPECT_FALSE(
      totalTraffic(p, allStatements(p), tileOf(p, {33, 32, n}), all).isExact); // partial tiles
}

TEST(TileFootprint, CrossHasAHaloOfOne) {
  Program p = cross();
  TileSizes tile = tileOf(p, {8, 32});
  FootprintBox box = onlyBox(p, "A", tile);
  EXPECT_EQ(box.extents, (IntegerRow{10, 34}));
  EXPECT_EQ(box.below, (IntegerRow{1, 1}));
  EXPECT_EQ(box.above, (IntegerRow{1, 1}));
  EXPECT_EQ(box.low, (IntegerRow{-1, -1}));
  EXPECT_EQ(box.shared, (IntegerRow{2, 2}));
  EXPECT_EQ(box.elements, 10 * 34 - 4); // without the corners
  EXPECT_EQ(print(p, box), "A[tile_i - 1 : 10][tile_j - 1 : 34]");
}

// share, step 4: B[i+1] and B[i-1], i split by 8, gives tiles of 10 that share 2.
TEST(TileFootprint, NeighboursOfALine) {
  ExprP i = v("i"), one = i32(1);
  Program p = programOf({loop("i", one, minus(v("n"), one),
                              {assign(element("c", {i}), plus(element("B", {plus(i, one)}),
                                                              element("B", {minus(i, one)})))})},
                        {}, {"B", "c"});
  FootprintBox box = onlyBox(p, "B", tileOf(p, {8}));
  EXPECT_EQ(box.extents, IntegerRow{10});
  EXPECT_EQ(box.shared, IntegerRow{2});
  EXPECT_EQ(box.elements, 10);
}

// Counts agree with isl's of the exact set, inside the domain.
TEST(TileFootprint, CountsAreThoseOfTheExactSets) {
  for (const Program &p : {mm(), cross(), wave(), mt(), tmv(false)})
    for (std::vector<int64_t> sizes : {std::vector<int64_t>{4, 8, 2}, {1, 5, 3}, {7, 1, 1}}) {
      sizes.resize(p.statements.back().loops.size());
      TileSizes tile = tileOf(p, sizes);
      for (auto &[name, array] : p.arrays)
        for (Touch touch : {Touch::Reads, Touch::Writes}) {
          int64_t sum = 0;
          for (const FootprintBox &box : footprintBoxes(p, allStatements(p), name, tile, touch))
            sum += box.elements;
          if (sum) {
            EXPECT_EQ(sum, countedByIsl(p, name, tile, touch, 100, 20)) << name;
          }
        }
    }
}

// a[2i] and a[2i + 1] together have no gaps; a[i + j] is a line.
TEST(TileFootprint, SubscriptsOfSeveralLoopsAndStrides) {
  ExprP i = v("i"), j = v("j"), two = i32(2);
  Program stride = programOf(
      {upTo("i", "n",
            {assign(element("c", {i}), plus(element("a", {op("*", two, i)}),
                                            element("a", {plus(op("*", two, i), i32(1))})))})},
      {}, {"a", "c"});
  EXPECT_EQ(onlyBox(stride, "a", tileOf(stride, {8})).elements, 16);
  Program alone =
      programOf({upTo("i", "n", {assign(element("c", {i}), element("a", {op("*", two, i)}))})}, {},
                {"a", "c"});
  FootprintBox gaps = onlyBox(alone, "a", tileOf(alone, {8}));
  EXPECT_EQ(gaps.elements, 8);
  EXPECT_EQ(gaps.hullElements(), 15);
  Program sum = programOf(
      {upTo("i", "n",
            {upTo("j", "n", {assign(element("c", {i, j}), element("a", {plus(i, j)}))})})},
      {"c"}, {"a"});
  EXPECT_EQ(onlyBox(sum, "a", tileOf(sum, {8, 16})).elements, 8 + 16 - 1);
}

// At the border a tile touches less.
TEST(TileFootprint, ExactSetsKnowTheBorder) {
  Program p = mt();
  EXPECT_EQ(countedByIsl(p, "a", tileOf(p, {8, 8}), Touch::Reads, 100, 96), 4 * 4);
}

// affine, section 4.1: a in tmv has rank 2 of 2 loops, no reuse; x and y have rank 1.
TEST(Reuse, RankTestOfThePaper) {
  Program p = tmv(false);
  int i = p.statements[0].loops[0], j = p.statements[0].loops[1];
  AffineReference a = referenceTo(p, "a");
  EXPECT_EQ(a.linear, (IntegerMatrix{{0, 1}, {1, 0}}));
  EXPECT_FALSE(reuseOf(a).isHigherOrder());
  EXPECT_TRUE(reuseOf(a).redundantLoops.empty());
  EXPECT_TRUE(reuseOf(referenceTo(p, "x")).isHigherOrder());
  EXPECT_EQ(reuseOf(referenceTo(p, "x")).redundantLoops, std::vector{j});
  EXPECT_EQ(reuseOf(referenceTo(p, "y")).redundantLoops, std::vector{i});
}

// a[i + j]: both loops are in the subscript, and there is reuse all the same.
TEST(Reuse, RankIsNotTheNumberOfLoopsInSubscripts) {
  Program p = programOf({upTo("i", "n",
                              {upTo("j", "n",
                                    {assign(element("c", {v("i"), v("j")}),
                                            element("a", {plus(v("i"), v("j"))}))})})},
                        {"c"}, {"a"});
  ReferenceReuse r = reuseOf(referenceTo(p, "a"));
  EXPECT_TRUE(r.isHigherOrder());
  EXPECT_TRUE(r.redundantLoops.empty());
}

// Each element of A and B of a product tile is used by all of a row or column of it.
TEST(Reuse, DuplicatesOfAMatrixProduct) {
  Program p = mm();
  TileReuse a = tileReuse(p, p.statements[0], "A", tileOf(p, {32, 16, 8}));
  EXPECT_EQ(a.accesses, 32 * 16 * 8);
  EXPECT_EQ(a.different, 32 * 8);
  EXPECT_EQ(a.duplicates(), 32 * 8 * 15);
  EXPECT_EQ(a.constantReuse(), 1);
}

// Five references to 16 × 16 positions each, 18 × 18 without corners together.
TEST(Reuse, ConstantReuseOfACross) {
  Program p = cross();
  TileReuse a = tileReuse(p, p.statements[0], "A", tileOf(p, {16, 16}));
  EXPECT_EQ(a.apart, 5 * 256);
  EXPECT_EQ(a.different, 18 * 18 - 4);
  std::vector<AffineReference> none = referencesWithoutReuse(p);
  ASSERT_EQ(none.size(), 1u);
  EXPECT_EQ(print(p, none[0]), "out[i][j] in S0");
  ReuseOptions demanding;
  demanding.factor = 5; // not sufficient any more: all references are on their own
  EXPECT_EQ(referencesWithoutReuse(p, demanding).size(), 6u);
}

// c[i] = 2 * c[i] is one use of each element; a and b of a transposition, one each.
TEST(Reuse, UpdatingInPlaceIsNoReuse) {
  Program p = programOf({upTo("i", "n",
                              {assign(element("c", {v("i")}),
                                      op("*", element("c", {v("i")}), floatConst(2, kF32)))})},
                        {}, {"c"});
  EXPECT_EQ(referencesWithoutReuse(p).size(), 1u);
  EXPECT_EQ(referencesWithoutReuse(mt()).size(), 2u);
  EXPECT_TRUE(referencesWithoutReuse(mm()).empty());
}

TEST(IntegerMatrices, RankAndComplement) {
  EXPECT_EQ(rankOf({}), 0);
  EXPECT_EQ(rankOf({{1, 2}, {2, 4}}), 1);
  EXPECT_EQ(rankOf({{2, 3, 1}, {4, 1, 5}, {6, 4, 6}}), 2);
  EXPECT_EQ(orthogonalComplement({}, 2), (IntegerMatrix{{1, 0}, {0, 1}}));
  EXPECT_EQ(orthogonalComplement({{1, 1}}, 2), (IntegerMatrix{{1, -1}}));
  EXPECT_TRUE(orthogonalComplement({{2, 1}, {1, 2}}, 2).empty());
  for (const IntegerRow &row : orthogonalComplement({{2, 3, 1}, {4, 1, 5}}, 3))
    EXPECT_EQ(rankOf({{2, 3, 1}, {4, 1, 5}, row}), 3);
}

} // namespace nw::testing::affine
