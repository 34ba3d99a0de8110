// Indices to loops. All values of indices are below 2^31, which is checked at each launch: in every
// integer type of 32 bits or more they are the same.
#include "frontend/cuda/thread_loops.h"
#include "frontend/cuda/counted_whiles.h"
#include "frontend/cuda/own_values.h"
#include "support/diagnostics.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace nw {

namespace {

constexpr const char *kAxes[] = {"x", "y", "z"};

bool isWide(const Type &t) { return t.isInteger() && bitsOf(t.scalar) >= 32; }

// The index below conversions that do not change it, or the expression itself.
const ExprP &stripped(const ExprP &e) {
  return e->kind == ExprKind::Cast && isWide(e->type) && isWide(e->args[0]->type)
             ? stripped(e->args[0])
             : e;
}

bool isIndexVar(const ExprP &e, const std::string &name) {
  return stripped(e)->kind == ExprKind::Var && stripped(e)->name == name;
}

bool isProduct(const ExprP &e, const std::string &a, const std::string &b) {
  const ExprP &p = stripped(e);
  return p->kind == ExprKind::Binary && p->name == "*" &&
         ((isIndexVar(p->args[0], a) && isIndexVar(p->args[1], b)) ||
          (isIndexVar(p->args[0], b) && isIndexVar(p->args[1], a)));
}

// The factor of name * NUMBER.
int64_t factorOf(const ExprP &e, const std::string &name) {
  const ExprP &p = stripped(e);
  if (p->kind == ExprKind::Binary && p->name == "*")
    for (int k = 0; k < 2; k++)
      if (isIndexVar(p->args[k], name) && stripped(p->args[1 - k])->kind == ExprKind::Int)
        return stripped(p->args[1 - k])->integer;
  return 0;
}

void collectTerms(const ExprP &e, std::vector<ExprP> &terms) {
  if (e->kind == ExprKind::Binary && e->name == "+" && isWide(e->type)) {
    collectTerms(e->args[0], terms);
    collectTerms(e->args[1], terms);
  } else {
    terms.push_back(e);
  }
}

// An index as a value of a type: indices are kept as int.
ExprP indexValue(const std::string &name, const Type &type) { return cast(var(name, kI32), type); }

class Axis {
public:
  Axis(int number, int64_t known) : letter(kAxes[number]), known(known) {}

  std::string thread() const { return "threadIdx." + letter; }
  std::string block() const { return "blockIdx." + letter; }
  std::string blockSize() const { return "blockDim." + letter; }
  std::string gridSize() const { return "gridDim." + letter; }
  std::string all() const { return "index." + letter; }       // blockIdx * blockDim + threadIdx
  std::string threads() const { return "threads." + letter; } // gridDim * blockDim

  // Sums and products that mean the number of a thread among all, or the number of all.
  ExprP recognise(const ExprP &e) {
    if (isProduct(e, blockSize(), gridSize()) && e->kind == ExprKind::Binary)
      return indexValue(threads(), e->type);
    if (e->kind != ExprKind::Binary || e->name != "+" || !isWide(e->type))
      return e;
    std::vector<ExprP> terms;
    collectTerms(e, terms);
    auto own = std::find_if(terms.begin(), terms.end(),
                            [&](const ExprP &t) { return isIndexVar(t, thread()); });
    auto before = std::find_if(terms.begin(), terms.end(), [&](const ExprP &t) {
      return isProduct(t, block(), blockSize()) || isConstantProduct(t);
    });
    if (own == terms.end() || before == terms.end())
      return e;
    if (!isProduct(*before, block(), blockSize())) {
      assumed = true;
      known = factorOf(*before, block());
    }
    ExprP sum;
    for (auto t = terms.begin(); t != terms.end(); t++) {
      ExprP term = t == own      ? nullptr
                   : t == before ? indexValue(all(), e->type)
                                 : cast(*t, e->type);
      if (term)
        sum = sum ? binary("+", sum, term, e->type) : term;
    }
    return sum;
  }

  const std::string letter;
  int64_t known; // threads of a block, where launches, annotations or the kernel's own numbers
                 // tell; 0 where they do not
  bool assumed = false; // whether a number of the kernel's stands for it

private:
  bool isConstantProduct(const ExprP &e) const {
    constexpr int64_t kLargestBlock = 1024;
    int64_t factor = factorOf(e, block());
    return factor >= 1 && factor <= kLargestBlock && (!known || known == factor);
  }
};

class Maker {
public:
  Maker(const std::array<int64_t, 3> &blockSizes,
        const std::vector<std::pair<std::string, ExprP>> &names,
        std::map<std::string, Variable> &variables, Location kernel)
      : names(names), variables(variables), kernel(kernel) {
    for (int k = 0; k < 3; k++)
      axes.emplace_back(k, blockSizes[k]);
  }

