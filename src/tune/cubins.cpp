// Names and hashes of cubins.
#include "tune/cubins.h"
#include "support/diagnostics.h"
#include "support/exit_status.h"
#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace nw {

namespace {

using Hash = unsigned __int128;

constexpr Hash number(uint64_t high, uint64_t low) { return Hash(high) << 64 | low; }
constexpr Hash kBegin = number(0x6c62272e07bb0142, 0x62b821756295c58d),
               kPrime = number(1 << 24, 0x13b);

Hash hashOf(Hash state, const std::string &bytes) {
  for (unsigned char c : bytes)
    state = (state ^ c) * kPrime;
  return state;
}

std::string inHex(Hash state) {
  return fmt::format("{:016x}{:016x}", uint64_t(state >> 64), uint64_t(state));
}

} // namespace

std::string cudaOptions(const EmitOptions &o, const std::string &architecture) {
  bool fast = o.floatingPoint == FloatingPoint::Fast,
       exact = o.floatingPoint == FloatingPoint::Strict || (!fast && !o.contract);
  return fmt::format("-std=c++17 --gpu-architecture={}{}{}", architecture,
                     fast    ? " --use_fast_math"
                     : exact ? " --fmad=false"
                             : "",
                     o.lines ? " -lineinfo" : "");
}

// Both with their ends, so that no text of one is taken for a text of the other.
std::string cubinName(const std::string &source, const std::string &options,
                      const std::string &architecture) {
  return fmt::format("{}.{}.cubin", inHex(hashOf(hashOf(kBegin, options + '\0'), source + '\0')),
                     architecture);
}

std::string cubinHash(const std::string &bytes) { return inHex(hashOf(kBegin, bytes)); }

std::vector<std::string> architecturesOf(const std::string &text) {
  std::vector<std::string> all;
  std::istringstream words(text);
  for (std::string w; std::getline(words, w, ',');) {
    size_t digits = w.starts_with("sm_") ? w.find_first_not_of("0123456789", 3) : 0;
    if (w.size() < 5 || w.size() > 8 ||
        (digits != std::string::npos &&
         (digits + 1 != w.size() || digits < 5 || !islower(w.back()))))
      throw UserError{
          "'" + w +
              "' is not an architecture; expected sm_90, or several as in sm_90,sm_80, or none",
          kUsage};
    if (std::find(all.begin(), all.end(), w) == all.end())
      all.push_back(w);
  }
  return all;
}

} // namespace nw
