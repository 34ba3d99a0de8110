// Sources and settings of jobs.
#include "check/bundle_input.h"
#include "check/check_function.h"
#include "driver/compiler_flags.h"
#include "support/process.h"
#include "support/text.h"
#include <filesystem>
#include <fmt/format.h>
#include <sstream>

namespace nw {

namespace fs = std::filesystem;

std::string joinedSettings(const std::map<std::string, std::string> &all) {
  std::string text;
  for (auto &[name, value] : all)
    text += fmt::format("{}{}={}", text.empty() ? "" : ";", name, value);
  return text;
}

std::map<std::string, std::string> splitSettings(const std::string &text) {
  std::vector<std::string> words;
  std::istringstream parts(text);
  for (std::string s; std::getline(parts, s, ';');)
    words.push_back(withoutControls(s));
  return settingsOf(words);
}

std::string plainName(const std::string &name) {
  std::string out;
  for (unsigned char c : name)
    out += isalnum(c) ? char(c) : '_';
  return out;
}

namespace {

// The user's files that the source needs, as the C compiler lists them.
std::vector<std::string> neededFiles(const CompileOptions &o) {
  std::vector<std::string> line = {"cc", "-MM", "-MT", "x"};
  line.insert(line.end(), o.arguments.begin(), o.arguments.end());
  line.push_back(o.file);
  std::string output;
  if (runCaptured(line, output))
    throw UserError{"the C compiler rejects " + o.file};
  std::istringstream words(output.substr(output.find(':') + 1));
  std::vector<std::string> files;
  for (std::string w; words >> w;)
    if (w != "\\")
      files.push_back(w);
  return files;
}

// A name without '.' and '..', by its words alone: what a link leads to is copied under the name
// that the source knows it by.
fs::path asNamed(const std::string &name) { return fs::absolute(name).lexically_normal(); }

// Whether a flag makes no difference to what kernels are held against.
bool isOfNoConcern(const std::string &argument) {
  const CompilerFlag *flag = compilerFlag(argument);
  return flag && (flag->effect == FlagEffect::Permission || argument.starts_with("-O") ||
                  argument.starts_with("-ffp-contract="));
}

} // namespace

std::string inputName(const Compilation &c, const CompileOptions &o) {
  fs::path file = o.file;
  return c.isCuda ? file.stem().string() + ".loops.c" : file.filename().string();
}

void addInput(BundleJob &job, const Compilation &c, const CompileOptions &o) {
  if (c.isCuda) { // needs nothing else
    job.files["input/" + inputName(c, o)] = c.text();
    return;
  }
  fs::path folder = asNamed(o.file).parent_path();
  std::vector<fs::path> includes;
  for (const std::string &a : o.arguments) {
    if (!a.starts_with("-I")) {
      if (!isOfNoConcern(a))
        job.flags.push_back(a);
      continue;
    }
    includes.push_back(asNamed(a.substr(2) + "/").parent_path());
    job.includes.push_back(fmt::format("include{}", includes.size() - 1));
  }
  if (c.parsed.charIsUnsigned && meaningOf(o.arguments).charFlag.empty()) // the other machine may
    job.flags.push_back(plainCharFlag(*c.parsed.charIsUnsigned));         // have another default
  auto inside = [](const fs::path &file, const fs::path &in) {
    std::string relative = file.lexically_relative(in).string();
    return relative.empty() || relative.starts_with("..") ? std::string() : relative;
  };
  for (const std::string &name : neededFiles(o)) {
    fs::path file = asNamed(name);
    std::vector<std::string> locations; // wherever the source may look for it
    if (std::string relative = inside(file, folder); !relative.empty())
      locations.push_back("input/" + relative);
    for (size_t k = 0; k < includes.size(); k++)
      if (std::string relative = inside(file, includes[k]); !relative.empty())
        locations.push_back(fmt::format("include{}/{}", k, relative));
    if (locations.empty())
      throw UserError{fmt::format("{} includes {}, which is neither beside it nor in an -I folder, "
                                  "so it cannot go into a bundle",
                                  o.file, name)};
    for (const std::string &location : locations)
      job.files[location] = readFile(name);
  }
}

} // namespace nw
