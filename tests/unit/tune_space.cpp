// The tuner's space of plans, and its strategies with made-up times.
#include "device/device_spec.h"
#include "tune/strategy.h"
#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace nw::testing {

namespace {

KernelPlan flatKernel(const std::string &name) {
  KernelPlan k;
  k.name = name;
  k.grid = {"i"};
  k.block = {256};
  k.why = "because";
  return k;
}

TilePlan form(int points, int vectorBytes) {
  TilePlan t;
  t.grid = {"j", "i"};
  t.block = {16, 16};
  t.threadTile = {points, points};
  t.contiguous = {4, 4};
  t.strip = "k";
  t.stripLength = 8;
  t.stages = 2;
  t.prefetch = 1;
  t.tail = vectorBytes ? Tail::Exact : Tail::ShiftInwards;
  t.vectorBytes = vectorBytes;
  t.staged = {{"A", 4}, {"B", 0}};
  t.minBlocksPerSm = 2;
  t.profitableFrom = 198;
  return t;
}

Plan product() {
  Plan p;
  p.function = "mm";
  p.kernels = {flatKernel("step0")};
  p.kernels[0].grid = {"j", "i"};
  p.kernels[0].block = {32, 8};
  p.kernels[0].tiles = {form(8, 16), form(8, 0), form(4, 0)};
  return p;
}

const Knob &knobNamed(const Space &s, const std::string &name) {
  for (const Knob &k : s.knobs)
    if (k.name == name)
      return k;
  throw std::runtime_error("no knob " + name);
}

Plan withValue(const Space &s, const std::string &name, const std::string &value) {
  Candidate c = proposedCandidate(s);
  for (size_t k = 0; k < s.knobs.size(); k++)
    if (s.knobs[k].name == name)
      for (size_t v = 0; v < s.knobs[k].values.size(); v++)
        if (s.knobs[k].values[v] == value)
          c[k] = v;
  EXPECT_NE(c, proposedCandidate(s)) << name << " " << value;
  return planOf(s, c);
}

DeviceSpec device() { return commonDevice(); }

// Of a plan whose steps are all parallel.
Space spaceOf(const Plan &plan, const DeviceSpec &device = commonDevice()) {
  return spaceFor({plan, RegionFacts(plan.kernels.size())}, device);
}

} // namespace

TEST(TuneSpace, StripsOfRowsAreAChoiceWhereThereAreNoTiles) {
  Plan p = product();
  TilePlan strips = form(1, 0);
  RegionFacts facts(1);
  facts[0].strips = {{"loads", strips}, {"both", strips}};
  Space tiled = spaceFor({p, facts}, device());
  EXPECT_THROW(knobNamed(tiled, "strips of rows of step0"), std::runtime_error);
  p.kernels[0].tiles.clear();
  Space s = spaceFor({p, facts}, device());
  EXPECT_EQ(knobNamed(s, "strips of rows of step0").values,
            (std::vector<std::string>{"none", "loads", "both"}));
  Plan made = withValue(s, "strips of rows of step0", "both");
  ASSERT_EQ(made.kernels[0].tiles.size(), 1u);
  EXPECT_EQ(made.kernels[0].tiles[0].strip, "k");
  EXPECT_TRUE(planOf(s, proposedCandidate(s)).kernels[0].tiles.empty());
}

TEST(TuneSpace, TheProposedCandidateIsTheProposedPlan) {
  Space s = spaceOf(product());
  EXPECT_EQ(toJson({planOf(s, proposedCandidate(s))}), toJson({product()}));
  EXPECT_EQ(inWords(s, proposedCandidate(s)), "as proposed");
  EXPECT_EQ(candidateAt(s, 0), proposedCandidate(s));
}

TEST(TuneSpace, EveryNeighbourIsAnotherPlan) {
  Space s = spaceOf(product());
  std::set<std::string> plans = {toJson({product()})};
  for (const Candidate &c : neighbours(s, proposedCandidate(s))) {
    EXPECT_EQ(distance(c, proposedCandidate(s)), 1u);
    EXPECT_TRUE(plans.insert(toJson({planOf(s, c)})).second) << inWords(s, c);
  }
  EXPECT_GT(plans.size(), 30u);
}

TEST(TuneSpace, NumbersReachAllCandidatesOnce) {
  Plan p;
  p.kernels = {flatKernel("step0")};
  Space s = spaceOf(p);
  std::set<Candidate> seen;
  for (size_t n = 0; n < sizeOf(s); n++)
    EXPECT_TRUE(seen.insert(candidateAt(s, n)).second);
  EXPECT_GT(seen.size(), 4u);
}

