// Any bytes as C source, through every stage to CUDA, OpenCL and the host file. Accepted: errors of
// Clang, remarks, a UserError. Everything else ends the process: a crash, a sanitizer's report, an
// InternalError, a failed check.
#include "c_mutator.h"
#include "driver/pipeline.h"

using namespace nw;

// Limits keep one input short: what is left undone stays on the host, which is an answer, too.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Watch watch(Limits{3, 0, 50000});
  CompileOptions options;
  options.file = "/fuzz/input.c";
  options.text = std::string(data, data + size);
  options.arguments = {"-nostdinc", "-ferror-limit=1", "-fno-spell-checking",
                       "-fbracket-depth=100"};
  options.always = true;
  options.watch = &watch;
  // These are decided by the input, so that a saved one shows the same again.
  options.floatingPoint = size % 4 == 0 ? FloatingPoint::Strict : FloatingPoint::Reduce;
  std::vector<std::string> flags = {size % 5 < 2 ? "-funsigned-char" : "-fsigned-char"};
  if (size % 3 == 0)
    flags.push_back("-fwrapv");
  takeMeaning(meaningOf(flags), options);
  try {
    Compilation c = compile(options);
    for (const Diagnostic &d : c.diagnostics)
      render(d, options.file, c.parsed.source);
    if (c.regions.empty())
      return 0;
    for (Language language : {Language::Cuda, Language::OpenCl})
      kernelText(c.emitted(), language, c.emitOptions);
    cudaFile(c.emitted(), c.emitOptions);
    openclFile(c.emitted(), c.emitOptions);
    runtimeFile(c.emitted(), c.emitOptions);
    hostFile(c.parsed.source, options.file, c.parsed.isCxx, c.emitted());
  } catch (const UserError &) {
  }
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned int seed) {
  if (seed % 32 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text = mutatedC(std::string(data, data + size), "", seed);
  if (text.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t aSize, const uint8_t *b,
                                            size_t bSize, uint8_t *out, size_t maxSize,
                                            unsigned int seed) {
  std::string text = mutatedC(std::string(a, a + aSize), std::string(b, b + bSize), seed);
  text.resize(std::min(text.size(), maxSize));
  std::copy(text.begin(), text.end(), out);
  return text.size();
}
