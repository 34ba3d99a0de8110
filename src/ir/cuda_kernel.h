// A kernel of a CUDA source as plain values: how its grid became loops, what that assumes of a
// launch, and where it stands in the text.
#pragma once
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace nw {

// One axis of the grid. The loops' function gets the launch's numbers under these names; an empty
// name: it does not need that one.
struct GridAxis {
  std::string threads, grid, block; // threads of the axis in all, its blocks, threads of a block
  int64_t blockSize = 0; // what is assumed of a block's threads along the axis; 0: nothing
  bool isOneBlock = false,
       isOneThread = false; // the axis must have one block; a block must have one thread along it
};

struct CudaParameter {
  std::string name;        // in the kernel
  std::string declaration; // with its type, as C++ spells it
  std::string inLoops;     // its name in the function of loops
};

struct CudaKernel {
  std::string function; // the name of the function of loops: the kernel's own, or one with a number
                        // where several have it
  std::string launched; // what stands before <<<, as in scale<float>
  std::string
      called; // the same as the function that launches has to spell it: ::outer::scale<float> where
              // a name of its own hides the kernel, or it stands elsewhere
  std::string scope; // the namespaces in which the definition stands, as in ::outer::, as far as
                     // they have names; empty: none
  std::vector<CudaParameter> parameters;
  std::array<GridAxis, 3> axes; // x, y, z
  unsigned declared = 0;  // the end of its first declaration, where that is not the definition
  unsigned outermost = 0; // the beginning of the declaration around it that is in no namespace
  unsigned end = 0;       // of its definition
  bool isStatic = false;
  int minBlocksPerSm = 0;   // wished for on a multiprocessor; 0: nothing was said
  int64_t blockThreads = 0; // of the blocks that are meant by that; 0: not known
};

// NAME<<<grid, block, …>>>(arguments), by offsets in the text.
struct CudaLaunch {
  std::string function;
  unsigned begin = 0, config = 0;    // of the name, and of what follows <<<
  unsigned close = 0, arguments = 0; // of >>>, and of what follows its parenthesis
  int configured = 2;                // numbers between <<< and >>>
  bool hasArguments = false;         // written ones
  unsigned end = 0;                  // of the arguments: the parenthesis that closes them
  std::vector<std::string> defaults; // values of arguments that are not written
};

// Names that the file or one of its own headers defines as macros, somewhere.
using MacroNames = std::set<std::string>;

struct TextRange {
  unsigned begin = 0, end = 0;
};

} // namespace nw
