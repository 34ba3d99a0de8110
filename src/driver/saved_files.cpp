// The folder of --save-temps.
#include "driver/saved_files.h"
#include "driver/host_compiler.h"
#include "support/process.h"
#include "support/text.h"
#include <climits>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace nw {

namespace fs = std::filesystem;

namespace {

// A word of a shell command.
std::string quoted(const std::string &word) {
  if (!word.empty() &&
      word.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^") ==
          std::string::npos)
    return word;
  std::string out = "'";
  for (char c : word)
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

bool isHeader(const fs::path &p) {
  std::string e = p.extension();
  return e == ".h" || e == ".hpp" || e == ".hh" || e == ".hxx" || e == ".inc" || e == ".def";
}

// A copy of the headers below `from`, in the folder `to`.
void copyHeaders(const fs::path &from, const fs::path &to) {
  fs::create_directories(to);
  for (const auto &entry : fs::recursive_directory_iterator(from))
    if (entry.is_regular_file() && isHeader(entry.path())) {
      fs::path target = to / fs::relative(entry.path(), from);
      fs::create_directories(target.parent_path());
      fs::copy_file(entry.path(), target, fs::copy_options::overwrite_existing);
    }
}

// The flags for build.sh: directories of headers outside the system travel along under names of
// their own.
std::vector<std::string> portableFlags(const CompilerLine &line, const std::string &saved) {
  std::vector<std::string> out;
  int copies = 0;
  auto travels = [&](const std::string &directory) -> std::string {
    if (!fs::is_directory(directory) ||
        fs::weakly_canonical(directory).string().starts_with("/usr/"))
      return directory;
    std::string name = fmt::format("include{}", copies++);
    copyHeaders(directory, fs::path(saved) / name);
    return name;
  };
  for (size_t k = 0; k < line.forward.size(); k++) {
    const std::string &f = line.forward[k];
    bool separate = (f == "-I" || f == "-iquote" || f == "-isystem" || f == "-idirafter") &&
                    k + 1 < line.forward.size();
    if (separate) {
      out.push_back(f);
      out.push_back(travels(line.forward[++k]));
    } else if (f.starts_with("-I"))
      out.push_back("-I" + travels(f.substr(2)));
    else
      out.push_back(f);
  }
  // The other machine may take char for another type.
  if (compilerMeaning(false, line.forward).charFlag.empty())
    out.push_back(plainCharFlag(CHAR_MIN == 0));
  return out;
}

// "header.h" beside a source.
void copyHeadersBeside(const CompilerLine &line, const std::string &directory) {
  for (const std::string &source : line.sources)
    for (const auto &entry : fs::directory_iterator(fs::absolute(source).parent_path()))
      if (entry.is_regular_file() && isHeader(entry.path()))
        fs::copy_file(entry.path(), fs::path(directory) / entry.path().filename(),
                      fs::copy_options::overwrite_existing);
}

void copyRuntime(const std::string &directory) {
  fs::create_directories(fs::path(directory) / "runtime");
  for (const auto &entry : fs::directory_iterator(runtimeSources()))
    if (entry.path().extension() == ".c" || entry.path().extension() == ".h")
      fs::copy_file(entry.path(), fs::path(directory) / "runtime" / entry.path().filename(),
                    fs::copy_options::overwrite_existing);
}

// The program is linked by the compiler that nestwarp would use; our own files are C.
std::string buildCommand(const CompilerLine &line, const std::string &directory,
                         const std::vector<std::string> &saved) {
  std::string own, objects, theirs, flags;
  for (const std::string &s : saved)
    if (s.ends_with(".nw.c")) {
      own += " " + quoted(s);
      objects += " " + quoted(s + ".o");
    } else {
      theirs += " " + quoted(s);
    }
  for (const std::string &f : portableFlags(line, directory))
    flags += " " + quoted(f);
  std::string command = "for f in runtime/*.c" + own +
                        "; do cc -w -O2 -fPIC -Iruntime -c \"$f\" -o \"$f.o\" || exit 1; done; " +
                        (line.linksAsCxx() ? "c++" : "cc") + " -w -I." + flags + theirs + objects +
                        " runtime/*.c.o";
  for (const CompilerLine::LinkWord &l : line.link)
    if (!l.isSource)
      command += " " + quoted(l.word);
  return command + " -ldl -lpthread -lm -o " +
         quoted(line.output.empty() ? "a.out" : fs::path(line.output).filename().string());
}

} // namespace

void writeBuildScript(const CompilerLine &line, const std::string &directory,
                      const std::vector<std::string> &saved) {
  copyRuntime(directory);
  copyHeadersBeside(line, directory);
  fs::path script = fs::path(directory) / "build.sh";
  writeFile(script, "#!/bin/sh\ncd \"$(dirname \"$0\")\" || exit 1\n" +
                        buildCommand(line, directory, saved) + "\n");
  fs::permissions(script, fs::perms::owner_exec, fs::perm_options::add);
  std::fprintf(stderr, "nestwarp: %s/build.sh builds it with a C compiler alone, on any machine\n",
               directory.c_str());
}

} // namespace nw