  ThreadLoops run(const StmtP &body) {
    made.tree = withCountedWhiles(recognised(body));
    count(made.tree);
    for (int k = 0; k < 3; k++) // from the inside out
      axis(axes[k], made.axes[k]);
    made.tree = declaredAnew(made.tree, anew);
    made.tree = rewriteExprs(made.tree, [&](const ExprP &e) -> ExprP {
      if (e->kind == ExprKind::Var)
        if (auto r = replaced.find(e->name); r != replaced.end())
          return at(cast(r->second, e->type), e->at);
      if (e->kind == ExprKind::Cast && isWide(e->type) && isIndex(stripped(e)))
        return cast(stripped(e), e->type);
      return e;
    });
    for (auto &[counter, bound] : loops) {
      auto loop = std::make_shared<Stmt>();
      loop->kind = StmtKind::For;
      loop->at = kernel;
      loop->loop.counter = counter;
      loop->loop.type = kI32;
      loop->loop.start = intConst(0, kI32);
      loop->loop.condition = binary("<", var(counter, kI32), bound, kI32);
      loop->loop.promise = Promise::Independent; // no thread waits for another: what two of them
                                                 // touch, neither writes
      loop->body = {made.tree};
      made.tree = loop;
    }
    return made;
  }

private:
  ExprP recognised(const ExprP &e) {
    return rewrite(e, [&](const ExprP &x) {
      ExprP now = x;
      for (Axis &a : axes)
        now = a.recognise(now);
      return now;
    });
  }

  StmtP recognised(const StmtP &s) {
    return rewriteExprs(s, [&](const ExprP &x) {
      ExprP now = x;
      for (Axis &a : axes)
        now = a.recognise(now);
      return now;
    });
  }

  // Whether it is a number of ours, of a thread, a block or a launch.
  bool isIndex(const ExprP &e) const { return e->kind == ExprKind::Var && ours.count(e->name); }

  // How often the variables of indices are used, but for the headers of loops that go on by as many
  // as there are. `around` has where such loops around this code begin.
  void count(const StmtP &s, std::set<std::string> around = {}) {
    auto see = [&](const ExprP &e) {
      if (e)
        walk(e, [&](const ExprP &x) {
          if (x->kind == ExprKind::Var)
            uses[x->name]++;
          return true;
        });
    };
    if (s->kind == StmtKind::For) {
      bool isOurs = false;
      if (s->loop.stride)
        for (Axis &a : axes)
          for (auto &[start, stride] :
               {std::pair(a.all(), a.threads()), std::pair(a.thread(), a.blockSize()),
                std::pair(a.block(), a.gridSize())})
            if (isIndexVar(s->loop.start, start) && isIndexVar(s->loop.stride, stride)) {
              strides[start]++;
              isOurs = true;
              if (!around.insert(start).second)
                throw Diagnostic{
                    "NW0110", Severity::Remark, s->at,
                    fmt::format("a grid-stride loop along {} is nested in another along the same "
                                "axis: a thread gets some pairs of their values, not all",
                                a.letter),
                    "let each thread run one of the two loops over all values"};
              for (const std::string &name : setAnew(s, made.tree, variables))
                anew.insert(name);
            }
      if (!isOurs) {
        see(s->loop.start);
        see(s->loop.stride);
        if (s->loop.stride)
          throw Diagnostic{
              "NW0110", Severity::Remark, s->at,
              "the step of this for loop is not a constant, and the loop is not a grid-stride loop "
              "that begins at the thread's index",
              "write it as for (int i = start; i < end; i += step), or as for (int i = blockIdx.x "
              "* blockDim.x + threadIdx.x; i < end; i += blockDim.x * gridDim.x)"};
      } else if (!where.line) {
        where = s->at;
      }
      see(s->loop.condition);
    }
    for (const ExprP &e : s->exprs)
      see(e);
    for (const StmtP &b : s->body)
      count(b, around);
  }

  // The name that the user gave an index, or else this one.
  std::string counterFor(const std::string &index, const std::string &wish) {
    std::string found;
    for (auto &[name, value] : names)
      if (found.empty() && isIndexVar(recognised(value), index) && !variables.count(name))
        found = name;
    return add(found.empty() ? wish : found, false).name;
  }

  const Variable &add(const std::string &wish, bool isParameter) {
    std::string name = wish;
    for (int k = 2; variables.count(name); k++)
      name = fmt::format("{}_{}", wish, k);
    Variable v;
    v.name = v.spelling = name;
    v.type = kI32;
    v.inside = !isParameter;
    v.liveAfter = false;
    v.addressKnown = false;
    v.storage = isParameter ? Storage::Parameter : Storage::Local;
    if (isParameter)
      made.parameters.push_back(v);
    ours.insert(name);
    return variables[name] = v;
  }

