// The column of generated OpenCL code: buffers of OpenCL beside the arrays of CUDA, with the same
// content.
#pragma once
#include "arrays.h"
#include <string>

namespace board {

class OpenClLibrary {
public:
  /// Takes the functions of a loaded library (opencl_side.h) and opens the device; throws Failure.
  explicit OpenClLibrary(void *library);

  /// The buffer of an array, made and filled when it is first asked for.
  void *bufferOf(const Memory &memory);
  /// As Memory::prepare, for all buffers.
  void prepare();
  /// Results to the arrays of CUDA, where they are checked.
  void fetch();

  void *queue() const;
  void begin();
  double end();
  const std::string &clock() const { return clock_; }

private:
  struct Mirror {
    const Memory *memory;
    void *buffer, *original;
  };
  template <class F> F *function(const char *name) const;
  void must(int error, const char *what) const;

  void *library_;
  std::vector<Mirror> mirrors_;
  std::string clock_;
};

} // namespace board
