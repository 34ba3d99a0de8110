// From one Program to the next.
#include "verify/rewriting/rewriting.h"

namespace nw {

static std::vector<Finding> checkStep(const Program &now, const Program &then) {
  switch (now.rewriting) {
  case Rewriting::Splitting:
    return checkSplitting(now, then);
  case Rewriting::Renaming:
    return checkRenaming(now, then);
  case Rewriting::ScalarReplacement:
    return checkScalarReplacement(now, then);
  case Rewriting::Accumulation:
    return checkAccumulation(now, then);
  case Rewriting::Delinearization:
    return checkDelinearization(now, then);
  }
  return {{"rewriting", "it is not known how the program was made"}};
}

std::vector<Finding> checkRewriting(const Program &program) {
  std::vector<Finding> all;
  for (const Program *p = &program; p->before; p = p->before.get())
    for (const Finding &f : checkStep(*p, *p->before))
      all.push_back(f);
  return all;
}

} // namespace nw
