// Questions about Kernels.
#include "kernel/kernel.h"
#include <algorithm>

namespace nw {

bool takesFirst(const HostStep &choice, HostForm form) { return form == (choice.condition ? HostForm::Spread : HostForm::Resident); }

bool hasChoice(const HostStep &s) { return (s.kind == HostKind::Choose && !s.condition) || std::any_of(s.children.begin(), s.children.end(), hasChoice); }

bool hasSpreadChoice(const HostStep &s) { return (s.kind == HostKind::Choose && s.condition) || std::any_of(s.children.begin(), s.children.end(), hasSpreadChoice); }

} // namespace nw
