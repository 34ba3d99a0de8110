// One thread followed through a kernel: the class behind traceOf. Variables are replaced by what
// they were set to, branches are put together, and loops are gone through until it is known which
// of their variables go on by the same for all threads.
#pragma once
#include "lint/trace.h"
#include <set>

namespace nw::lint {

using written::Kind;
using written::Node;
using written::NodeP;

// What an expression is: a number, or the address that a pointer points at, or neither.
struct Value {
  SymbolP symbol;
  std::optional<Address> pointer;
};

using Variables = std::map<int, Value>;

inline constexpr int kDeepestCall = 6, kDeepestLoop = 8;

class Tracer {
public:
  explicit Tracer(const written::Kernel &kernel) : kernel(kernel) {}
  Trace run();

private:
  const written::Variable &variable(int v) const { return kernel.variables[size_t(v)]; }
  SymbolP fresh(const std::string &name, bool differs) { return unknown(name, ++ids, differs); }
  Value argumentValue(int v) const;

  // ---- statements
  void run(const NodeP &n);
  static bool hasWork(const NodeP &n);
  void branch(const NodeP &n);
  void note(const SymbolP &condition, const NodeP &n, bool works);
  // Afterwards `mine` is what holds where both come together.
  void merge(const SymbolP &condition, Variables &mine, const Variables &others);
  Value chosen(const SymbolP &condition, const Value &a, const Value &b, const std::string &name);

  // ---- loops
  static void assigned(const NodeP &n, const written::Kernel &kernel, std::set<int> &all,
                       std::set<int> &functions);
  // Whether it is `from` and something that is the same for all threads.
  static bool goesOnTogether(const SymbolP &next, const SymbolP &from);
  void iteration(const NodeP &n, LoopFacts &facts);
  void loop(const NodeP &n);

  // ---- values
  SymbolP symbolOf(const Value &v) { return v.symbol ? v.symbol : fresh("data", true); }
  std::pair<Location, int> addressed(const NodeP &n) const;
  void touch(const Address &p, Touch how, const Node &n, int64_t bytes, const std::string &type);
  Address shifted(Address p, const SymbolP &by, int64_t bytes);
  // The address that a node of an address stands for; its operands are evaluated.
  std::optional<Address> address(const NodeP &n);
  // The address once more, without what its operands do.
  std::optional<Address> addressAgain(const NodeP &n);
  Value loaded(const NodeP &n);
  void store(const NodeP &to, const std::optional<Address> &p, const Value &what);
  Value assign(const NodeP &n);
  Value combined(const std::string &op, const Value &a, const Value &b);
  Value value(const NodeP &n);
  // A pointer to elements of another size.
  static Address recast(Address p, int64_t bytes, const std::string &type);
  Value operatorValue(const NodeP &n);
  Value call(const NodeP &n);
  Value inlined(const NodeP &n, const std::vector<Value> &given);

  const written::Kernel &kernel;
  Trace out;
  Variables variables;
  std::vector<SymbolP> guards;
  std::vector<int> loops;
  Value returned;
  std::pair<Location, int> callAt = {{}, 1};
  int ids = 0, order = 0, depth = 0, depthOfSilence = 0, returns = 0;
  bool isSilent = false, isOver = false, isReturn = false, leaves = false;
};

} // namespace nw::lint
