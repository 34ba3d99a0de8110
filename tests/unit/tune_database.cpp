// The database of tuning results: what it keeps, what it finds for nearby sizes, and what it makes
// of files that are damaged or none of ours.
#include "support/diagnostics.h"
#include "support/text.h"
#include "tune/choice.h"
#include "tune/database.h"
#include "tune/tune_log.h"
#include "tuner/tune_import.h"
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nw::testing {

namespace fs = std::filesystem;

namespace {

class TuneDatabaseTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "nestwarp-unit.XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    path = folder + "/cache/tune.db";
  }
  void TearDown() override {
    chmod(folder.c_str(), 0755);
    fs::remove_all(folder);
  }
  TuneDatabase::Warn warn() {
    return [this](const std::string &what) { warnings.push_back(what); };
  }
  static TunedResult result(const std::string &program, int64_t n, double milliseconds = 1) {
    return {program, "portable", "opencl",     "a device", {{"n", n}}, "its compiler",
            "[]",    "block 64", milliseconds, 0.01,       2,          "2026-11-16 12:00:00"};
  }
  void write(const std::string &text) {
    fs::create_directories(fs::path(path).parent_path());
    writeFile(path, text);
  }
  std::vector<std::string> setAside() {
    std::vector<std::string> names;
    for (const auto &e : fs::directory_iterator(fs::path(path).parent_path()))
      if (e.path().string().find("set-aside") != std::string::npos)
        names.push_back(e.path());
    return names;
  }
  // By SQLite alone.
  void change(const char *statement) {
    sqlite3 *raw;
    ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(raw, statement, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(raw);
  }
  // Another program's database.
  void makeBookmarks() {
    fs::create_directories(fs::path(path).parent_path());
    change("CREATE TABLE bookmarks (x)");
  }
  std::string folder, path;
  std::vector<std::string> warnings;
};

} // namespace

TEST_F(TuneDatabaseTest, KeepsWhatIsPut) {
  EXPECT_TRUE(TuneDatabase({path}, true, warn()).put(result("p", 4096)));
  TuneDatabase again({path}, false, warn());
  std::vector<TunedResult> found = again.find("p", "portable");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].sizes, (Sizes{{"n", 4096}}));
  EXPECT_EQ(found[0].device, "a device");
  EXPECT_EQ(found[0].compiler, "its compiler");
  EXPECT_EQ(found[0].plan, "[]");
  EXPECT_EQ(found[0].untuned, 2);
  EXPECT_TRUE(again.find("q", "portable").empty());
  EXPECT_TRUE(again.find("p", "h200").empty());
  EXPECT_TRUE(warnings.empty());
}

TEST_F(TuneDatabaseTest, ANewResultTakesThePositionOfTheOld) {
  TuneDatabase d({path}, true, warn());
  EXPECT_TRUE(d.put(result("p", 4096, 1)));
  EXPECT_TRUE(d.put(result("p", 4096, 3)));
  EXPECT_TRUE(d.put(result("p", 512, 5)));
  std::vector<TunedResult> found = d.find("p", "portable");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].milliseconds + found[1].milliseconds, 8);
}

TEST_F(TuneDatabaseTest, ResultsOfAnotherVersionAreNotTakenAndSaidOnce) {
  TuneDatabase({path}, true, warn()).put(result("p", 1));
  change("UPDATE results SET version = version - 1");
  TuneDatabase d({path}, false, warn());
  EXPECT_TRUE(d.find("other", "portable").empty());
  EXPECT_TRUE(warnings.empty());
  EXPECT_TRUE(d.find("p", "portable").empty());
  EXPECT_TRUE(d.find("p", "portable").empty());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("from another version of nestwarp"), std::string::npos);
}

TEST_F(TuneDatabaseTest, NoFileIsNoMistakeOfAReader) {
  TuneDatabase d({path}, false, warn());
  EXPECT_FALSE(d.isOpen());
  EXPECT_TRUE(d.find("p", "portable").empty());
  EXPECT_TRUE(warnings.empty());
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(TuneDatabaseTest, AFileThatIsNoDatabaseIsSetAside) {
  for (bool isWriter : {false, true}) {
    warnings.clear();
    std::string text =
        "this is not a database, and longer than the hundred bytes that the header of "
        "one would have: " +
        std::string(200, 'x');
    write(text);
    TuneDatabase d({path}, isWriter, warn());
    EXPECT_EQ(d.put(result("p", 1)), isWriter);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("set aside"), std::string::npos) << warnings[0];
    ASSERT_EQ(setAside().size(), isWriter ? 2u : 1u);
    EXPECT_EQ(readFile(setAside()[0]), text);
    EXPECT_EQ(d.find("p", "portable").size(), isWriter ? 1u : 0u);
  }
}

