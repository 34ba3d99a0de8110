// The version, from the file VERSION at the root of the tree, and the commit it was built from.
#pragma once

namespace nw {

extern const char *const kVersion;
extern const char *const kCommit; // empty where it was not built from a git tree

} // namespace nw
