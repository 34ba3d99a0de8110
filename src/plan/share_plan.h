// From a share hint to a Plan: the paper's decision for each step that touches the named arrays
// (share, steps 1 to 7), and tiles that carry it out where the step has a form for them.
#pragma once
#include "plan/plan.h"
#include "plan/share_choice.h"
#include "plan/share_ilp.h"
#include "poly/schedule.h"

namespace nw::share {

struct SharedPlan {
  std::optional<Plan> plan;    // the proposed one with tiles of the hint's, one element for each
                               // thread; nothing where there is nothing to change
  std::vector<size_t> changed; // its kernels that are not as proposed
  Shape block;                 // of the first of them
  std::map<size_t, std::vector<std::string>>
      arrays;                      // by such a kernel: what is to be in shared memory
  std::vector<std::string> lines;  // what was decided and why, for explain
  std::vector<std::string> undone; // what of the hint the plan does not do
};

// `proposed`: what the planner made of the region without the hint. Throws UserError for seeds that
// contradict each other.
SharedPlan sharedPlan(const Program &program, const Dependences &dependences,
                      const Schedule &schedule, const Plan &proposed,
                      const std::vector<Seed> &seeds, const DeviceSpec &device);

// The same tiles with that many elements in a thread, and fewer threads (share, step 9).
Plan withFactor(const SharedPlan &shared, const Factor &factor);

} // namespace nw::share
