// Words of manifests.
#include "tune/manifest_words.h"
#include "support/text.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

namespace nw {

bool isBundlePath(const std::string &text) {
  if (text.empty() || text.size() > 512 ||
      !std::all_of(text.begin(), text.end(),
                   [](unsigned char c) { return isalnum(c) || (c && std::strchr("._-/+", c)); }))
    return false;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find('/', begin), text.size());
    if (std::string part = text.substr(begin, end - begin); part.empty() || part == "..")
      return false;
    begin = end + 1;
  }
  return true;
}

bool isBundleName(const std::string &text) {
  return isBundlePath(text) && text.find('/') == std::string::npos && text.size() < 120;
}

bool isBundleFlag(const std::string &text) {
  static const std::set<std::string> known = {
      "-fsigned-char",        "-funsigned-char",   "-fwrapv",       "-fno-wrapv",
      "-fno-strict-overflow", "-fstrict-overflow", "-fshort-enums", "-fno-short-enums",
      "-fshort-wchar",        "-fno-short-wchar"};
  if (known.count(text))
    return true;
  if (text.starts_with("-std="))
    return isBundleName(text.substr(5));
  return text.starts_with("-D") && isIdentifier(text.substr(2, text.find('=') - 2));
}

bool isBundleExactness(const std::string &text) {
  return text == "strict" || text == "double" || text == "float" || text == "fast";
}

long long numberIn(const std::string &text) {
  bool isNumber = !text.empty() && text.size() < 16 &&
                  text.find_first_not_of("0123456789") == std::string::npos;
  return isNumber ? std::atoll(text.c_str()) : -1;
}

} // namespace nw
