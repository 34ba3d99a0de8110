// What users write beside a kernel to tell what cannot be seen in it: the annotations of the paper
// CUDA-lite (__annotation(L"…")), and #pragma nestwarp kernel(…) array(…) loop(…). They are read
// from the text, since no compiler has to know them.
#pragma once
#include "ir/cuda_kernel.h"
#include "support/diagnostics.h"
#include <optional>

namespace nw {

enum class AnnotationKind {
  Kernel, // threads of a block, blocks of a multiprocessor
  Array,  // a name, sizes, perhaps bytes of an element
  Loop,   // a counter with its start, end and step
  Check,  // the check that follows lets threads go that have nothing to do
};

struct Annotation {
  AnnotationKind kind = AnnotationKind::Check;
  std::string name;
  std::vector<int64_t>
      numbers; // Kernel: threads, blocks (0: not said); Array: sizes, 0 for those that have a name
  int64_t elementBytes = 0; // Array: 0 where it is not said
  unsigned offset = 0;      // of the word that messages point at
  Location at;
  std::vector<std::string> names =
      {}; // Array: a size that is an argument of the kernel; empty for a number
};

struct Annotations {
  std::vector<Annotation> all;
  std::vector<TextRange>
      ranges; // to be left out of what is written; whole lines where nothing else stands on them
  std::string text;               // the source with blanks in place of __annotation(…);
  std::vector<Diagnostic> errors; // NW0130
};

Annotations readAnnotations(const std::string &source);

} // namespace nw