TEST_F(TuneDatabaseTest, AnotherProgramsDatabaseIsSetAside) {
  makeBookmarks();
  TuneDatabase d({path}, true, warn());
  EXPECT_TRUE(d.put(result("p", 1)));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(setAside().size(), 1u);
}

TEST_F(TuneDatabaseTest, AFileThatTheUserNamedStaysUnlessItIsOurs) {
  const std::string text = "notes that are none of nestwarp's, and longer than a hundred bytes: " +
                           std::string(200, 'x');
  for (bool isWriter : {false, true}) {
    warnings.clear();
    write(text);
    TuneDatabase d({path, true}, isWriter, warn());
    EXPECT_FALSE(d.isOpen());
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("it stays as it is"), std::string::npos) << warnings[0];
    EXPECT_TRUE(setAside().empty());
    EXPECT_EQ(readFile(path), text);
  }
  fs::remove(path);
  makeBookmarks();
  std::string bookmarks = readFile(path);
  EXPECT_FALSE(TuneDatabase({path, true}, true, warn()).isOpen());
  EXPECT_EQ(readFile(path), bookmarks);
  EXPECT_TRUE(setAside().empty());
  // One of ours of another version.
  fs::remove(path);
  TuneDatabase({path, true}, true, warn()).put(result("p", 1));
  change("PRAGMA user_version = 77");
  EXPECT_TRUE(TuneDatabase({path, true}, true, warn()).put(result("p", 1)));
  EXPECT_EQ(setAside().size(), 1u);
}

TEST_F(TuneDatabaseTest, PagesThatAreDamagedAreFoundOut) {
  {
    TuneDatabase d({path}, true, warn());
    for (int n = 1; n < 60; n++)
      d.put(result("p", n));
  }
  std::string bytes = readFile(path);
  for (size_t at = 4096; at < bytes.size(); at++)
    bytes[at] = char(at * 7);
  write(bytes);
  TuneDatabase d({path}, true, warn());
  d.find("p", "portable");
  EXPECT_TRUE(d.put(result("q", 1)));
  EXPECT_EQ(warnings.size(), 1u);
  EXPECT_EQ(setAside().size(), 1u);
  EXPECT_EQ(TuneDatabase({path}, false, warn()).find("q", "portable").size(), 1u);
}

TEST_F(TuneDatabaseTest, AFolderThatCannotBeMadeIsDoneWithout) {
  writeFile(folder + "/cache", "a file where a folder should be");
  TuneDatabase d({path}, true, warn());
  EXPECT_FALSE(d.isOpen());
  EXPECT_FALSE(d.put(result("p", 1)));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("cannot be used"), std::string::npos) << warnings[0];
}

TEST_F(TuneDatabaseTest, AFileThatCannotBeWrittenIsDoneWithout) {
  TuneDatabase({path}, true, warn()).put(result("p", 1));
  if (geteuid() == 0)
    GTEST_SKIP() << "root may write everywhere";
  chmod(path.c_str(), 0444);
  chmod(fs::path(path).parent_path().c_str(), 0555);
  TuneDatabase d({path}, true, warn());
  EXPECT_FALSE(d.put(result("p", 2)));
  EXPECT_EQ(warnings.size(), 1u);
  EXPECT_EQ(TuneDatabase({path}, false, warn()).find("p", "portable").size(), 1u);
  chmod(fs::path(path).parent_path().c_str(), 0755);
}

