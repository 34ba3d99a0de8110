// What words of a manifest may be: the same as nestwarp-run takes (runtime/tool/manifest.c), since
// a bundle may come back changed. Paths stay inside the folder, and compiler flags change the
// meaning of a source, but neither write nor run anything.
#pragma once
#include <string>

namespace nw {

// Letters, digits, '.', '_', '-', '+' and '/'; no part that leaves the folder.
bool isBundlePath(const std::string &text);
// A path of one part.
bool isBundleName(const std::string &text);
// -DNAME, -DNAME=VALUE or -std=WORD.
bool isBundleFlag(const std::string &text);
// How exact a program's numbers are: strict, double, float or fast.
bool isBundleExactness(const std::string &text);
// Digits only; -1 where it is not a number.
long long numberIn(const std::string &text);

} // namespace nw
