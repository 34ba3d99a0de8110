// Reads the code of one launch: follows loops, guards and declarations, and notes where instances
// stand.
#pragma once
#include "verify/readers/copies.h"
#include "verify/readers/positions.h"
#include <set>

namespace nw {

struct PathItem {
  enum Kind {
    Host,        // a position or a loop of the host
    Position,    // among the statements of a block
    Loop,        // a counter
    Distributed, // a counter whose values are dealt out to threads
    Blocks, // a counter whose values are dealt out to blocks: all threads of a block have the same
    BlockPhase, // how many barriers of the block have gone before, in a loop that is dealt out to
                // blocks, or in a kernel in phases
    Phase, // how many grid barriers of the block have gone before; one more is certain to follow
  } kind;
  isl::pw_aff value;
  int site;
};

// A dimension of a tile: its value is the tile's first plus a position in the tile, which the lane
// and the counter of the thread tile determine, each position once.
struct PointDimension {
  std::string counter; // empty: one point
  int64_t many = 1;
  std::string name; // of the value
  ExprP value;
  Type type;
};

// The loops of a thread over its points, with the code inside: { [for yPoint] y = …; [for xPoint] x
// = …; [if (guard)] code }.
struct PointLoops {
  std::vector<PointDimension> dimensions;
  ExprP guard;
  StmtP code;
};

// Registers that are loaded before and stored after the code: one for each point.
struct KeptPoints {
  ExprP element;
  PointLoops points;
};

// A window around a point of the code.
struct WindowFrame {
  StmtP code;
  int number;
  bool isUnguarded; // everything between the window and this point is executed in every case
};

// What is known at a point of the code.
struct Frame {
  explicit Frame(isl::ctx ctx) : scope(ctx) {}
  AffineScope scope;
  Unset<isl::set> executed, certain;
  Unset<isl::set> reached; // what is executed without asking; unset: as executed
  std::vector<PathItem> path;
  std::map<std::string, LocalVariable> locals;
  std::map<std::string, WindowFrame> windows;
  std::map<std::string, std::vector<int64_t>> extents; // of variables
  std::map<std::string, KeptPoints> kept;              // registers that stand for elements here
  std::vector<PointDimension> points;                  // of the tile, around here
  std::vector<isl::set>
      owned; // of tiles that reach into others: where the point is the block's own
  std::set<std::string> consumed; // thread coordinates that a distributed loop stands for
  std::set<std::string> guarded;  // thread coordinates that a condition has restricted
  bool hasBlockPhases = false;    // directly inside a loop that is dealt out to blocks, or a kernel
                                  // in phases
  bool isDivergent = false;       // threads of one block may disagree whether they get here
  bool dependsOnBlock = false;    // blocks may disagree
};

// A[i][j] as its base and subscripts; nothing where there is more to it.
std::optional<PointDimension> pointDimension(const StmtP &s);
StmtP insideOf(const StmtP &dimension);
// Whether sizes and counters keep their values in it.
bool isWide(const Type &type);
bool containsInstance(const StmtP &s);
// Whether an integer type of 32 bits or more holds the value.
bool fits(const isl::pw_aff &value, const Type &type, const isl::set &when);
// A part of the expression that may not fit into its 32 bits, as text; or nothing.
std::string lostIn(const ExprP &e, const AffineScope &scope, const isl::set &when);
// Enters a sequential loop; false, with a finding, where it cannot be read.
bool enterLoop(const Stmt &loop, Frame &f, PathItem::Kind kind, int &sites, int &unknowns,
               std::vector<Finding> &findings);
// Whether a loop may end before the last value for which its condition holds.
bool endsEarly(const Stmt &loop, const Frame &f, const isl::pw_aff &counter,
               const isl::pw_aff &first, int &unknowns);
// Adds a condition to the frame; false where it cannot be read.
bool restrictFrame(Frame &f, const ExprP &condition, std::vector<Finding> &findings);
// An integer variable with an affine initial value.
void declareValue(const Stmt &declaration, Frame &f);

class KernelReader {
public:
  KernelReader(const Program &p, const Kernel &kernel, const HostStep &launch, const Frame &host,
               int &sites, int &unknowns, PositionReport &out,
               const HostAlternative *alternative = nullptr)
      : p(p), kernel(kernel), launch(launch), start(host), sites(sites), unknowns(unknowns),
        out(out), alternative(alternative) {}
  void run();

private:
  void threadRanges(Frame &f);
  void requirePositive(const ExprP &product, Frame &f) const;
  void stmt(const StmtP &s, Frame &f);
  void blockOf(const Stmt &s, const Frame &f);
  void loop(const Stmt &s, Frame f);
  bool distributed(const Stmt &s, Frame &f, std::vector<std::string> &consumed, ExprP &first);
  bool takenApart(const Stmt &s, Frame &f);
  static bool movesInThread(const isl::pw_aff &value, const Frame &f);
  bool isOverBlocks(const Stmt &s, const Frame &f) const;
  void loopOverBlocks(const Stmt &s, Frame f);
  void branch(const Stmt &s, const Frame &f);
  void barrier(const Stmt &s, const Frame &f);
  void outsideInstances(const StmtP &s);
  void outsideAssign(const Stmt &s);
  void sharedElements(const ExprP &e, const Frame &f);
  void instance(const StmtP &s, const Frame &f);
  bool isOwn(const std::string &name, const Frame &f) const;
  bool hasPhases() const;
  void declared(const Stmt &s, Frame &f);
  std::vector<Coordinate> coordinatesOf(const Frame &f);
  void leave(const StmtP &s, const Frame &f);
  void take(const StmtP &s, const Frame &f);
  void combination(const StmtP &s, const std::string &variable, const Frame &f);
  void undoCopies(SchedulePosition &position);
  // Windows, see window_reader.cpp.
  void window(const StmtP &s, const Frame &f);
  void undoWindows(SchedulePosition &position, const Frame &f);
  void noteWritten(const StmtP &code, const Frame &f);
  bool isWritten(const std::string &array) const;
  std::string wrongWindow(const Stmt &s) const;
  std::string wrongLoads(const Stmt &s, const std::vector<isl::pw_aff> &origin,
                         const Frame &f) const;
  std::string wrongAlignment(const Stmt &s, const std::vector<isl::pw_aff> &origin,
                             const Frame &f) const;
  static isl::pw_aff constantLike(const isl::pw_aff &x, int64_t value);
  const isl::set &mostThreads();
  void widths(const ExprP &e, const Frame &f);
  // A factor of a product, in the host's terms or the kernel's.
  struct Factor {
    ExprP e;
    bool isHost;
  };
  // A variable that takes a number apart.
  struct Part {
    std::string name;
    ExprP first;
    std::optional<Factor> count;
    Type type;
  };
  bool partsOf(const std::vector<StmtP> &body, size_t &n, ExprP rest, std::vector<Part> &parts,
               std::vector<Factor> &whole) const;
  bool findLastCount(std::vector<Part> &parts, const std::vector<Factor> &whole,
                     const std::vector<Factor> &total) const;
  void enterParts(const std::vector<Part> &parts, PathItem::Kind kind, const std::string &number,
                  Frame &f);
  size_t blocksTakenApart(const std::vector<StmtP> &body, size_t n, Frame &f);
  void splitProduct(const ExprP &product, bool isHost, std::vector<Factor> &out) const;
  std::string textOf(const std::vector<Factor> &product) const;
  void unread(const std::string &what) {
    out.findings.push_back({"positions", kernel.name + ": " + what});
  }
  // Copies; see copied_memory.cpp.
  struct Touched {
    Unset<isl::set> elements;
    std::vector<isl::pw_aff> low, high;
    bool doFit = true;       // subscripts, into 32 bits
    bool hasCorners = false; // the first and the last of all dimensions are among them
  };
  const KernelParameter *bufferOf(const Expr *base) const;
  void bindPosition(const std::string &name, int64_t extent, int64_t step, Frame &f);
  void copy(const Stmt &s, const Frame &f);
  void load(const Stmt &s, const Frame &f);
  bool hasPlaces(const StmtP &body) const;
  std::string wrongSides(const Stmt &s, const Frame &f) const;
  void slotWidths(const ExprP &e, const Frame &f);
  void copiedIn(const Stmt &s, const std::vector<ExprP> &subscripts, const Frame &f);
  void copiedBack(const Stmt &s, const std::vector<ExprP> &subscripts, const Frame &f);
  bool loaded(const std::string &array, const std::vector<isl::pw_aff> &at, const isl::set &when,
              const Frame &f);
  const Touched &touchedOf(const std::string &array);
  static isl::pw_aff lifted(const isl::pw_aff &value, const isl::space &space);
  // Points; see kept_points.cpp.
  bool isRegisterOf(const std::vector<PointDimension> &points, const std::vector<ExprP> &subscripts,
                    const std::vector<int64_t> &extents) const;
  bool enterPoint(const PointDimension &point, Frame &f);
  size_t enterKept(const std::vector<StmtP> &body, Frame &f, std::vector<std::string> &names);
  void checkKept(const KeptPoints &kept, const std::string &name, const Frame &f);
  void checkOwned(const isl::set &when, const Frame &f, const std::string &what);
  bool isKeptElement(const std::string &name, const ExprP &position, const ExprP &element,
                     const Frame &f);
  StmtP unstaged(const StmtP &code, const Frame &f);
  StmtP ofOnePoint(const StmtP &code, SchedulePosition &position, const Frame &f);
  void speculated(const Stmt &s, const isl::set &condition, const Frame &f);
  void nothingElse(const StmtP &body);
  bool dependsOn(const isl::set &s, const std::vector<std::string> &prefixes) const;
  void noteDivergence(Frame &f, const isl::set &condition) const;