TEST(TuneSpace, KernelsThatAreAlikeShareKnobs) {
  Plan p;
  p.kernels = {flatKernel("step0"), flatKernel("step1"), flatKernel("step2")};
  p.kernels[2].block = {128};
  Space s = spaceOf(p);
  Plan changed = withValue(s, "block of step0", "64");
  EXPECT_EQ(changed.kernels[0].block, std::vector<int>{64});
  EXPECT_EQ(changed.kernels[1].block, std::vector<int>{64});
  EXPECT_EQ(changed.kernels[2].block, std::vector<int>{128});
  EXPECT_NO_THROW(knobNamed(s, "block of step2"));
  EXPECT_THROW(knobNamed(s, "block of step1"), std::runtime_error);
}

TEST(TuneSpace, FormsAreDroppedFromTheFront) {
  Space s = spaceOf(product());
  EXPECT_EQ(withValue(s, "forms of step0", "from 3 on").kernels[0].tiles.size(), 1u);
  EXPECT_EQ(withValue(s, "forms of step0", "from 3 on").kernels[0].tiles[0].threadTile,
            (std::vector<int>{4, 4}));
  EXPECT_TRUE(withValue(s, "forms of step0", "plain").kernels[0].tiles.empty());
}

TEST(TuneSpace, FormsForEdgesChangeWithTheFirst) {
  Plan p = withValue(spaceOf(product()), "thread tile of tiles of step0", "4 x 8");
  EXPECT_EQ(p.kernels[0].tiles[0].threadTile, (std::vector<int>{4, 8}));
  EXPECT_EQ(p.kernels[0].tiles[1].threadTile, (std::vector<int>{4, 8}));
  EXPECT_EQ(p.kernels[0].tiles[2].threadTile, (std::vector<int>{4, 4}));
  EXPECT_EQ(p.kernels[0].tiles[0].contiguous, (std::vector<int>{4, 4}));
}

TEST(TuneSpace, BlocksKeepToTheDevice) {
  DeviceSpec small = device();
  small.blockThreads = 128;
  Plan p;
  p.kernels = {flatKernel("step0")};
  p.kernels[0].block = {64};
  Space s = spaceOf(p, small);
  for (const std::string &value : knobNamed(s, "block of step0").values)
    EXPECT_LE(std::stoi(value), 128);
}

TEST(TuneSpace, ResidentLoopsReductionsAndFusionsHaveKnobs) {
  Plan p;
  p.kernels = {flatKernel("step0"), flatKernel("step1")};
  RegionFacts facts(2);
  facts[0].kind = StepKind::Reduction;
  p.kernels[1].blockReductions = {BlockReductionPlan{"j", ThreadAxis::X, {32, 8}, 128, true}};
  p.kernels[1].fuse = FusePlan{"step2", 512, 16, 2, 132, {1, 1}};
  p.loops = {{"t", LaunchMode::Resident, ""}, {"u", LaunchMode::Plain, ""}};
  Space s = spaceFor({p, facts}, device());
  EXPECT_EQ(withValue(s, "loop t", "plain").loops[0].form, LaunchMode::Plain);
  EXPECT_THROW(knobNamed(s, "loop u"), std::runtime_error);
  EXPECT_EQ(withValue(s, "blocks of reductions", "64").reductionBlocks, 64);
  EXPECT_TRUE(withValue(s, "block reduction of step1", "no").kernels[1].blockReductions.empty());
  EXPECT_EQ(withValue(s, "block of the reduction of step1", "16 x 16")
                .kernels[1]
                .blockReductions[0]
                .lineAligned,
            false); // which wants 32 along x
  EXPECT_FALSE(withValue(s, "fusion of step1", "no").kernels[1].fuse);
  EXPECT_EQ(withValue(s, "fused rows of step1", "4").kernels[1].fuse->rows, 4);
}

TEST(TuneSpace, EachFormOfABlockReductionHasKnobs) {
  Plan p;
  p.kernels = {flatKernel("step0")};
  p.kernels[0].blockReductions = {{"j", ThreadAxis::X, {256, 1}, 1024, false},
                                  {"j", ThreadAxis::X, {32, 8}, 32, false}};
  Space s = spaceOf(p);
  Plan other = withValue(s, "block of the reduction 2 of step0", "16 x 16");
  EXPECT_EQ(other.kernels[0].blockReductions[0].block, (std::vector<int>{256, 1}));
  EXPECT_EQ(other.kernels[0].blockReductions[1].block, (std::vector<int>{16, 16}));
  EXPECT_EQ(withValue(s, "block of the reduction of step0", "128 x 2")
                .kernels[0]
                .blockReductions[0]
                .block,
            (std::vector<int>{128, 2}));
  Plan later = withValue(s, "block reduction of step0", "from 2 on");
  ASSERT_EQ(later.kernels[0].blockReductions.size(), 1u);
  EXPECT_EQ(later.kernels[0].blockReductions[0].profitableFrom, 32);
  EXPECT_TRUE(withValue(s, "block reduction of step0", "no").kernels[0].blockReductions.empty());
}

