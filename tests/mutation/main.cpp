// nestwarp_mutants FILE...: how good the verifier is. Compiles the files, bends the kernels of each
// region in one position at a time, and asks the verifier about each mutant. One that it lets pass
// is run on other and larger inputs: either it computes the same (an equivalent mutant), or the
// verifier has missed it.
#include "driver/pipeline.h"
#include "mutants.h"
#include "verify/interpreter/sampled.h"
#include "verify/verify.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <random>

using namespace nw;
using namespace nw::mutation;

namespace {

struct Options {
  std::vector<std::string> files;
  std::string matching, coalesce;
  size_t sample = 0;
  uint64_t seed = 0;
  bool list = false, equivalent = false, smallTiles = false;
};

struct Tally {
  size_t mutants = 0, equivalent = 0, missed = 0;
  std::map<std::string, size_t> caught;
};

// A mutant and the region it is one of.
struct Case {
  const CompiledRegion *region;
  Mutant mutant;
};

// The same with a few points. Wide loads want rows of as many elements as they move, in the tile
// and in the strip.
TilePlan smallTile(TilePlan t) {
  bool isTurned = t.threadTile[0] == 1, isWide = t.tail != Tail::Guard;
  t.block = {isWide ? 2 : 4, 2};
  t.threadTile = {isTurned ? 1 : isWide ? 4 : 2, isTurned ? 2 : isWide ? 2 : 4};
  t.contiguous = {isTurned ? 1 : 2, 1};
  if (!t.strip.empty())
    t.stripLength = isWide ? 4 : 3;
  for (StagedArray &a : t.staged)
    a.padding = std::min(a.padding, isWide ? 4 : 1);
  t.profitableFrom = 0;
  return t;
}

// Fused reductions over a few rows and columns; and tiles of a few points, however few of them
// there are: else samples would not launch them, and what is wrong with them would look equivalent.
void makeTilesSmall(Plan &plan) {
  for (KernelPlan &k : plan.kernels) {
    if (k.fuse)
      k.fuse = FusePlan{k.fuse->with, 32, 2, 2, 3, {0, 0}};
    std::vector<TilePlan> kept; // one form with wide loads, where there is one, one of tiles that
                                // are shifted inwards, and one without
    for (const TilePlan &t : k.tiles)
      if (std::ranges::none_of(kept, [&](const TilePlan &o) { return o.tail == t.tail; }))
        kept.push_back(smallTile(t));
    k.tiles = kept;
  }
}

std::string nameOf(const Case &c) {
  return fmt::format("{}: {}: {}", c.region->where, c.mutant.where, c.mutant.what);
}

void judge(const Case &c, const Options &options, Tally &tally) {
  Kernels bent = c.region->kernels;
  c.mutant.apply(bent);
  tally.mutants++;
  std::vector<Finding> found;
  isl_ctx_reset_operations(
      c.region->program.isl->get().get()); // each mutant has the allowance of a compilation
  try {
    found = verifyKernels(c.region->program, bent, commonDevice());
  } catch (const isl::exception
               &e) { // the nest stays on the host then, too; but a check should say what is wrong
    found = {{"isl", e.what()}};
    fmt::print("isl        {}\n           {}\n", nameOf(c), e.what());
  }
  if (!found.empty()) {
    tally.caught[found[0].check]++;
    if (options.list)
      fmt::print("caught     {}\n           by {}: {}\n", nameOf(c), found[0].check, found[0].what);
    return;
  }
  SampleOptions larger;
  larger.larger = true;
  larger.budget = 4000000;
  larger.seed = 1000 + options.seed % 1000;
  SampleReport report = runSamples(c.region->program, bent, commonDevice(), larger);
  if (report.findings.empty()) {
    tally.equivalent++;
    if (options.list || options.equivalent)
      fmt::print("equivalent {}\n", nameOf(c));
    return;
  }
  tally.missed++;
  fmt::print("MISSED     {}\n           seen by {}: {}\n", nameOf(c), report.findings[0].check,
             report.findings[0].what);
}

void printTable(const Tally &t) {
  size_t caught = 0;
  fmt::print("\n{:<16}{:>8}\n", "mutants", t.mutants);
  for (auto &[check, count] : t.caught) {
    fmt::print("{:<16}{:>8}\n", "  " + check, count);
    caught += count;
  }
  fmt::print("{:<16}{:>8}\n{:<16}{:>8}\n{:<16}{:>8}\n", "caught", caught, "equivalent",
             t.equivalent, "missed", t.missed);
  if (caught + t.missed)
    fmt::print("{:<16}{:>7.1f}%\n", "share caught",
               100.0 * double(caught) / double(caught + t.missed));
}

} // namespace

int main(int count, char **arguments) {
  Options options;
  options.seed = std::random_device{}();
  CLI::App app("bends kernels, and counts what the verifier sees");
  app.add_option("files", options.files, "C files")->required();
  app.add_option("--sample", options.sample, "so many mutants, at random; 0 for all");
  app.add_option("--seed", options.seed, "of the choice");
  app.add_option("--matching", options.matching, "only those whose names have this text");
  app.add_flag("--list", options.list, "say of each mutant what became of it");
  app.add_flag(
      "--small-tiles", options.smallTiles,
      "in tiles of a few points and fused reductions of a few columns, which small inputs launch");
  app.add_option("--coalesce", options.coalesce, "strips of rows: loads, stores or both");
  app.add_flag("--equivalent", options.equivalent, "name the equivalent ones");
  CLI11_PARSE(app, count, arguments);
  auto begin = std::chrono::steady_clock::now();
  std::vector<Compilation> compiled;
  compiled.reserve(options.files.size());
  std::vector<Case> cases;
  try {
    for (const std::string &file : options.files) {
      CompileOptions o;
      o.file = file;
      o.always = true;
      o.planning.coalesce = options.coalesce;
      if (options.smallTiles)
        o.varyPlan = [](Plan &plan, const RegionFacts &, const DeviceSpec &) {
          makeTilesSmall(plan);
        };
      compiled.push_back(compile(o));
      for (const CompiledRegion &r : compiled.back().regions) {
        isl_ctx_set_max_operations(r.program.isl->get().get(), Limits{}.operations);
        for (Mutant &m : mutantsOf(r.kernels))
          cases.push_back({&r, std::move(m)});
      }
    }
  } catch (const UserError &e) {
    fmt::print("{}\n", e.message);
    return 2;
  }
  std::erase_if(
      cases, [&](const Case &c) { return nameOf(c).find(options.matching) == std::string::npos; });
  if (options.sample && options.sample < cases.size()) {
    std::mt19937_64 random(options.seed);
    std::shuffle(cases.begin(), cases.end(), random);
    fmt::print("{} of {} mutants, seed {}\n", options.sample, cases.size(), options.seed);
    cases.resize(options.sample);
  }
  Tally tally;
  for (const Case &c : cases)
    judge(c, options, tally);
  printTable(tally);
  fmt::print("{:<16}{:>7.1f} s\n", "time",
             std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return tally.missed ? 1 : 0;
}
