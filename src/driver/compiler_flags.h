// Flags of the C compiler that change what a program means, and what each of them does to kernels.
// One table decides: every command reads it, and docs/flags.md carries it.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nw {

enum class FlagEffect {
  Parsed,     // Clang reads the source with it, so that kernels have it too
  Wraps,      // signed arithmetic of kernels wraps around
  Overflows,  // it does not: the opposite
  Contracts,  // a*b + c may become one operation
  Separate,   // it may not
  Permission, // allows the compiler what kernels do not make use of
  Nothing,    // makes no difference to kernels
  Host        // kernels cannot follow: the file stays on the host
};

struct CompilerFlag {
  const char *spelling; // "-fwrapv", "-std=*"; the star stands for any text
  FlagEffect effect;
  const char *about;            // for docs/flags.md; of Host: why, for NW0114 as well
  const char *group = "";       // flags of one group take each other back; empty: -fX and -fno-X do
  bool mixesArithmetic = false; // host code computes other bits than --fp=strict asks for
};

// The table.
std::span<const CompilerFlag> compilerFlags();

// The entry for a flag as given on a command line; null where it changes no meaning.
const CompilerFlag *compilerFlag(const std::string &given);

// What a list of flags means, of which later ones win. Others in the list are passed over.
struct CompilerMeaning {
  std::vector<std::string> forClang; // those that the front end must know
  bool wraps = false;                // signed arithmetic wraps around
  std::string charFlag;              // -fsigned-char or its like; empty: no flag says
  std::optional<bool> contract;      // as a flag says; none: no flag does
  struct HostFlag {
    std::string given, why;
  };
  std::vector<HostFlag> host;      // the file stays on the host because of these
  std::vector<std::string> mixing; // host code would compute other bits than --fp=strict does
};

// The flag that says whether plain char has a sign.
std::string plainCharFlag(bool isUnsigned);

CompilerMeaning meaningOf(const std::vector<std::string> &flags);

// Throws a UserError where flags contradict --fp=strict, which means one arithmetic in the program.
void refuseMixedArithmetic(const CompilerMeaning &meaning);

} // namespace nw
