// Resident blocks: the paper's, and those that NVIDIA's own calculation gives.
#include "analysis/occupancy.h"
#include <gtest/gtest.h>

namespace nw::testing {

static Occupancy on(const char *device, int threads, int registers, int64_t shared = 0) {
  return occupancyOf({threads, registers, shared}, *findDevice(device));
}

// principles, section 4: ten registers let three blocks of 256 run, eleven only two (3 x 256 x 11 =
// 8448 > 8192).
TEST(Occupancy, ElevenRegistersCostABlock) {
  EXPECT_EQ(on("gtx-8800", 256, 10).blocks, 3);
  EXPECT_EQ(on("gtx-8800", 256, 10).threads, 768);
  EXPECT_EQ(on("gtx-8800", 256, 10).limiter,
            Resource::Threads); // a fourth would not find registers either
  EXPECT_EQ(on("gtx-8800", 256, 11).blocks, 2);
  EXPECT_EQ(on("gtx-8800", 256, 11).limiter, Resource::Registers);
}

// principles, section 4.2: tiles of 4x4 and 8x8 meet the limit of eight blocks; the former fill
// half of their warps.
TEST(Occupancy, SmallTilesMeetTheBlockLimit) {
  Occupancy small = on("gtx-8800", 16, 10), medium = on("gtx-8800", 64, 10);
  EXPECT_EQ(small.blocks, 8);
  EXPECT_EQ(small.limiter, Resource::Blocks);
  EXPECT_EQ(small.threads, 128);
  EXPECT_EQ(small.warps, 8);
  EXPECT_EQ(medium.blocks, 8); // twelve would be needed to fill the multiprocessor
  EXPECT_EQ(medium.limiter, Resource::Blocks);
  EXPECT_EQ(medium.threads, 512);
}

TEST(Occupancy, SharedMemory) {
  EXPECT_EQ(on("gtx-8800", 256, 9, 2 * 16 * 16 * 4).limiter, Resource::Threads);
  EXPECT_EQ(on("gtx-8800", 128, 8, 6000).blocks, 2);
  EXPECT_EQ(on("gtx-8800", 128, 8, 6000).limiter, Resource::SharedMemory);
  EXPECT_EQ(on("gtx-8800", 128, 8, 20000).blocks, 0); // more than there is
}

// NVIDIA's cuda_occupancy.h (CUDA 13.0) for compute capability 9.0: threads, registers, shared
// bytes, blocks.
TEST(Occupancy, AgreesWithCudaOccupancyHeader) {
  const int rows[][4] = {
      {1, 16, 0, 32},   {1, 24, 49152, 4},    {1, 33, 16384, 13},   {1, 48, 1000, 32},
      {1, 72, 0, 28},   {1, 96, 49152, 4},    {1, 168, 16384, 12},  {32, 16, 1000, 32},
      {32, 32, 0, 32},  {32, 33, 49152, 4},   {32, 48, 16384, 13},  {32, 72, 1000, 28},
      {32, 128, 0, 16}, {32, 168, 49152, 4},  {33, 16, 16384, 13},  {33, 32, 1000, 32},
      {33, 40, 0, 24},  {33, 48, 49152, 4},   {33, 72, 16384, 13},  {33, 128, 1000, 8},
      {33, 255, 0, 4},  {96, 16, 49152, 4},   {96, 32, 16384, 13},  {96, 40, 1000, 16},
      {96, 64, 0, 10},  {96, 72, 49152, 4},   {96, 128, 16384, 5},  {96, 255, 1000, 2},
      {128, 24, 0, 16}, {128, 32, 49152, 4},  {128, 40, 16384, 12}, {128, 64, 1000, 8},
      {128, 96, 0, 5},  {128, 128, 49152, 4}, {128, 255, 16384, 2}, {160, 24, 1000, 12},
      {160, 33, 0, 9},  {160, 40, 49152, 4},  {160, 64, 16384, 6},  {160, 96, 1000, 4},
      {160, 168, 0, 2}, {160, 255, 49152, 1}, {256, 24, 16384, 8},  {256, 33, 1000, 6},
      {256, 48, 0, 5},  {256, 64, 49152, 4},  {256, 96, 16384, 2},  {256, 168, 1000, 1},
      {384, 16, 0, 5},  {384, 24, 49152, 4},  {384, 33, 16384, 4},  {384, 48, 1000, 3},
      {384, 72, 0, 2},  {384, 96, 49152, 1},  {384, 168, 16384, 1}, {512, 16, 1000, 4},
      {512, 32, 0, 4},  {512, 33, 49152, 3},  {512, 48, 16384, 2},  {512, 72, 1000, 1},
      {512, 128, 0, 1}, {512, 168, 49152, 0}, {1024, 16, 16384, 2}, {1024, 32, 1000, 2},
      {1024, 40, 0, 1}, {1024, 48, 49152, 1}, {1024, 72, 16384, 0}, {1024, 128, 1000, 0},
      {1024, 255, 0, 0}};
  for (auto &r : rows)
    EXPECT_EQ(on("h200", r[0], r[1], r[2]).blocks, r[3])
        << r[0] << " threads, " << r[1] << " registers, " << r[2] << " bytes";
}

} // namespace nw::testing
