// Questions about Kernels.
#include "kernel/kernel.h"
#include <algorithm>

namespace nw {

static HostForm formOf(const HostStep &choice) {
  if (choice.kind == HostKind::Either)
    return choice.aligned.empty() ? HostForm::Windows : HostForm::Wide;
  return isJoinedChoice(choice) ? HostForm::Joined
         : choice.condition     ? HostForm::Spread
                                : HostForm::Resident;
}

bool isJoinedChoice(const HostStep &s) {
  return s.kind == HostKind::Choose && s.condition && s.suits;
}

bool hasJoinedChoice(const HostStep &s) {
  return isJoinedChoice(s) || std::any_of(s.children.begin(), s.children.end(), hasJoinedChoice);
}

bool takesFirst(const HostStep &choice, HostForm form) { return form == formOf(choice); }

bool hasChoice(const HostStep &s) {
  return (s.kind == HostKind::Choose && !s.condition) ||
         std::any_of(s.children.begin(), s.children.end(), hasChoice);
}

bool hasSpreadChoice(const HostStep &s) {
  return (s.kind == HostKind::Choose && s.condition && !s.suits) ||
         std::any_of(s.children.begin(), s.children.end(), hasSpreadChoice);
}

bool hasEither(const HostStep &s) {
  return s.kind == HostKind::Either || std::any_of(s.children.begin(), s.children.end(), hasEither);
}

bool hasForm(const HostStep &s, HostForm form) {
  switch (form) {
  case HostForm::Plain:
    return true;
  case HostForm::Resident:
    return hasChoice(s);
  case HostForm::Spread:
    return hasSpreadChoice(s);
  case HostForm::Joined:
    return hasJoinedChoice(s);
  case HostForm::Wide:
  case HostForm::Windows:
    break;
  }
  return (s.kind == HostKind::Either && takesFirst(s, form)) ||
         std::any_of(s.children.begin(), s.children.end(),
                     [&](const HostStep &c) { return hasForm(c, form); });
}

} // namespace nw
