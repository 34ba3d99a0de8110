// The Plan: every decision about one region, as a value that people can read, edit, pin and replay.
#pragma once
#include "poly/steps.h"

namespace nw {

// How a sequential loop around parallel steps is run.
enum class LaunchForm {
  Plain,  // the host loops and launches
  Resident, // one kernel loops, with barriers: a single block where that is wide enough, else a cooperative grid
};

struct KernelPlan {
  std::string name;                 // step0, step1, … in the order of the steps
  std::vector<std::string> statements;
  std::vector<std::string> grid;    // parallel dimensions, the one along neighbouring threads first
  std::vector<int> block;           // threads along each of them (the rest are folded into the last)
  std::vector<int> points;          // values of each of them that one thread takes; empty: one
  std::string why;
  std::string kind = "parallel";    // parallel, reduction or serial: what the step is, not a choice; empty in a file: not said
};

// More points of a thread would not fit its registers.
constexpr int kMostPoints = 16;

struct LoopPlan {
  std::string loop;                 // its dimension
  LaunchForm form = LaunchForm::Plain;
  std::string why;
};

struct Plan {
  std::string function;
  int region = 0;
  std::string schedule;
  std::vector<KernelPlan> kernels;  // for Parallel, Reduction and Serial steps in tree order
  std::vector<LoopPlan> loops;      // for Loop steps in tree order
  std::vector<std::string> expanded; // private variables that live in memory, one element per iteration
  int reductionBlocks = 256;
};

// No file of plans is larger; what is, is something else.
constexpr size_t kLargestPlan = size_t(16) << 20;

std::string toJson(const std::vector<Plan> &plans);
// Throws UserError where the text is no plan.
std::vector<Plan> fromJson(const std::string &text);

} // namespace nw
