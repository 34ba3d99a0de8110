// What becomes of a probe's result: reading, fits, the device description, the sentences.
#include "device/device_from_probe.h"
#include "device/device_json.h"
#include "device/fit.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace nw::testing {

// A probe of a made-up H200: conflicts cost 10 + 2 n ns at 1.5 GHz, banks serve 16 threads, one
// distance is bad.
static std::string example() {
  return R"({"format": "nestwarp-probe", "version": 1, "quick": false,
  "device": {"label": "cuda:0", "name": "NVIDIA H200", "kind": "cuda", "version": "driver 13000"},
  "queried": {"architecture": "sm_90", "multiprocessors": 120, "sharedOptInBytes": 232448, "gridLimit": [2147483647, 65535, 65535]},
  "measured": {"clockGigahertz": 1.5, "copyBandwidth": 4000, "fp32PerSecond": 2.2e13, "integerPerSecond": 5.4e12, "noField": 3},
  "curves": [
    {"id": "shared-by-degree", "title": "t", "x": "n", "y": "ns", "logX": false, "logY": false,
     "lines": [{"label": "32 threads", "points": [[1, 12], [2, 14], [4, 18], [8, 26], [16, 42], [32, 74]]}, {"label": "1024 threads", "points": [[1, 64], [2, 128], [4, 256]]}]},
    {"id": "latency-by-footprint", "title": "t", "x": "bytes", "y": "ns", "logX": true, "logY": false,
     "lines": [{"label": "a", "points": [[16384, 20], [65536, 21], [1048576, 150], [67108864, 400]]}]},
    {"id": "read-only-path", "title": "t", "x": "bytes", "y": "GB/s", "logX": true, "logY": true,
     "lines": [{"label": "plain", "points": [[128, 23040], [65536, 1440], [16777216, 600], [67108864, 300]]}]},
    {"id": "shared-by-group", "title": "t", "x": "n", "y": "ns", "logX": true, "logY": false,
     "lines": [{"label": "a", "points": [[4, 80], [8, 40], [16, 20], [32, 20]]}]},
    {"id": "bandwidth-by-stride", "title": "t", "x": "n", "y": "GB/s", "logX": true, "logY": true,
     "lines": [{"label": "a", "points": [[1, 4000], [2, 2000], [8, 500], [64, 400]]}]},
    {"id": "bandwidth-by-distance", "title": "t", "x": "n", "y": "GB/s", "logX": true, "logY": true,
     "lines": [{"label": "powers of two", "points": [[128, 10], [2048, 2000], [4096, 500]]}, {"label": "one row more", "points": [[256, 4000], [2176, 2000], [4224, 2000]]}]}],
  "skipped": [{"what": "grid barrier", "why": "none here"}]})";
}

static std::string bent(const std::string &from, const std::string &to) {
  std::string text = example();
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

static std::string complaint(const std::string &text) {
  try {
    deviceFromProbe(probeFromJson(text, "p.json"), "p.json");
  } catch (const UserError &e) {
    return e.message;
  }
  return "";
}

static bool has(const std::vector<std::string> &all, const std::string &part) {
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string &one) { return one.find(part) != std::string::npos; });
}

TEST(Probe, ALineIsFound) {
  std::optional<LineFit> exact = fitLine({{1, 12}, {2, 14}, {32, 74}});
  ASSERT_TRUE(exact);
  EXPECT_NEAR(exact->start, 10, 1e-9);
  EXPECT_NEAR(exact->slope, 2, 1e-9);
  EXPECT_NEAR(exact->explained, 1, 1e-9);
  std::optional<LineFit> noisy = fitLine({{1, 11}, {2, 15}, {4, 17}, {8, 27}, {16, 41}, {32, 75}});
  ASSERT_TRUE(noisy);
  EXPECT_NEAR(noisy->slope, 2, 0.1);
  EXPECT_LT(noisy->explained, 1);
  EXPECT_FALSE(fitLine({}));
  EXPECT_FALSE(fitLine({{3, 1}, {3, 2}}));
}

