// The reference of a plan's fields, for docs/plan.md.
#pragma once
#include <string>

namespace nw {

// Markdown: a section for each object of a plan, a list item for each field.
std::string planReference();

} // namespace nw
