// Choices of the host, to be bent.
#pragma once
#include "kernel/kernel.h"

namespace nw::testing {

// The first choice that has an alternative of the form; null: there is none.
inline HostStep *choiceOf(HostStep &host, KernelForm form) {
  HostStep *found = nullptr;
  for (const HostAlternative &a : host.alternatives)
    if (a.form == form)
      found = &host;
  forEachPart(host, [&](HostStep &s) { found = found ? found : choiceOf(s, form); });
  return found;
}

// The first alternative of the form; null: there is none.
inline HostAlternative *alternativeOf(HostStep &host, KernelForm form) {
  if (HostStep *choice = choiceOf(host, form))
    for (HostAlternative &a : choice->alternatives)
      if (a.form == form)
        return &a;
  return nullptr;
}

} // namespace nw::testing