TEST(Probe, ADeviceIsMade) {
  DeviceSpec d = deviceFromProbe(probeFromJson(example(), "p.json"), "p.json");
  EXPECT_EQ(d.name, "nvidia-h200");
  EXPECT_EQ(d.multiprocessors, 120);          // the driver's
  EXPECT_EQ(d.copyBandwidth, 4000);           // measured
  EXPECT_NEAR(d.sharedStartCycles, 15, 0.01); // 10 ns at 1.5 GHz
  EXPECT_NEAR(d.sharedRequestCycles, 3, 0.01);
  EXPECT_NEAR(d.sharedTurnCycles, 3, 0.01); // 64 ns for 32 warps
  EXPECT_EQ(d.l1Latency, 21);               // the last that fits
  EXPECT_EQ(d.l2Latency, 150);
  EXPECT_NEAR(d.l1LinesPerCycle, 1.94,
              0.01);                // 2 threads a cycle, and 32 of them meet 31 of 512 lines
  EXPECT_EQ(d.l2Bandwidth, 4800);   // sectors of 32 bytes for 4
  EXPECT_EQ(d.fp32PerCycle, 128);   // 122 measured: the data sheet's
  EXPECT_EQ(d.integerPerCycle, 30); // far from the data sheet's
  EXPECT_EQ(d.banks, findDevice("h200")->banks); // nobody looked
  EXPECT_FALSE(has(d.estimated, "copyBandwidth"));
  EXPECT_TRUE(has(d.estimated, "arithmeticLatency"));
  EXPECT_EQ(toJson(deviceFromJson(toJson(d), "again")), toJson(d));
  EXPECT_EQ(deviceFromProbe(probeFromJson(example(), "p.json"), "p.json", "mine").name, "mine");
}

TEST(Probe, TheMostAlikeDeviceSaysTheRest) {
  auto bases = [](const std::string &text) {
    return deviceFromProbe(probeFromJson(text, "p.json"), "p.json").source;
  };
  EXPECT_NE(bases(bent("NVIDIA H200", "NVIDIA H100 80GB HBM3")).find("the rest as h100"),
            std::string::npos);
  EXPECT_NE(
      bases(bent("\"kind\": \"cuda\"", "\"kind\": \"opencl\"")).find("the rest as h200-opencl"),
      std::string::npos);
  DeviceSpec other = deviceFromProbe(probeFromJson(bent("sm_90", "sm_120"), "p.json"), "p.json");
  EXPECT_TRUE(has(other.estimated,
                  "banks")); // of another architecture, all that was not looked at is a guess
}

TEST(Probe, FindingsFollowFromTheCurves) {
  std::vector<std::string> found = findingsOf(probeFromJson(example(), "p.json"));
  EXPECT_TRUE(has(found, "stride 2 reaches 1/2.0, stride 8 1/8.0, stride 64 1/10.0"));
  EXPECT_TRUE(has(found, "t_start = 10 ns, t_request = 2 ns"));
  EXPECT_TRUE(has(found, "Banks serve 16 threads together"));
  EXPECT_TRUE(has(found, "rows 4096 bytes apart reach 0.25"));
  EXPECT_TRUE(has(found, "Not measured: grid barrier"));
  EXPECT_TRUE(has(findingsOf(probeFromJson(bent("[4096, 500]", "[4096, 1900]"), "p.json")),
                  "no power-of-two distance"));
}

TEST(Probe, BadFilesAreRefused) {
  EXPECT_EQ(complaint(example()), "");
  struct Case {
    std::string text, said;
  };
  for (const Case &c : std::vector<Case>{
           {"", "not JSON"},
           {"[]", "no 'format'"},
           {"{}", "no 'format'"},
           {example().substr(0, 700), "not JSON"},
           {std::string(kLargestProbe + 1, ' '), "more than 4 MiB"},
           {bent("nestwarp-probe", "another"), "'format' is not that of a probe"},
           {bent("\"version\": 1", "\"version\": 2"), "version 2"},
           {bent("\"quick\"", "\"slow\""), "unknown field 'slow'"},
           {bent("[1, 12]", "[1]"), "not a pair"},
           {bent("[1, 12]", "[1, \"12\"]"), "not a number"},
           {bent("\"id\": \"shared-by-group\"", "\"id\": \"../group\""), "small letters"},
           {bent("\"id\": \"shared-by-group\"", "\"id\": \"shared-by-degree\""), "one 'id'"},
           {bent("\"copyBandwidth\": 4000", "\"copyBandwidth\": -1"), "'copyBandwidth' = -1"},
           {bent("\"multiprocessors\": 120", "\"multiprocessors\": \"many\""), "'multiprocessors'"},
           {bent("\"kind\": \"cuda\"", "\"kind\": \"toaster\""), "one of cuda, opencl, cpu"},
       }) {
    std::string said = complaint(c.text);
    EXPECT_NE(said.find(c.said), std::string::npos) << "wanted: " << c.said << "\ngot: " << said;
    EXPECT_NE(said.find("p.json"), std::string::npos) << said;
  }
}

} // namespace nw::testing
