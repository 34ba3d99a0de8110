// The device catalogue, and devices as JSON.
#include "device/catalogue_files.h"
#include "device/device_fields.h"
#include "device/device_json.h"
#include "support/diagnostics.h"
#include <gtest/gtest.h>

namespace nw::testing {

static std::string complaint(const std::string &text) {
  try {
    deviceFromJson(text, "mine.json");
  } catch (const UserError &e) {
    return e.message;
  }
  return "";
}

// The H200's text with one piece replaced.
static std::string bent(const std::string &from, const std::string &to) {
  std::string text = toJson(*findDevice("h200"));
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Devices, CatalogueHasTheDevicesOfThePapersAndOfToday) {
  for (const char *name : {"gtx-8800", "gtx-285", "c2050", "gtx-690", "gtx-titan", "hd-7850",
                           "a100", "h100", "h200", "h200-opencl", "cpu"})
    EXPECT_TRUE(findDevice(name)) << name;
  EXPECT_EQ(deviceCatalogue().size(), catalogueFiles().size());
  EXPECT_EQ(deviceCatalogue().front().name, "h200");
  EXPECT_EQ(deviceCatalogue().back().kind, DeviceKind::Cpu);
  EXPECT_FALSE(findDevice("gtx"));
}

TEST(Devices, FilesAreNamedAfterTheirDevices) {
  for (const CatalogueFile &f : catalogueFiles())
    EXPECT_EQ(completeDeviceFromJson(f.text, f.name).name + ".json", f.name);
}

TEST(Devices, FilesRoundTrip) {
  for (const DeviceSpec &d : deviceCatalogue())
    EXPECT_EQ(toJson(completeDeviceFromJson(toJson(d), "again")), toJson(d));
}

// What a data sheet says follows from the numbers: peak rates, and bytes per cycle that are
// possible.
TEST(Devices, CatalogueIsSane) {
  for (const DeviceSpec &d : deviceCatalogue()) {
    EXPECT_LE(d.copyBandwidth, d.dramBandwidth) << d.name;
    EXPECT_EQ(d.residentThreads % d.warp, 0) << d.name;
    EXPECT_GE(d.fp32PerCycle, d.fp64PerCycle) << d.name;
    EXPECT_LE(d.bankGroup, d.banks) << d.name;
    if (d.kind != DeviceKind::Cpu) {
      EXPECT_EQ(d.coresPerMultiprocessor, int(d.fp32PerCycle)) << d.name;
      EXPECT_GE(d.issuePerCycle * d.warp, d.fp32PerCycle) << d.name;
    }
  }
}

TEST(Devices, PeakRatesAreThoseOfTheDataSheets) {
  auto teraflops = [](const char *name) {
    const DeviceSpec &d = *findDevice(name);
    return 2e-3 * d.multiprocessors * d.fp32PerCycle * d.clockGigahertz;
  };
  EXPECT_NEAR(teraflops("gtx-8800"), 0.3456, 0.001);
  EXPECT_NEAR(teraflops("c2050"), 1.03, 0.01);
  EXPECT_NEAR(teraflops("gtx-690"), 5.62 / 2, 0.02);
  EXPECT_NEAR(teraflops("gtx-titan"), 4.5, 0.02);
  EXPECT_NEAR(teraflops("hd-7850"), 1.76, 0.01);
  EXPECT_NEAR(teraflops("a100"), 19.5, 0.1);
  EXPECT_NEAR(teraflops("h200"), 67, 0.2);
}

// What the papers use of their devices.
TEST(Devices, PapersNumbers) {
  const DeviceSpec &d = *findDevice("gtx-8800");
  EXPECT_EQ(d.registers / (256 * 10), 3);
  EXPECT_EQ(d.registers / (256 * 11), 2);
  EXPECT_NEAR(2.0 / 8 * d.multiprocessors * d.fp32PerCycle * d.clockGigahertz, 43.2, 0.01);
  EXPECT_EQ(d.banks, 16);
  EXPECT_EQ(d.coalescingGroup, 16);
  EXPECT_EQ(d.sharedPerMultiprocessor, 16384);
  EXPECT_EQ(findDevice("hd-7850")->sharedPerMultiprocessor, 65536);
  EXPECT_EQ(findDevice("hd-7850")->sharedBytes, 32768);
  EXPECT_EQ(findDevice("gtx-690")->sharedBytes, 49152);
  EXPECT_EQ(findDevice("gtx-690")->multiprocessors * findDevice("gtx-690")->coresPerMultiprocessor,
            1536);
}

// Plans for no certain device were made for these limits before the old devices came; they must not
// shrink them.
TEST(Devices, CommonLimits) {
  DeviceSpec d = commonDevice();
  EXPECT_EQ(d.warp, 32);
  EXPECT_EQ(d.blockThreads, 1024);
  EXPECT_EQ(d.preferredBlock, 256);
  EXPECT_EQ(d.sharedBytes, 49152);
  EXPECT_EQ(d.gridLimit[0], 2147483647);
  EXPECT_EQ(d.gridLimit[1], 65535);
  EXPECT_EQ(d.gridLimit[2], 65535);
}

TEST(Devices, MistakesAreTheUsers) {
  EXPECT_EQ(complaint(toJson(*findDevice("h200"))), "");
  struct Case {
    std::string text, said;
  };
  for (const Case &c : std::vector<Case>{
           {"", "not JSON"},
           {"[]", "one object"},
           {"{\"name\": ", "not JSON"},
           {bent("\"warp\": 32,", ""), "no field 'warp'"},
           {bent("\"warp\": 32", "\"warps\": 32"), "unknown field 'warps'"},
           {bent("\"warp\": 32", "\"warp\": \"32\""), "'warp', which must be a whole number"},
           {bent("\"warp\": 32", "\"warp\": 32.5"), "'warp', which must be a whole number"},
           {bent("\"warp\": 32", "\"warp\": 0"), "'warp' = 0, which must be from 1"},
           {bent("\"warp\": 32", "\"warp\": -1"), "'warp' = -1"},
           {bent("\"warp\": 32", "\"warp\": 18446744073709551615"), "must be from 1"},
           {bent("\"warp\": 32", "\"warp\": 32, \"warp\": 32"), "'warp' twice"},
           {bent("\"clockGigahertz\": 1.98", "\"clockGigahertz\": null"),
            "'clockGigahertz', which must be a number"},
           {bent("\"clockGigahertz\": 1.98", "\"clockGigahertz\": 1e308"), "must be from"},
           {bent("\"kind\": \"cuda\"", "\"kind\": \"vulkan\""), "one of cuda, opencl, cpu"},
           {bent("\"portable\": true", "\"portable\": 1"), "true or false"},
           {bent("\"name\": \"h200\"", "\"name\": \"../h200\""), "small letters"},
           {bent("\"gridLimit\": [2147483647,", "\"gridLimit\": ["), "three numbers"},
           {bent("\"transactionBytes\": [32,128]", "\"transactionBytes\": [128,32]"),
            "must ascend"},
           {bent("\"sharedBytes\": 49152", "\"sharedBytes\": 500000"),
            "greater than 'sharedOptInBytes'"},
           {bent("\"estimated\": [", "\"estimated\": [\"beauty\","),
            "'beauty', which is not a field"},
           {R"({"like": "h201", "name": "mine", "source": "me"})",
            "name a device of the catalogue"},
           {R"({"like": "h200", "source": "me"})", "no field 'name'"},
       }) {
    std::string said = complaint(c.text);
    EXPECT_NE(said.find(c.said), std::string::npos) << "wanted: " << c.said << "\ngot: " << said;
    EXPECT_NE(said.find("mine.json"), std::string::npos) << said;
  }
}

TEST(Devices, ADeviceLikeAnother) {
  DeviceSpec d = deviceFromJson(
      R"({"like": "h100", "name": "mine", "source": "me", "multiprocessors": 114})", "mine.json");
  EXPECT_EQ(d.name, "mine");
  EXPECT_EQ(d.multiprocessors, 114);
  EXPECT_EQ(d.clockGigahertz, findDevice("h100")->clockGigahertz);
}

} // namespace nw::testing
