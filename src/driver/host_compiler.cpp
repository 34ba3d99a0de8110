// Running the system's compilers.
#include "driver/host_compiler.h"
#include "support/diagnostics.h"
#include "support/process.h"
#include <cstdlib>
#include <sstream>

namespace nw {

namespace {

std::string compilerFor(bool cxx) {
  if (const char *given = std::getenv(cxx ? "NESTWARP_CXX" : "NESTWARP_CC"))
    return given;
  return cxx ? "c++" : "cc";
}

std::vector<std::string> wordsOf(const std::string &command) {
  std::istringstream in(command);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

} // namespace

int runCompiler(bool cxx, const std::vector<std::string> &arguments) {
  std::string compiler = compilerFor(cxx);
  std::vector<std::string> line = wordsOf(compiler);
  line.insert(line.end(), arguments.begin(), arguments.end());
  int status = run(line);
  if (status == 127)
    throw UserError{"cannot run the compiler '" + compiler + "'; set " +
                    (cxx ? "NESTWARP_CXX" : "NESTWARP_CC")};
  return status;
}

CompilerMeaning compilerMeaning(bool cxx, const std::vector<std::string> &flags) {
  std::vector<std::string> all = wordsOf(compilerFor(cxx));
  all.insert(all.end(), flags.begin(), flags.end());
  return meaningOf(all);
}

} // namespace nw
