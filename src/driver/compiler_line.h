// The arguments of nestwarp cc that are the system compiler's, sorted by who needs them.
#pragma once
#include <string>
#include <vector>

namespace nw {

struct CompilerLine {
  std::vector<std::string> all;      // as given
  std::vector<std::string> sources;  // C and C++ files
  std::vector<std::string> forward;  // flags for compiling
  std::vector<std::string> forClang; // headers and macros of them, for the front end as well
  // -MD and its like. Rules are made from the user's file, not from ours.
  std::vector<std::string> dependencies;
  bool wantsRules = false;
  std::string output;
  bool compileOnly = false;
  bool passThrough = false; // -E, -S, --version and such: the compiler gets the line as it is
  bool openacc = false;
  bool isCxx = false; // asked for as c++: every source is C++, and so is the link

  // Objects, libraries and flags for linking, in order.
  struct LinkWord {
    std::string word;
    bool isSource = false; // stands for the object made of this source
  };
  std::vector<LinkWord> link;

  // Whether the source is compiled as C++.
  bool isCxxSource(const std::string &path) const;
  // Whether the program is linked as C++: asked for, or there is a C++ source on the line.
  bool linksAsCxx() const;
};

// Throws UserError for what nestwarp cc does not take, such as CUDA files.
CompilerLine readCompilerLine(const std::vector<std::string> &arguments, bool isCxx);

} // namespace nw
