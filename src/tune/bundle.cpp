// Folders and manifests of bundles.
#include "tune/bundle.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "tune/cubins.h"
#include "tune/manifest_words.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace nw {

namespace fs = std::filesystem;

namespace {

constexpr int kVersion = 3; // 1 had no cubins, 2 did not say how exact numbers are
constexpr size_t kLargestManifest = 16 << 20, kMostWord = 3000;

// Tells bundles apart; FNV-1a is enough for that.
std::string idOf(const std::map<std::string, std::string> &files, const std::string &lines) {
  uint64_t hash = 14695981039346656037ull;
  auto add = [&](const std::string &text) {
    for (unsigned char c : text + '\0')
      hash = (hash ^ c) * 1099511628211ull;
  };
  for (auto &[path, text] : files) {
    add(path);
    add(text);
  }
  add(lines);
  return fmt::format("{:016x}", hash);
}

std::string word(const std::string &text) {
  if (text.size() > kMostWord || text.find_first_of("\t\n\r") != std::string::npos)
    throw UserError{fmt::format(
        "'{}' cannot be written into a bundle: it is too long or has a tab or a line break",
        text.substr(0, 80))};
  return text;
}

std::map<std::string, std::string> runtimeFiles(const std::string &runtime) {
  std::map<std::string, std::string> files;
  for (const fs::directory_entry &e : fs::recursive_directory_iterator(runtime))
    if (std::string suffix = e.path().extension();
        e.is_regular_file() &&
        (suffix == ".c" || suffix == ".h" || e.path().filename() == "CMakeLists.txt"))
      files["runtime/" + fs::relative(e.path(), runtime).string()] = readFile(e.path());
  return files;
}

// Candidates come in order, those of a region together, each region's proposed plan first; as in
// runtime/tool/manifest.c.
bool follows(const BundleJob &job, long long region, long long number) {
  constexpr long long kMostRegions = 1000, kMostCandidates = 50000;
  if (!job.isTuning || region < 0 || region >= kMostRegions || number < 0 ||
      number > kMostCandidates || job.candidates.size() >= size_t(kMostCandidates))
    return false;
  if (job.candidates.empty())
    return region == 0 && number == 0;
  auto [lastRegion, lastNumber] = job.candidates.back();
  return region == lastRegion ? number > lastNumber : region == lastRegion + 1 && number == 0;
}

std::vector<std::string> wordsOf(const std::string &line) {
  std::vector<std::string> words;
  std::istringstream parts(line);
  for (std::string w; std::getline(parts, w, '\t');)
    words.push_back(w);
  return words;
}

} // namespace

void writeBundle(const std::string &folder, const std::vector<BundleJob> &jobs,
                 const BundleCubins &cubins, const std::string &runtime) {
  if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder)))
    throw UserError{folder + " is there already; name a new folder"};
  std::map<std::string, std::string> files = runtimeFiles(runtime);
  std::string lines = fmt::format("cubins\t{}\n", word(cubins.about));
  for (auto &[name, bytes] : cubins.files)
    files["cubins/" + name] = bytes;
  for (const BundleJob &j : jobs) {
    lines += fmt::format("job\t{}\t{}\t{}\t{}\n", word(j.name),
                         j.isProgram  ? "program"
                         : j.isTuning ? "tune"
                                      : "function",
                         j.repeats, j.numbers);
    for (auto &[region, number] : j.candidates)
      lines += fmt::format("candidate\t{}\t{}\n", region, number);
    for (const std::string &f : j.flags)
      lines += fmt::format(
          "flag\t{}\n", isBundleFlag(f) ? word(f)
                                        : throw UserError{"'" + f +
                                                          "' cannot go into a bundle, whose flags "
                                                          "are -DNAME, -DNAME=VALUE, -std=WORD and "
                                                          "some about types and arithmetic"});
    for (const std::string &i : j.includes)
      lines += fmt::format("include\t{}\n", word(i));
    for (const std::string &d : j.data)
      lines += fmt::format("data\t{}\n", d);
    for (auto &[key, value] : j.about)
      lines += fmt::format("about\t{}\t{}\n", key, word(value));
    for (auto &[path, text] : j.files)
      files[fmt::format("jobs/{}/{}", j.name, path)] = text;
  }
  for (auto &[path, text] : files)
    if (!isBundlePath(path))
      throw UserError{fmt::format("'{}' cannot be the name of a file in a bundle: letters, digits, "
                                  "'.', '_', '-' and '+' only",
                                  path)};
  std::string manifest =
      fmt::format("nestwarp-bundle\t{}\nid\t{}\n{}", kVersion, idOf(files, lines), lines);
  for (auto &[path, text] : files) {
    fs::create_directories(fs::path(folder + "/" + path).parent_path());
    writeFile(folder + "/" + path, text);
    if (path.starts_with("cubins/"))
      manifest += fmt::format("cubin\t{}\t{}\t{}\n", path.substr(7), text.size(), cubinHash(text));
    else
      manifest += fmt::format("file\t{}\t{}\n", path, text.size());
  }
  writeFile(folder + "/manifest.txt", manifest + "end\n");
}

