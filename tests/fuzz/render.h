// Programs as C text: the function alone, functions that call it on given memory, and whole
// programs that print hashes of all outputs.
#pragma once
#include "analyse.h"

namespace nw::fuzz {

using Sizes = std::map<std::string, int>;

// The name of a storage in the text (globals carry the program's name, so that programs can share a
// file).
std::string spelled(const Program &program, const Storage &storage);
// What a caller provides: arrays, pointers to scalars, globals, in order; not locals and private
// variables.
std::vector<const Storage *> provided(const Program &program);
// How many elements (structs count once) a storage has.
long long elementsOf(const Analysis &analysis, const Storage &storage, const Sizes &sizes);
// The scalars of the function whose values it leaves in the array `results`.
std::vector<const Storage *> results(const Program &program);

// Definitions of its structs.
std::string structText(const Program &program, const Analysis &analysis);
// Globals and the function; needs the structs.
std::string functionText(const Program &program, const Analysis &analysis);
// void call_NAME(const int *sizes, void **data): calls it; data are those provided, then the
// results.
std::string callerText(const Program &program, const Analysis &analysis);
// Prototypes that the functions may need, in place of headers.
std::string preludeText();
// A part of main: calls the function on made-up data for these sizes, and prints a line of hashes.
std::string trialText(const Program &program, const Analysis &analysis, const Sizes &sizes,
                      unsigned dataSeed);
std::string mainPrelude();

// The made-up value (0 .. 7) of a scalar slot of the storage with this number. C text of the same
// is in mainPrelude.
unsigned madeUp(unsigned dataSeed, unsigned storage, unsigned slot);

} // namespace nw::fuzz
