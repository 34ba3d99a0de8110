// Kernels of tiles: a block computes a box of one or two parallel dimensions, for one value of each
// of the others, each thread several
// points of it with its variables in registers, and what the points read is copied to shared memory
// first. (affine, section 4; share, section 3; principles)
#pragma once
#include "device/device_spec.h"
#include "lower/boxes.h"
#include "lower/instances.h"
#include "plan/plan.h"

namespace nw {

// A step as a kernel sees it.
struct TileSite {
  const InstanceContext &context;
  const Step &step;
  const View &view;
  size_t x, y; // positions of the dimensions among the step's; y is SIZE_MAX where there is one
  std::vector<size_t> outer; // the other dimensions: a block has one value of each
  const Box &box;
  std::vector<StmtP> privates; // declarations of private variables
  std::function<ExprP(const std::string &, const ExprP &)>
      launchValue; // a value that the host computes, under a name
};

struct TileKernel {
  StmtP body;
  std::array<ExprP, 3> threads; // work-items wanted
  ExprP legalIf;                // sizes for which it is right and can be launched; null: all
  ExprP profitableIf;           // sizes for which it is worthwhile; null: all
  std::string summary;
  std::map<std::string, int> alignment; // arrays that must begin at a multiple of so many bytes
};

// The step with one of its parallel dimensions inside its threads, around what they do already.
Step withDimensionInside(const Step &step, const std::string &dimension);

// Nothing where the step is none that tiles are made for, with the reason.
std::optional<TileKernel> tileKernel(const TileSite &site, const TilePlan &plan,
                                     const DeviceSpec &device, std::string &why);

} // namespace nw
