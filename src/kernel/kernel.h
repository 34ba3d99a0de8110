// Kernels: what runs on the device, and the host steps between them, as typed trees. Targets differ
// only in the emitters.
#pragma once
#include "ir/memory_space.h"
#include "ir/program.h"
#include <array>
#include <set>

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

// How kernels do a step.
enum class KernelForm {
  Plain,          // one thread for each value of the parallel loops, or a few of them
  ThreeAxes,      // the same; blocks have one value of each loop but two, by their number along z
  Tiles,          // blocks compute tiles; at the edges each point is guarded
  ExactTiles,     // tiles that divide the sizes, loaded by several elements at once
  ShiftedTiles,   // the last tiles are shifted inwards
  BlockReduction, // the threads of a block share a reduction
  Fused,          // one kernel does two steps
  WideWindows,    // threads load what their points read by wide accesses
  Windows,        // the same, element by element
  Resident,       // the kernel contains the host's loop, with barriers between its steps
};
constexpr bool isTiles(KernelForm f) {
  return f == KernelForm::Tiles || f == KernelForm::ExactTiles || f == KernelForm::ShiftedTiles;
}
const char *nameOf(KernelForm form);

struct Kernel {
  std::string name;
  std::string summary; // one line: what it does and how it is mapped
  std::vector<KernelParameter> parameters;
  StmtP body;
  std::array<int, 3> block = {1, 1, 1};
  int minBlocksPerSm = 1; // blocks that a multiprocessor should have room for
  KernelForm form = KernelForm::Plain;
  std::vector<std::string> steps = {}; // of the plan: one, or all that a fused or resident one does
  int tile = -1;                       // of tiles: which of the step's tile plans it was made for
  int reduction = -1;    // of block reductions: which of the step's plans of those it was made for
  bool combines = false; // takes the partial results of the kernel before it, no instances

  bool isTiled() const { return isTiles(form); } // its registers were chosen when it was made
  // Contains barriers of the grid; runs as one block, or as a cooperative grid.
  bool isResident() const { return form == KernelForm::Resident; }
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

enum class HostKind { Sequence, Loop, Launch, Choice };

struct HostAlternative;

// What the host does, in order.
struct HostStep {
  HostKind kind = HostKind::Sequence;
  std::vector<HostStep> children; // Choice: the fallback alone, which is right for all sizes
  std::vector<HostAlternative> alternatives; // Choice: the first that is legal and profitable is
                                             // taken, else the fallback
  StmtP loop;                                // Loop: the for statement with an empty body
  ExprP condition; // Launch: whether there is anything to do (may be null)
  int kernel = -1;
  std::array<ExprP, 3> threads;         // Launch: work-items wanted in each dimension
  std::array<int, 3> limit = {0, 0, 0}; // Launch: most blocks in a dimension; 0 for no limit
};

// Another way to do what the fallback of a choice does.
struct HostAlternative {
  KernelForm form = KernelForm::Plain;
  ExprP legalIf;               // sizes for which it is right and can be launched; null: all
  ExprP profitableIf;          // sizes for which it is worthwhile; null: all
  bool runtimeDecides = false; // profitable if the runtime says so, which knows the device; the
                               // body is a launch
  std::vector<std::pair<int, int>> aligned; // legal only if element 0 of these buffers lies at a
                                            // multiple of so many bytes
  HostStep body;
};

inline const HostStep &fallbackOf(const HostStep &choice) { return choice.children.at(0); }

// Calls `visit` with each step directly below: the bodies of alternatives, then the children.
template <class Step, class Visit> void forEachPart(Step &step, Visit visit) {
  for (auto &a : step.alternatives)
    visit(a.body);
  for (auto &c : step.children)
    visit(c);
}

// The first launch of the step, of a choice that of the fallback.
const HostStep &firstLaunch(const HostStep &step);

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

// Whether the host chooses an alternative of the form somewhere.
bool hasForm(const HostStep &host, KernelForm form);

// Which alternatives the checks and the interpreter take: those of these forms wherever they are
// legal, whether they are profitable or not; the fallback elsewhere. Of a choice with several of
// them that are legal, the first ones are left out: so many, but not all.
struct FormSelection {
  std::set<KernelForm> forms = {};
  int leftOut = 0;
  bool takes(const HostAlternative &a) const { return forms.count(a.form) > 0; }
};

// Selections that together take every alternative of the host's; the first takes fallbacks alone.
std::vector<FormSelection> selectionsOf(const HostStep &host);

std::string print(const Kernels &kernels);

} // namespace nw