  std::string parameter(std::string &name, const std::string &wish) {
    if (name.empty())
      name = add(wish, true).name;
    return name;
  }

  // Loops that go on by as many as there are become loops over the whole range.
  void takeWhole(const std::string &start) {
    std::function<StmtP(const StmtP &)> change = [&](const StmtP &s) -> StmtP {
      auto copy = std::make_shared<Stmt>(*s);
      for (StmtP &b : copy->body)
        b = change(b);
      if (s->kind == StmtKind::For && s->loop.stride && isIndexVar(s->loop.start, start)) {
        copy->loop.start = intConst(0, s->loop.type);
        copy->loop.stride = nullptr;
        copy->loop.step = 1;
      }
      return copy;
    };
    made.tree = change(made.tree);
  }

  [[noreturn]] void refuseMixed(const Axis &a) {
    throw Diagnostic{
        "NW0110", Severity::Remark, where,
        fmt::format(
            "the kernel has a grid-stride loop along {} and also uses the thread's index directly",
            a.letter),
        "use one of the two: a loop over all elements, or one element for each thread"};
  }

  void axis(Axis &a, GridAxis &g) {
    int whole = uses[a.all()], own = uses[a.thread()], blocks = uses[a.block()];
    if (strides[a.all()] && (whole || own || blocks || strides[a.thread()] || strides[a.block()]))
      refuseMixed(a);
    if ((strides[a.thread()] && (whole || own)) || (strides[a.block()] && (whole || blocks)))
      refuseMixed(a);
    if (strides[a.all()])
      takeWhole(a.all()); // as many threads as one likes
    else if (whole && !own && !blocks)
      threadsOf(a, g);
    else
      partsOf(a, g, whole, own, blocks);
    if (uses[a.threads()])
      replaced[a.threads()] = var(parameter(g.threads, "threads_" + a.letter), kI32);
    if (uses[a.gridSize()])
      replaced[a.gridSize()] = var(parameter(g.grid, "grid_" + a.letter), kI32);
    if (uses[a.blockSize()] && !replaced.count(a.blockSize()))
      replaced[a.blockSize()] = var(parameter(g.block, "block_" + a.letter), kI32);
  }

  // One loop over all threads.
  void threadsOf(Axis &a, GridAxis &g) {
    std::string counter = counterFor(a.all(), a.letter);
    loops.push_back({counter, var(parameter(g.threads, "threads_" + a.letter), kI32)});
    replaced[a.all()] = var(counter, kI32);
    if (a.assumed)
      g.blockSize = a.known;
  }

  // A loop over blocks and one over the threads of a block, as far as there are uses of them.
  void partsOf(Axis &a, GridAxis &g, int whole, int own, int blocks) {
    ExprP size;
    if (a.known && (whole || uses[a.blockSize()])) {
      g.blockSize = a.known;
      size = intConst(a.known, kI32);
      replaced[a.blockSize()] = size;
    }
    std::string inner, outer;
    if (own || whole) {
      inner = counterFor(a.thread(), "t" + a.letter);
      loops.push_back({inner, size ? size : var(parameter(g.block, "block_" + a.letter), kI32)});
      replaced[a.thread()] = var(inner, kI32);
    } else if (strides[a.thread()])
      takeWhole(a.thread());
    else
      g.isOneThread = true;
    if (blocks || whole) {
      outer = counterFor(a.block(), "b" + a.letter);
      loops.push_back({outer, var(parameter(g.grid, "grid_" + a.letter), kI32)});
      replaced[a.block()] = var(outer, kI32);
    } else if (strides[a.block()])
      takeWhole(a.block());
    else
      g.isOneBlock = true;
    if (whole)
      replaced[a.all()] =
          binary("+",
                 binary("*", var(outer, kI32),
                        size ? size : var(parameter(g.block, "block_" + a.letter), kI32), kI32),
                 var(inner, kI32), kI32);
  }

  const std::vector<std::pair<std::string, ExprP>> &names;
  std::map<std::string, Variable> &variables;
  std::vector<Axis> axes;
  ThreadLoops made;
  std::map<std::string, int> uses, strides;
  std::map<std::string, ExprP> replaced;
  std::vector<std::pair<std::string, ExprP>> loops; // counters and bounds, innermost first
  std::set<std::string> ours;
  std::set<std::string> anew; // variables that iterations of such loops set anew
  Location kernel, where;     // of a loop that goes on by as many as there are
};

} // namespace

ThreadLoops threadLoops(const StmtP &body, const std::array<int64_t, 3> &blockSizes,
                        const std::vector<std::pair<std::string, ExprP>> &names,
                        std::map<std::string, Variable> &variables, Location kernel) {
  return Maker(blockSizes, names, variables, kernel).run(body);
}

} // namespace nw
