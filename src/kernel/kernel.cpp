// Questions about what the host chooses.
#include "kernel/kernel.h"
#include <algorithm>

namespace nw {

const char *nameOf(KernelForm form) {
  switch (form) {
  case KernelForm::Plain:
    return "plain";
  case KernelForm::ThreeAxes:
    return "three axes";
  case KernelForm::Tiles:
    return "tiles";
  case KernelForm::ExactTiles:
    return "exact tiles";
  case KernelForm::ShiftedTiles:
    return "shifted tiles";
  case KernelForm::BlockReduction:
    return "block reduction";
  case KernelForm::Fused:
    return "fused";
  case KernelForm::WideWindows:
    return "wide windows";
  case KernelForm::Windows:
    return "windows";
  case KernelForm::Resident:
    return "resident";
  }
  return "";
}

const HostStep &firstLaunch(const HostStep &s) {
  return s.kind == HostKind::Launch || s.children.empty() ? s : firstLaunch(s.children[0]);
}

bool hasForm(const HostStep &host, KernelForm form) {
  bool found = std::any_of(host.alternatives.begin(), host.alternatives.end(),
                           [&](const HostAlternative &a) { return a.form == form; });
  forEachPart(host, [&](const HostStep &s) { found = found || hasForm(s, form); });
  return found;
}

// Most alternatives of the form that a choice has.
static int mostOfForm(const HostStep &host, KernelForm form) {
  int most = int(std::count_if(host.alternatives.begin(), host.alternatives.end(),
                               [&](const HostAlternative &a) { return a.form == form; }));
  forEachPart(host, [&](const HostStep &s) { most = std::max(most, mostOfForm(s, form)); });
  return most;
}

std::vector<FormSelection> selectionsOf(const HostStep &host) {
  // Forms that are looked at together are alternatives of different steps, or of one step for
  // different sizes: fewer proofs than one for each form.
  static const FormSelection kAll[] = {{{KernelForm::Tiles}},
                                       {{KernelForm::ThreeAxes}},
                                       {{KernelForm::Resident}},
                                       {{KernelForm::BlockReduction}},
                                       {{KernelForm::Fused}},
                                       {{KernelForm::ExactTiles, KernelForm::WideWindows}},
                                       {{KernelForm::ShiftedTiles, KernelForm::Windows}}};
  std::vector<FormSelection> out = {{}};
  for (const FormSelection &s : kAll)
    if (std::any_of(s.forms.begin(), s.forms.end(), [&](KernelForm f) { return hasForm(host, f); }))
      out.push_back(s);
  // Forms of a block reduction are legal for all sizes: the first would always be taken.
  for (int leftOut = 1; leftOut < mostOfForm(host, KernelForm::BlockReduction); leftOut++)
    out.push_back({{KernelForm::BlockReduction}, leftOut});
  return out;
}

} // namespace nw