// A field that has values in its table is a knob: of tiles, all but those that people alone choose.
TEST(TuneSpace, FieldsOfTheTableAreKnobs) {
  Space s = spaceOf(product());
  for (const char *name : {"block", "thread tile", "contiguous values", "strip length", "stages",
                           "prefetch", "bytes of a load", "blocks per multiprocessor",
                           "profitable from", "padding of A", "padding of B"})
    EXPECT_NO_THROW(knobNamed(s, std::string(name) + " of tiles of step0")) << name;
  EXPECT_THROW(knobNamed(s, "tail of tiles of step0"), std::runtime_error); // it is exact
  Plan p = product();
  p.kernels[0].tiles.erase(p.kernels[0].tiles.begin());
  EXPECT_EQ(knobNamed(spaceOf(p), "tail of tiles of step0").values,
            (std::vector<std::string>{"shift-inwards", "guard"}));
}

// What does not go with the value of a knob is given up.
TEST(TuneSpace, ChangedPlansAreConsistent) {
  Plan p = withValue(spaceOf(product()), "thread tile of tiles of step0", "1 x 4");
  EXPECT_EQ(p.kernels[0].tiles[0].contiguous, (std::vector<int>{1, 4}));
  Plan wide;
  wide.kernels = {flatKernel("step0")};
  wide.kernels[0].threadTile = {4};
  wide.kernels[0].vectorBytes = 16;
  EXPECT_EQ(withValue(spaceOf(wide), "thread tile of step0", "none").kernels[0].vectorBytes, 0);
}

namespace {

// Three knobs without plans behind them.
Space plainSpace() {
  Space s;
  for (const char *name : {"a", "b", "c"})
    s.knobs.push_back({name, {"0", "1", "2", "3"}, 0, [](Plan &, size_t) {}});
  return s;
}

// Least at 3, 2, 1.
double timeOf(const Candidate &c) {
  return 1 + std::pow(double(c[0]) - 3, 2) + std::pow(double(c[1]) - 2, 2) +
         std::pow(double(c[2]) - 1, 2);
}

// Plays a search to its end, all predictions by `predict`; 0: there is none.
Knowledge played(const SearchOptions &options,
                 const std::function<double(const Candidate &)> &predict,
                 size_t *batches = nullptr) {
  Space s = plainSpace();
  Knowledge known;
  known.pool = poolOf(s, options.strategy, 1000, options.seed);
  for (const Candidate &c : known.pool)
    if (double seconds = predict(c); seconds > 0)
      known.predicted[c] = seconds;
  known.measured[proposedCandidate(s)] = timeOf(proposedCandidate(s));
  for (std::vector<Candidate> batch; !(batch = nextBatch(s, known, options)).empty();) {
    EXPECT_LE(batch.size(), options.batch);
    for (const Candidate &c : batch)
      EXPECT_TRUE(known.measured.emplace(c, timeOf(c)).second) << "measured twice";
    if (batches)
      ++*batches;
  }
  return known;
}

} // namespace

TEST(TuneStrategy, ExhaustiveMeasuresAllInTheModelsOrder) {
  SearchOptions options{Strategy::Exhaustive, 10, 1000, 1};
  EXPECT_EQ(played(options, timeOf).measured.size(), 64u);
  Space s = plainSpace();
  Knowledge known;
  known.pool = poolOf(s, Strategy::Exhaustive, 1000, 1);
  for (const Candidate &c : known.pool)
    known.predicted[c] = timeOf(c);
  EXPECT_EQ(nextBatch(s, known, options)[0], (Candidate{3, 2, 1}));
}

TEST(TuneStrategy, ExhaustiveMeasuresThoseWithoutAPredictionLast) {
  Space s = plainSpace();
  Knowledge known;
  known.pool = poolOf(s, Strategy::Exhaustive, 1000, 1);
  known.predicted[{3, 2, 1}] = 5;
  std::vector<Candidate> batch = nextBatch(s, known, {Strategy::Exhaustive, 100, 1000, 1});
  ASSERT_EQ(batch.size(), 63u); // all but the proposed one
  EXPECT_EQ(batch[0], (Candidate{3, 2, 1}));
  EXPECT_EQ(distance(batch[1], proposedCandidate(s)), 1u);
}

TEST(TuneStrategy, RandomDrawsWithoutPredictions) {
  SearchOptions options{Strategy::Random, 4, 12, 3};
  EXPECT_EQ(played(options, [](const Candidate &) { return 0.0; }).measured,
            played(options, timeOf).measured);
}

