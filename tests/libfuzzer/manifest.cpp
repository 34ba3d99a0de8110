// Any bytes as a bundle's manifest, to both of its readers: that of nestwarp-run and that of
// nestwarp. What the first takes, the second takes, too, and finds the same in it; and no word of
// it leads out of the folder or is more than a definition.
#include "support/diagnostics.h"
#include "tune/bundle.h"
#include "tune/manifest_words.h"
#include <cstdlib>
extern "C" {
#include "bundle.h"
}

static void check(bool holds) {
  if (!holds)
    std::abort();
}

static void checkWords(const std::vector<std::string> &words, char *const *others, int count) {
  check(int(words.size()) == count);
  for (int k = 0; k < count; k++)
    check(words[size_t(k)] == others[k]);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  bundle b;
  FILE *in = fmemopen(const_cast<uint8_t *>(data), size, "r");
  bool taken = read_manifest(&b, in);
  std::fclose(in);
  nw::Manifest m;
  try {
    m = nw::parseManifest(std::string(data, data + size), "manifest.txt");
  } catch (const nw::UserError &) {
    check(!taken);
  }
  if (taken) {
    check(m.id == b.id && int(m.jobs.size()) == b.job_count);
    for (int k = 0; k < b.job_count; k++) {
      const nw::BundleJob &mine = m.jobs[size_t(k)];
      const job &its = b.jobs[k];
      check(mine.name == its.name && mine.isProgram == (its.kind == JOB_PROGRAM) &&
            mine.repeats == its.repeats);
      check(mine.numbers ==
            std::vector<const char *>{"strict", "double", "float", "fast"}[its.numbers]);
      check(mine.isTuning == (its.kind == JOB_TUNE) &&
            int(mine.candidates.size()) == its.candidate_count);
      for (int c = 0; c < its.candidate_count; c++)
        check(mine.candidates[size_t(c)] ==
              std::pair(its.candidates[c].region, its.candidates[c].number));
      checkWords(mine.flags, its.flags, its.flag_count);
      checkWords(mine.includes, its.includes, its.include_count);
      checkWords(mine.data, its.data, its.data_count);
      for (const std::string &f : mine.flags)
        check(f.starts_with("-D") || f.starts_with("-std="));
    }
    for (int k = 0; k < b.file_count; k++) {
      std::string path = b.files[k].path;
      check(nw::isBundlePath(path) && path.size() < 600 && b.files[k].size >= 0 &&
            ("/" + path + "/").find("/../") == std::string::npos);
    }
  }
  free_bundle(&b);
  return 0;
}