// Processes that write at the same time, all into a file that none of them has made before; and one
// that is damaged for all of them.
TEST_F(TuneDatabaseTest, ProcessesWriteAtTheSameTime) {
  constexpr int kProcesses = 4, kEach = 10;
  for (bool isDamaged : {false, true}) {
    if (isDamaged)
      write("no database either" + std::string(300, 'y'));
    std::vector<pid_t> children;
    for (int p = 0; p < kProcesses; p++) {
      pid_t child = fork();
      if (child == 0) {
        int kept = 0;
        for (int k = 0; k < kEach; k++)
          kept += TuneDatabase({path}, true, [](const std::string &) {
                  }).put(result(isDamaged ? "damaged" : "new", p * kEach + k + 1));
        _exit(kept == kEach ? 0 : 1);
      }
      children.push_back(child);
    }
    for (pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(
        TuneDatabase({path}, false, warn()).find(isDamaged ? "damaged" : "new", "portable").size(),
        size_t(kProcesses * kEach));
    EXPECT_EQ(setAside().size(), isDamaged ? 1u : 0u);
  }
}

TEST(TuneSizes, KeysAreReadBack) {
  Sizes s = {{"m", 5}, {"n", 4096}};
  EXPECT_EQ(sizesKey(s), "m=5;n=4096");
  EXPECT_EQ(sizesOfKey(sizesKey(s)), s);
  EXPECT_EQ(sizesOfKey(""), Sizes{});
  for (const char *bad : {"n", "n=", "=4", "n=4x"})
    EXPECT_THROW(sizesOfKey(bad), UserError) << bad;
}

TEST(TuneSizes, WholeNumbersAloneAreSizes) {
  EXPECT_EQ(wholeNumber("4096"), 4096);
  EXPECT_EQ(wholeNumber("-5"), -5);
  for (const char *text : {"", "n", "1<<20", "3.5", "5 ", "+5", "0x10", "99999999999999999999"})
    EXPECT_EQ(wholeNumber(text), std::nullopt) << text;
}

TEST(TuneSizes, ResultsOfNothingAreNotNearToOthers) {
  EXPECT_EQ(nearest({{{"n", -5}}, {{"n", 100}}}, {{"n", 101}}), 1u);
}

TEST(TuneSizes, TheNearestByTheLargestRatio) {
  std::vector<Sizes> known = {
      {{"m", 1000}, {"n", 1000}}, {{"m", 4000}, {"n", 4000}}, {{"m", 4000}, {"n", 100}}};
  EXPECT_EQ(nearest(known, {{"m", 1100}, {"n", 900}}), 0u);
  EXPECT_EQ(nearest(known, {{"m", 3000}, {"n", 3000}}), 1u);
  EXPECT_EQ(nearest(known, {{"m", 3000}, {"n", 150}}), 2u);
  EXPECT_EQ(nearest(known, {{"n", 4000}}), 1u);
}

TEST(TuneSizes, FourTimesIsNearbyAndMoreIsNot) {
  std::vector<Sizes> known = {{{"n", 1000}}};
  EXPECT_EQ(nearest(known, {{"n", 4000}}), 0u);
  EXPECT_EQ(nearest(known, {{"n", 250}}), 0u);
  EXPECT_EQ(nearest(known, {{"n", 4100}}), std::nullopt);
  EXPECT_EQ(nearest(known, {{"n", 0}}), std::nullopt);
  EXPECT_EQ(nearest({}, {{"n", 4}}), std::nullopt);
}

TEST(TuneSizes, NamesThatAreUnknownAreNoneNearby) {
  EXPECT_TRUE(std::isinf(apart({{"n", 10}}, {{"m", 10}})));
  EXPECT_EQ(apart({}, {{"m", 10}}), 0);
  EXPECT_EQ(nearest({{{"width", 10}}, {{"n", 1000}}}, {{"n", 2000}}), 1u);
  EXPECT_EQ(nearest({{{"width", 10}}, {{"n", 1000}}}, {{"n", 9000}}), std::nullopt);
  EXPECT_EQ(nearest({{{"n", 10}}, {{"n", 1000}}}, {{"N", 10}}), 1u); // as without sizes
}

namespace {

// A result that is told by its milliseconds.
TunedResult measuredOn(const std::string &backend, const std::string &device, int64_t n,
                       double milliseconds) {
  return {"p", "portable", backend, device, {{"n", n}}, "", "", "", milliseconds, 0.01, 2, ""};
}

} // namespace

TEST(TuneChoice, TheDeviceThatWasMeasuredLast) {
  std::vector<TunedResult> all = {measuredOn("cuda", "new", 900, 1),
                                  measuredOn("cuda", "old", 1000, 2)};
  EXPECT_EQ(resultFor(all, "cuda", {{"n", 1000}})->milliseconds, 1);
  EXPECT_EQ(resultFor(all, "cuda", {})->milliseconds, 1);
}

TEST(TuneChoice, AnotherDeviceWhereThatIsFarAway) {
  std::vector<TunedResult> all = {measuredOn("cuda", "new", 10, 1),
                                  measuredOn("cuda", "old", 1000, 2),
                                  measuredOn("opencl", "new", 100000, 3)};
  EXPECT_EQ(resultFor(all, "cuda", {{"n", 2000}})->milliseconds, 2);
  EXPECT_EQ(resultFor(all, "", {{"n", 100000}})->milliseconds, 3);
  EXPECT_FALSE(resultFor(all, "cuda", {{"n", 100000}}));
  EXPECT_FALSE(resultFor({}, "cuda", {}));
}

TEST(TuneSizes, WithoutSizesTheLargest) {
  EXPECT_EQ(nearest({{{"n", 10}}, {{"n", 1000}}, {{"n", 100}}}, {}), 1u);
  EXPECT_EQ(nearest({{}}, {}), 0u);
}

namespace {

const char *const kMeasured = "device\tcuda:0\tNVIDIA H200\t13.0\n"
                              "time\t0\t0\t10.0\t0.02\t7\n"
                              "try\t0\t1\ntime\t0\t1\t8.0\t0.01\t7\n"
                              "try\t0\t2\nslow\t0\t2\t50.0\n"
                              "try\t0\t3\nwrong\t0\t3\tC\t17\t1.5\t2.5\n"
                              "try\t0\t4\ntime\t0\t4\t9.95\t0.01\t7\n"
                              "try\t0\t5\ncrashed\t0\t5\tstatus 139\n";

} // namespace

TEST(TuneLogs, FatesAreRead) {
  TuneLog log = readTuneLog("right\t0\t1\nhost\t0\t6\tit was not built\n", kMeasured);
  EXPECT_EQ(log.device, "NVIDIA H200");
  EXPECT_EQ(log.candidates.at({0, 1}).fate, Fate::Timed);
  EXPECT_EQ(log.candidates.at({0, 2}).fate, Fate::Slow);
  EXPECT_EQ(log.candidates.at({0, 3}).fate, Fate::Wrong);
  EXPECT_EQ(log.candidates.at({0, 3}).words, "C[17]: expected 1.5, found 2.5");
  EXPECT_EQ(log.candidates.at({0, 5}).fate, Fate::Crashed);
  EXPECT_EQ(log.candidates.at({0, 6}).fate, Fate::OnHost);
  Tally tally = tallyOf(log);
  EXPECT_EQ(tally.tried, 6);
  EXPECT_EQ(tally.wrong, 1);
  EXPECT_EQ(tally.crashed, 1);
}

TEST(TuneLogs, TheWinnerIsFasterByMoreThanTheBlockReduction) {
  EXPECT_EQ(winnerOf(readTuneLog("", kMeasured), 0).number, 1);
  std::string close = std::string("time\t0\t0\t10.0\t0.02\t7\n") + "time\t0\t4\t9.9\t0.01\t7\n";
  EXPECT_EQ(winnerOf(readTuneLog("", close), 0).number, 0);
  EXPECT_EQ(winnerOf(readTuneLog("", close), 0).untuned, 10);
}

TEST(TuneLogs, FinalsCountMoreThanTheSearch) {
  std::string finals =
      std::string(kMeasured) +
      "final\t0\t0\t8.5\t0.01\t9\nfinal\t0\t1\t8.6\t0.01\t9\nfinal\t0\t4\t8.0\t0.01\t9\nend\n";
  Winner w = winnerOf(readTuneLog("", finals), 0);
  EXPECT_EQ(w.number, 4);
  EXPECT_EQ(w.milliseconds, 8.0);
  EXPECT_EQ(w.untuned, 8.5);
}

// The proposed plan has two times, of the search and of the finals: what is said names both.
TEST(TuneLogs, SaysWhichTimesAreCompared) {
  std::string stays = "time\t0\t0\t11.58\t0.01\t7\ntime\t0\t1\t6.1\t0.01\t7\n"
                      "final\t0\t0\t6.057\t0.01\t7\nfinal\t0\t1\t6.05\t0.01\t7\n";
  Winner w = winnerOf(readTuneLog("", stays), 0);
  ASSERT_EQ(w.number, 0);
  std::string said = outcomeInWords(w, "");
  EXPECT_NE(said.find("stays: 6.057 ms"), std::string::npos) << said;
  EXPECT_NE(said.find("the search had 11.58 ms for the proposed plan"), std::string::npos) << said;
  w.searched = 6.1; // nearly the same: nothing to explain
  EXPECT_EQ(outcomeInWords(w, "").find("the search had"), std::string::npos);
}

TEST(TuneLogs, WrongStaysWrong) {
  TuneLog log = readTuneLog("wrong\t0\t1\tC\t0\t1\t2\n", kMeasured);
  EXPECT_EQ(log.candidates.at({0, 1}).fate, Fate::Wrong);
  EXPECT_EQ(winnerOf(log, 0).number, 0);
  EXPECT_EQ(winnerOf(readTuneLog("wrong\t0\t0\tC\t0\t1\t2\n", kMeasured), 0).untuned,
            0); // the proposed plan itself
}

TEST(TuneLogs, LinesThatAreCutOffOrNoLinesAreNothing) {
  for (const char *text : {"time\t0\t1\t3.0\t0.01\t7", "time\t0\t1\t-3\t0.1\t7\n",
                           "time\t0\t1\tnan\t0.1\t7\n", "time\t0\t1\t0\t0.1\t7\n", "time\t0\n",
                           "\t\t\t\n", "time\t-1\t1\t3\t0.1\t7\n", "time\t0\t1\t3\t1e999\t7\n"})
    EXPECT_EQ(tallyOf(readTuneLog("", text)).tried, 0) << text;
}

TEST(TuneLogs, PartsAreComparedByTheirOwnProposedPlan) {
  TuneLog slow = readTuneLog("", "time\t0\t0\t20\t0.01\t7\ntime\t0\t1\t12\t0.01\t7\n"),
          fast = readTuneLog("", "time\t0\t0\t10\t0.01\t7\ntime\t0\t2\t8\t0.01\t7\n");
  size_t part = 9;
  Winner w = winnerOf(std::vector<TuneLog>{fast, slow}, 0, part);
  EXPECT_EQ(w.number, 1); // 0.6 of its own, though 8 ms are less than 12
  EXPECT_EQ(part, 1u);
}

TEST(TuneLogs, CrashedStaysCrashedUnlessItIsWrong) {
  EXPECT_EQ(readTuneLog("crashed\t0\t1\tstatus 139\n", kMeasured).candidates.at({0, 1}).fate,
            Fate::Crashed);
  EXPECT_EQ(readTuneLog("crashed\t0\t3\tstatus 139\n", kMeasured).candidates.at({0, 3}).fate,
            Fate::Wrong);
}

TEST(TuneLogs, WhatOnePartCallsWrongOrCrashedWinsInNone) {
  TuneLog fast =
      readTuneLog("", "time\t0\t0\t10\t0.01\t7\ntime\t0\t1\t5\t0.01\t7\ntime\t0\t2\t8\t0.01\t7\n");
  for (const char *fault : {"wrong\t0\t1\tC\t0\t1\t2\n", "crashed\t0\t1\tstatus 139\n"})
    for (bool isFirst : {false, true}) {
      TuneLog faulty = readTuneLog(fault, "time\t0\t0\t10\t0.01\t7\n");
      size_t part = 9;
      std::vector<TuneLog> parts = isFirst ? std::vector{faulty, fast} : std::vector{fast, faulty};
      EXPECT_EQ(winnerOf(parts, 0, part).number, 2) << fault;
      EXPECT_EQ(part, isFirst ? 1u : 0u);
    }
}

TEST(TuneLogs, AProposedPlanThatIsWrongInOnePartMeasuresNothing) {
  TuneLog fast = readTuneLog("", "time\t0\t0\t10\t0.01\t7\ntime\t0\t1\t5\t0.01\t7\n");
  size_t part = 9;
  EXPECT_EQ(winnerOf({fast, readTuneLog("wrong\t0\t0\tC\t0\t1\t2\n", "")}, 0, part).untuned, 0);
  EXPECT_EQ(winnerOf({fast, readTuneLog("crashed\t0\t0\tstatus 2\n", "")}, 0, part).number,
            1); // which says nothing about the other part's times
}

TEST(TuneLogs, ACandidateOfTwoPartsIsCountedOnce) {
  Tally tally = tallyOf(
      together({readTuneLog("", kMeasured), readTuneLog("wrong\t0\t1\tC\t0\t1\t2\n", kMeasured)}));
  EXPECT_EQ(tally.tried, 5);
  EXPECT_EQ(tally.wrong, 2);
  EXPECT_EQ(tally.crashed, 1);
  EXPECT_EQ(tally.slow, 1);
}

} // namespace nw::testing