TEST(TuneStrategy, ThePoolIsLargerThanWhatIsMeasured) {
  for (Strategy strategy :
       {Strategy::Model, Strategy::Exhaustive, Strategy::Local, Strategy::Random})
    for (size_t most : {1, 100, 20000})
      EXPECT_GT(poolSize({strategy, 8, most, 1}), most);
}

TEST(TuneStrategy, ModelStopsAtItsNumberAndTakesTheBestPredicted) {
  Knowledge known = played({Strategy::Model, 4, 10, 1}, timeOf);
  EXPECT_EQ(known.measured.size(), 11u); // with the proposed one
  EXPECT_TRUE(known.measured.count({3, 2, 1}));
}

TEST(TuneStrategy, ModelTakesCandidatesThatAreUnlikeEachOther) {
  Space s = plainSpace();
  Knowledge known;
  for (size_t v = 1; v < 4; v++)
    known.predicted[{v, 0, 0}] = 1.0 + 0.01 * double(v); // alike
  known.predicted[{0, 3, 3}] = 1.1;                      // not much worse, and different
  std::vector<Candidate> batch = nextBatch(s, known, {Strategy::Model, 2, 2, 1});
  ASSERT_EQ(batch.size(), 2u);
  EXPECT_EQ(batch[0], (Candidate{1, 0, 0}));
  EXPECT_EQ(batch[1], (Candidate{0, 3, 3}));
}

TEST(TuneStrategy, RandomDrawsAsTheSeedSaysWhateverTheModelSays) {
  SearchOptions options{Strategy::Random, 4, 12, 3};
  Knowledge known = played(options, timeOf);
  EXPECT_EQ(known.measured.size(), 13u); // with the proposed one
  EXPECT_EQ(known.measured, played(options, timeOf).measured);
  auto opposite = [](const Candidate &c) { return 100 - timeOf(c); };
  Knowledge other = played(options, opposite);
  for (auto &[candidate, time] : known.measured)
    EXPECT_TRUE(other.measured.count(candidate));
  options.seed = 4;
  EXPECT_NE(known.measured, played(options, timeOf).measured);
}

TEST(TuneStrategy, LocalFindsTheBestThoughTheModelIsWrong) {
  size_t batches = 0;
  Knowledge known = played(
      {Strategy::Local, 6, 40, 1}, [](const Candidate &c) { return 100 - timeOf(c); }, &batches);
  EXPECT_EQ(bestOf(plainSpace(), known), (Candidate{3, 2, 1}));
  EXPECT_GT(batches, 2u);
  EXPECT_LE(known.measured.size(), 41u);
}

TEST(TuneStrategy, TheSameTimesGiveTheSameSearch) {
  SearchOptions options{Strategy::Local, 5, 30, 7};
  EXPECT_EQ(played(options, timeOf).measured, played(options, timeOf).measured);
  SearchOptions other = options;
  other.seed = 8;
  EXPECT_NE(played(options, timeOf).measured, played(other, timeOf).measured);
}

TEST(TuneStrategy, WhatFailedIsNeverBestAndNeverTriedAgain) {
  Space s = plainSpace();
  Knowledge known;
  known.measured[{0, 0, 0}] = 5;
  known.measured[{1, 0, 0}] = INFINITY;
  known.predicted[{1, 0, 0}] = 0.001;
  known.pool = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  EXPECT_EQ(bestOf(s, known), (Candidate{0, 0, 0}));
  for (Strategy strategy :
       {Strategy::Model, Strategy::Exhaustive, Strategy::Local, Strategy::Random})
    for (const Candidate &c : nextBatch(s, known, {strategy, 100, 100, 1}))
      EXPECT_NE(c, (Candidate{1, 0, 0}));
}

TEST(TuneStrategy, WhatIsRefusedTakesNobodysPosition) {
  Space s = plainSpace();
  Knowledge known;
  for (size_t v = 1; v < 4; v++)
    known.predicted[{v, 0, 0}] = double(v);
  known.refused = {{1, 0, 0}, {2, 0, 0}};
  EXPECT_EQ(nextBatch(s, known, {Strategy::Model, 1, 1, 1}), (std::vector<Candidate>{{3, 0, 0}}));
  known.refused.insert({3, 0, 0});
  EXPECT_TRUE(nextBatch(s, known, {Strategy::Model, 1, 1, 1}).empty());
}

TEST(TuneStrategy, ThePoolIsMadeOfNeighboursFirst) {
  Space s = plainSpace();
  std::vector<Candidate> pool = poolOf(s, Strategy::Model, 20, 1);
  ASSERT_EQ(pool.size(), 20u);
  EXPECT_EQ(pool[0], proposedCandidate(s));
  for (size_t k = 1; k < 10; k++)
    EXPECT_EQ(distance(pool[k], pool[0]), 1u);
  EXPECT_EQ(std::set<Candidate>(pool.begin(), pool.end()).size(), pool.size());
}

} // namespace nw::testing
