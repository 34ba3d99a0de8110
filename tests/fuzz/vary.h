// Random devices, legal plans and sizes: what a program is tried with.
#pragma once
#include "device/device_spec.h"
#include "plan/facts.h"
#include "random.h"
#include "render.h"

namespace nw::fuzz {

DeviceSpec randomDevice(Random &random);
// Changes everything that a plan file may change.
void varyPlan(Plan &plan, const RegionFacts &facts, const DeviceSpec &device, Random &random);
// Sizes that keep a run short: tiny ones, the largest, and random ones.
std::vector<Sizes> randomSizes(const Program &program, Random &random, int count,
                               long long mostInstances);

} // namespace nw::fuzz
