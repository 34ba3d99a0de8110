// Names of cubins: the bundle's writer and the runtime agree on them, and nothing that matters is
// left out of one.
#include "tune/cubins.h"
#include "support/diagnostics.h"
#include <gtest/gtest.h>
#include <set>
extern "C" {
#include "../../runtime/cubins.h"
}

using namespace nw;

namespace {

std::string runtimeName(const std::string &source, const std::string &options) {
  char name[NW_RT_CUBIN_NAME] = "";
  return nw_rt_cubin_name(source.c_str(), options.c_str(), name) ? name : "";
}

EmitOptions options(FloatingPoint floatingPoint, bool contract) {
  EmitOptions o;
  o.floatingPoint = floatingPoint;
  o.contract = contract;
  return o;
}

const std::string kPlain = "__global__ void k(float *a) {}\n";

TEST(Cubins, WriterAndRuntimeAgree) {
  std::set<std::string> names;
  for (const std::string &source : {kPlain, std::string()})
    for (const char *architecture : {"sm_80", "sm_90", "sm_120"})
      for (EmitOptions o :
           {options(FloatingPoint::Strict, true), options(FloatingPoint::Reduce, true),
            options(FloatingPoint::Fast, true)}) {
        std::string text = cudaOptions(o, architecture);
        std::string name = cubinName(source, text, architecture);
        EXPECT_EQ(name, runtimeName(source, text));
        EXPECT_TRUE(name.ends_with(std::string(".") + architecture + ".cubin"));
        names.insert(name);
      }
  EXPECT_EQ(names.size(), 9u + 9u); // no two are the same
}

TEST(Cubins, NoContractionIsAsStrict) {
  EXPECT_EQ(cudaOptions(options(FloatingPoint::Reduce, false), "sm_90"),
            cudaOptions(options(FloatingPoint::Strict, true), "sm_90"));
  EXPECT_NE(cudaOptions(options(FloatingPoint::Reduce, true), "sm_90"),
            cudaOptions(options(FloatingPoint::Strict, true), "sm_90"));
}

TEST(Cubins, RuntimeWantsAnArchitecture) {
  EXPECT_EQ(runtimeName(kPlain, "-std=c++17"), "");
  EXPECT_EQ(runtimeName(kPlain, "-std=c++17 --gpu-architecture=compute_90"), "");
  EXPECT_EQ(runtimeName(kPlain, "--gpu-architecture=sm_90/../x"), "");
}

TEST(Cubins, HashesAgree) {
  std::string bytes("a\0b\xff", 4);
  char text[NW_RT_CUBIN_HASH];
  nw_rt_cubin_hash(bytes.data(), bytes.size(), text);
  EXPECT_EQ(cubinHash(bytes), text);
  EXPECT_EQ(cubinHash(""), "6c62272e07bb014262b821756295c58d"); // FNV-1a's offset
  EXPECT_EQ(cubinHash("a"), "d228cb696f1a8caf78912b704e4a8964");
}

TEST(Cubins, Architectures) {
  EXPECT_EQ(architecturesOf("sm_90,sm_80,sm_90"), (std::vector<std::string>{"sm_90", "sm_80"}));
  EXPECT_EQ(architecturesOf("sm_90a,sm_120"), (std::vector<std::string>{"sm_90a", "sm_120"}));
  for (const char *text : {"90", "sm_", "sm_9", "sm_x0", "sm_90/..", "sm_90 -x", "compute_90"})
    EXPECT_THROW(architecturesOf(text), UserError) << text;
}

} // namespace
