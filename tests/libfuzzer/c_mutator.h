// Changes to C text that often leave it C: tokens, lines and blocks are moved, numbers become
// boundary values, operators and types others of their kind.
#pragma once
#include <string>

// One to four changes to `text`. Pieces of `other`, if it is not empty, may be put into it.
std::string mutatedC(const std::string &text, const std::string &other, unsigned seed);