  const Program &p;
  const Kernel &kernel;
  const HostStep &launch;
  const Frame &start;
  int &sites, &unknowns;
  PositionReport &out;
  const HostAlternative *alternative; // that this launch belongs to
  Unset<isl::set> launched;           // see mostThreads
  int windows = 0;
  std::map<int, isl::set>
      writtenElements; // by window: its elements that instances certainly write, and when
  std::set<std::string>
      fixed; // parameters and counters: nothing outside instances may change or hide them
  std::set<std::string> assigned;             // variables that change after their declaration
  std::map<std::string, ExprP> arguments;     // values of parameters, in the host's terms
  std::map<std::string, isl::pw_aff> threads; // thread.x and so on
  std::map<std::string, int64_t> sharedExtents;
  std::set<std::string> sharedArrays;
  std::set<std::string> tiles;            // shared arrays that stand for elements of arrays
  std::set<std::string> waiting;          // variables on the way to them
  std::set<std::string> registers;        // variables of threads in which elements wait
  std::set<const Stmt *> unasked;         // conditions of columns that nobody asks, rightly
  std::map<std::string, Touched> touched; // by array
  struct ElementUse {
    std::vector<isl::pw_aff> subscripts;
    isl::set executed;
  };
  std::map<std::string, std::vector<ElementUse>>
      keptUses; // by register: the elements that instances found there
  std::map<std::string, std::vector<std::pair<isl::pw_aff, int>>>
      pointSites; // by counter and value, and by the tile's first: the same position in the tile,
                  // wherever it comes again
  std::set<const Stmt *> understood; // assignments between instances whose role is known
  StmtP read;                        // the kernel's code, as it is read
  std::set<std::string> ofRows; // variables of which each row of threads of a block has its own
  bool inPhases = false; // barriers between parts of its code put the threads of a block in order
  std::set<std::string> reduced; // variables that threads put together
};

} // namespace nw
