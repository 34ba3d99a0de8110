// Kernels: what runs on the device, and the host steps between them, as typed trees. Targets differ
// only in the emitters.
#pragma once
#include "ir/memory_space.h"
#include "ir/program.h"
#include <array>

namespace nw {

struct KernelParameter {
  std::string name;
  Type type;
  int buffer = -1;      // index into Kernels::buffers, or -1 for a value
  bool isConst = false; // a buffer that this kernel only reads
  std::vector<ExprP>
      extents; // of a buffer: how it is indexed; the first is not used and may be null
  bool shifted =
      false;   // the buffer begins before element 0: `name_shift` says by how many elements
  ExprP value; // of a value: how the host computes it
  MemorySpace space = MemorySpace::Global; // of a buffer: how it is read
};

struct Kernel {
  std::string name;
  std::string summary; // one line: what it does and how it is mapped
  std::vector<KernelParameter> parameters;
  StmtP body;
  std::array<int, 3> block = {1, 1, 1};
  int together = 1;        // blocks that a multiprocessor should have room for
  bool isTiled = false;    // blocks compute tiles; its registers were chosen when it was made
  bool persistent = false; // contains barriers; one block, or a cooperative grid
};

// A device buffer of the region.
struct Buffer {
  std::string name;
  Type element;
  int64_t elementBytes = 4;
  std::string array; // the user's array, or empty for a temporary
  bool isArray =
      false; // of a temporary: it is an array of the Program's all the same, in memory of our own
  ExprP touched;   // condition under which anything is touched
  ExprP low, high; // first and last+1 element, host expressions
  bool copyIn = false, copyOut = false;
  bool isScalar = false;  // passed by address
  bool isBarrier = false; // the two words of the grid barrier
  std::string record; // of an instrumented region: what it records; its memory on the host comes
                      // from nw_record
};

// Whether it holds partial results, which kernels hand to each other.
inline bool isForPartials(const Buffer &b) { return b.array.empty() && !b.isArray && !b.isBarrier; }

enum class HostKind { Sequence, Loop, Launch, Choose, Either };

// What the host does, in order.
struct HostStep {
  HostKind kind = HostKind::Sequence;
  std::vector<HostStep> children;
  StmtP loop;      // Loop: the for statement with an empty body
  ExprP condition; // Launch: whether there is anything to do (may be null). Choose: whether to take
                   // the first of the two; null: the first is a resident kernel, and the runtime
                   // decides. Either: the same (null: always)
  bool asks =
      false; // Either: the first is right only where the condition holds; else it is for all sizes
  ExprP worth; // Either: where the first pays, beyond the condition; null: always
  std::vector<std::pair<int, int>> aligned; // Either: buffers whose element 0 must lie at a
                                            // multiple of so many bytes for the first
  ExprP suits; // Launch of tiles: the part of its condition whose opposite the launches after it
               // have. Choose: the part of its condition without which the first would be wrong;
               // there only where one kernel does two steps
  int kernel = -1;
  std::array<ExprP, 3> threads;         // Launch: work-items wanted in each dimension
  std::array<int, 3> limit = {0, 0, 0}; // Launch: most blocks in a dimension; 0 for no limit
};

// Everything that one region becomes.
struct Kernels {
  std::vector<Kernel> kernels;
  std::vector<Buffer> buffers;
  HostStep host;
  ExprP assumptions;                         // run-time check, or null when nothing is assumed
  std::vector<std::pair<int, int>> mayAlias; // pairs of buffers that must not overlap
  std::vector<std::pair<std::string, int>>
      scalarAlias;                // by-value scalars whose memory a buffer must not overlap
  std::vector<Parameter> scalars; // what the region function gets by value
  ExprP operations;               // double: work of the region
  ExprP launches;
};

// Which of two children the checks and the interpreter look at where the host chooses.
enum class HostForm {
  Plain,    // the second: one thread for each value of the parallel loops
  Resident, // the resident kernel, where that is the choice; else the second
  Spread,  // folds that the threads of a block share out among them, where that is the choice; else
           // the second
  Joined,  // one kernel that does two steps, where that is the choice and it suits; else the second
  Wide,    // launches with wide accesses, where that is the choice; else the second
  Windows, // launches with windows of single elements, where that is the choice; else the second
};
constexpr HostForm kHostForms[] = {HostForm::Plain,  HostForm::Resident, HostForm::Spread,
                                   HostForm::Joined, HostForm::Wide,     HostForm::Windows};
bool takesFirst(const HostStep &choice, HostForm form);

// Whether the host chooses somewhere in the step: between a resident kernel and plain launches; or
// between folds that are spread and ones that are not.
bool hasChoice(const HostStep &step);
bool hasSpreadChoice(const HostStep &step);
// Whether it chooses between one kernel that does two steps, and a step for each.
bool isJoinedChoice(const HostStep &step);
bool hasJoinedChoice(const HostStep &step);
// Whether it chooses between launches with windows and plain ones.
bool hasEither(const HostStep &step);
// Whether the host has such a form.
bool hasForm(const HostStep &step, HostForm form);

std::string print(const Kernels &kernels);

} // namespace nw