Manifest readManifest(const std::string &folder) {
  std::string path = folder + "/manifest.txt";
  if (!fs::exists(path))
    throw UserError{folder + " is not a bundle: it has no manifest.txt"};
  return parseManifest(readFile(path, kLargestManifest), path);
}

Manifest parseManifest(const std::string &text, const std::string &path) {
  std::istringstream lines(text);
  Manifest m;
  std::string line;
  bool ended = false;
  long long version = 0;
  std::set<std::string> names;
  for (int number = 1; std::getline(lines, line); number++) {
    std::vector<std::string> words = wordsOf(line);
    auto refuse = [&](const char *what) {
      throw UserError{fmt::format("{}:{}: {}", path, number, what)};
    };
    if (number == 1) {
      if (words.size() != 2 || words[0] != "nestwarp-bundle")
        refuse("this is not a nestwarp bundle");
      version = numberIn(words[1]);
      if (version < 1 || version > kVersion)
        refuse("the bundle was written by another version of nestwarp");
      continue;
    }
    if (words.empty() || ended)
      refuse("is not valid");
    BundleJob *last = m.jobs.empty() ? nullptr : &m.jobs.back();
    if (words[0] == "end" && words.size() == 1)
      ended = true;
    else if (words[0] == "id" && words.size() == 2 && isBundleName(words[1]))
      m.id = words[1];
    else if (words[0] == "job" && words.size() == (version < 3 ? 4 : 5) && isBundleName(words[1]) &&
             (words[2] == "program" || words[2] == "function" || words[2] == "tune") &&
             numberIn(words[3]) >= 0 && (version < 3 || isBundleExactness(words[4]))) {
      if (!names.insert(words[1]).second)
        refuse("there are two jobs of this name");
      m.jobs.emplace_back();
      m.jobs.back().name = words[1];
      m.jobs.back().isProgram = words[2] == "program";
      m.jobs.back().isTuning = words[2] == "tune";
      if (version >= 3)
        m.jobs.back().numbers = words[4];
      m.jobs.back().repeats = int(std::min(numberIn(words[3]), 100000LL));
    } else if (last && words[0] == "flag" && words.size() == 2 && isBundleFlag(words[1]))
      last->flags.push_back(words[1]);
    else if (last && words[0] == "include" && words.size() == 2 && isBundlePath(words[1]))
      last->includes.push_back(words[1]);
    else if (last && words[0] == "candidate" && words.size() == 3 &&
             follows(*last, numberIn(words[1]), numberIn(words[2])))
      last->candidates.push_back({int(numberIn(words[1])), int(numberIn(words[2]))});
    else if (last && words[0] == "data" && words.size() == 2 &&
             (words[1] == "ordinary" || words[1] == "special"))
      last->data.push_back(words[1]);
    else if (last && words[0] == "about" && (words.size() == 3 || words.size() == 2)) {
      last->about[words[1]] = words.size() == 3 ? words[2] : "";
      if (version < 3 && words[1] == "fp")
        last->numbers = last->about["fp"] == "strict" ? "strict" : "float";
    } else if (!(words[0] == "file" && words.size() == 3) &&
               !(words[0] == "cubin" && words.size() == 4) &&
               !(words[0] == "cubins" && words.size() <= 2))
      refuse("is not valid");
  }
  if (!ended || m.id.empty())
    throw UserError{path + " is cut off"};
  return m;
}

} // namespace nw
