// Programs as a shared library, made by the C compiler.
#include "engine.h"
#include "support/process.h"
#include "support/text.h"
#include <dlfcn.h>

namespace nw::fuzz {

NativeLibrary::NativeLibrary(const std::vector<Program> &programs, const std::string &folder) {
  std::string text = preludeText();
  for (const Program &p : programs) {
    Analysis a = analyse(p);
    text += structText(p, a) + functionText(p, a) + callerText(p, a);
  }
  writeFile(folder + "/native.c", text);
  std::vector<std::string> line = {"gcc", "-O0", "-w", "-fPIC", "-shared", "-ffp-contract=off"};
  for (const std::string &flag : programs[0].flags())
    line.push_back(flag);
  line.insert(line.end(), {folder + "/native.c", "-o", folder + "/native.so", "-lm"});
  if (run(line) == 0)
    handle = dlopen((folder + "/native.so").c_str(), RTLD_NOW | RTLD_LOCAL);
}

NativeLibrary::~NativeLibrary() {
  if (handle)
    dlclose(handle);
}

void NativeLibrary::call(const Program &program, const Sizes &sizes,
                         const std::vector<void *> &data) const {
  std::vector<int> values;
  for (const std::string &n : program.sizes)
    values.push_back(sizes.at(n));
  auto function = reinterpret_cast<void (*)(const int *, void *const *)>(
      dlsym(handle, ("call_" + program.name).c_str()));
  function(values.data(), data.data());
}

} // namespace nw::fuzz
