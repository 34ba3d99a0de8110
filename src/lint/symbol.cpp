// Symbols: made, printed, computed.
#include "lint/symbol.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw::lint {

namespace {

constexpr int kMostNodes = 400;

SymbolP made(Symbol s) {
  for (const SymbolP &a : s.args) {
    s.differs |= a->differs;
    s.nodes += a->nodes;
  }
  return std::make_shared<const Symbol>(std::move(s));
}

bool isNumber(const SymbolP &s, int64_t value) {
  return s->kind == SymbolKind::Number && s->value == value;
}

std::optional<int64_t> computed(const std::string &op, const std::vector<int64_t> &a) {
  int64_t r = 0;
  if (a.size() == 1) {
    if (op == "-")
      return __builtin_sub_overflow(int64_t(0), a[0], &r) ? std::nullopt : std::optional(r);
    if (op == "!")
      return !a[0];
    if (op == "~")
      return ~a[0];
    if (op == "abs")
      return a[0] < 0 ? -a[0] : a[0];
    return std::nullopt;
  }
  if (a.size() == 3)
    return op == "?:" ? std::optional(a[0] ? a[1] : a[2]) : std::nullopt;
  int64_t x = a[0], y = a[1];
  if (op == "+")
    return __builtin_add_overflow(x, y, &r) ? std::nullopt : std::optional(r);
  if (op == "-")
    return __builtin_sub_overflow(x, y, &r) ? std::nullopt : std::optional(r);
  if (op == "*")
    return __builtin_mul_overflow(x, y, &r) ? std::nullopt : std::optional(r);
  if (op == "/" || op == "%") {
    if (y == 0 || y == -1)
      return y == 0 ? std::nullopt : computed(op == "/" ? "*" : "&", {x, op == "/" ? -1 : 0});
    return op == "/" ? x / y : x % y;
  }
  if (op == "<<" || op == ">>") {
    if (y < 0 || y > 62)
      return std::nullopt;
    return op == ">>" ? std::optional(x >> y) : computed("*", {x, int64_t(1) << y});
  }
  if (op == "&")
    return x & y;
  if (op == "|")
    return x | y;
  if (op == "^")
    return x ^ y;
  if (op == "<")
    return x < y;
  if (op == "<=")
    return x <= y;
  if (op == ">")
    return x > y;
  if (op == ">=")
    return x >= y;
  if (op == "==")
    return x == y;
  if (op == "!=")
    return x != y;
  if (op == "&&")
    return x && y;
  if (op == "||")
    return x || y;
  if (op == "min")
    return std::min(x, y);
  if (op == "max")
    return std::max(x, y);
  return std::nullopt;
}

int strengthOf(const Symbol &s) {
  if (s.kind == SymbolKind::Number)
    return s.value < 0 ? 11 : 12;
  if (s.kind != SymbolKind::Operator)
    return 12;
  if (s.args.size() == 1)
    return s.name == "abs" ? 12 : 11;
  if (s.args.size() == 3)
    return 0;
  static const std::map<std::string, int> strengths = {
      {"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9},    {"<<", 8},  {">>", 8},
      {"<", 7},  {"<=", 7}, {">", 7},  {">=", 7}, {"==", 6},   {"!=", 6},  {"&", 5},
      {"^", 4},  {"|", 3},  {"&&", 2}, {"||", 1}, {"min", 12}, {"max", 12}};
  auto found = strengths.find(s.name);
  return found == strengths.end() ? 12 : found->second;
}

std::string inside(const SymbolP &s, int least) {
  return strengthOf(*s) < least ? "(" + textOf(s) + ")" : textOf(s);
}

const char *const kAxes = "xyz";

// The growth of a symbol, given that of its atoms.
SymbolP growth(const SymbolP &s, const std::function<SymbolP(const SymbolP &)> &ofAtom) {
  if (s->kind != SymbolKind::Operator)
    return ofAtom(s);
  std::vector<SymbolP> grown;
  for (const SymbolP &a : s->args) {
    grown.push_back(growth(a, ofAtom));
    if (!grown.back())
      return nullptr;
  }
  bool isConstant =
      std::all_of(grown.begin(), grown.end(), [](const SymbolP &g) { return isNumber(g, 0); });
  if (isConstant)
    return number(0);
  if (s->name == "-" && grown.size() == 1)
    return applied("-", {grown[0]});
  if (s->name == "+" || s->name == "-")
    return applied(s->name, grown);
  if (s->name == "*" && isNumber(grown[0], 0))
    return applied("*", {s->args[0], grown[1]});
  if (s->name == "*" && isNumber(grown[1], 0))
    return applied("*", {grown[0], s->args[1]});
  if (s->name == "<<" && s->args[1]->kind == SymbolKind::Number && isNumber(grown[1], 0) &&
      s->args[1]->value < 62)
    return applied("*", {grown[0], number(int64_t(1) << s->args[1]->value)});
  return nullptr;
}

void addDeciding(const SymbolP &s, bool isFactor, std::vector<std::string> &names) {
  bool isOpen = s->kind == SymbolKind::Argument || s->kind == SymbolKind::GridSize ||
                (s->kind == SymbolKind::Unknown && !s->differs);
  if (isFactor && isOpen) {
    if (std::string text = textOf(s); std::find(names.begin(), names.end(), text) == names.end())
      names.push_back(text);
    return;
  }
  if (s->kind == SymbolKind::Counter && !s->differs)
    return;
  for (const SymbolP &a : s->args)
    if (isFactor || s->differs)
      addDeciding(a, isFactor || decides(*s, a), names);
}

} // namespace

bool decides(const Symbol &whole, const SymbolP &part) {
  if (!whole.differs || whole.kind != SymbolKind::Operator || whole.name == "+" ||
      whole.name == "-")
    return false;
  // Of a product with what is the same for all: that, and not what is in the sum beside it.
  bool isProduct = whole.name == "*" && !(whole.args[0]->differs && whole.args[1]->differs);
  return !(isProduct && part->differs);
}

SymbolP number(int64_t value) {
  Symbol s;
  s.value = value;
  return made(s);
}

SymbolP index(SymbolKind kind, int axis) {
  Symbol s;
  s.kind = kind;
  s.axis = axis;
  s.differs = kind == SymbolKind::Thread;
  return made(s);
}

SymbolP argument(std::string name) {
  Symbol s;
  s.kind = SymbolKind::Argument;
  s.name = std::move(name);
  return made(s);
}

SymbolP counter(std::string name, int id, SymbolP start) {
  Symbol s;
  s.kind = SymbolKind::Counter;
  s.name = std::move(name);
  s.id = id;
  s.args = {std::move(start)};
  return made(s);
}

SymbolP unknown(std::string name, int id, bool differs) {
  Symbol s;
  s.kind = SymbolKind::Unknown;
  s.name = std::move(name);
  s.id = id;
  s.differs = differs;
  return made(s);
}

SymbolP applied(const std::string &op, std::vector<SymbolP> args) {
  std::vector<int64_t> values;
  for (const SymbolP &a : args)
    if (a->kind == SymbolKind::Number)
      values.push_back(a->value);
  if (values.size() == args.size())
    if (std::optional<int64_t> v = computed(op, values))
      return number(*v);
  if (args.size() == 2) {
    const SymbolP &a = args[0], &b = args[1];
    if ((op == "+" && isNumber(a, 0)) || (op == "*" && isNumber(a, 1)))
      return b;
    if (((op == "+" || op == "-" || op == "<<" || op == ">>") && isNumber(b, 0)) ||
        ((op == "*" || op == "/") && isNumber(b, 1)))
      return a;
    if (op == "*" && (isNumber(a, 0) || isNumber(b, 0)))
      return number(0);
    if (op == "-" && isSame(a, b))
      return number(0);
  }
  if (op == "?:" && (args[0]->kind == SymbolKind::Number || isSame(args[1], args[2])))
    return args[0]->kind == SymbolKind::Number && !args[0]->value ? args[2] : args[1];
  if (op == "!" && args[0]->kind == SymbolKind::Operator && args[0]->name == "!")
    return args[0]->args[0];
  Symbol s;
  s.kind = SymbolKind::Operator;
  s.name = op;
  s.args = std::move(args);
  SymbolP whole = made(std::move(s));
  return whole->nodes > kMostNodes ? unknown("…", -1, whole->differs) : whole;
}

std::string textOf(const SymbolP &s) {
  switch (s->kind) {
  case SymbolKind::Number:
    return fmt::format("{}", s->value);
  case SymbolKind::Thread:
    return fmt::format("threadIdx.{}", kAxes[s->axis]);
  case SymbolKind::Block:
    return fmt::format("blockIdx.{}", kAxes[s->axis]);
  case SymbolKind::BlockSize:
    return fmt::format("blockDim.{}", kAxes[s->axis]);
  case SymbolKind::GridSize:
    return fmt::format("gridDim.{}", kAxes[s->axis]);
  case SymbolKind::Argument:
  case SymbolKind::Counter:
  case SymbolKind::Unknown:
    return s->name;
  case SymbolKind::Operator:
    break;
  }
  int own = strengthOf(*s);
  if (s->args.size() == 3)
    return fmt::format("{} ? {} : {}", inside(s->args[0], 1), inside(s->args[1], 1),
                       inside(s->args[2], 1));
  if (s->args.size() == 1)
    return s->name == "abs" ? fmt::format("abs({})", textOf(s->args[0]))
                            : s->name + inside(s->args[0], own + 1);
  if (own == 12)
    return fmt::format("{}({}, {})", s->name, textOf(s->args[0]), textOf(s->args[1]));
  if (s->name == "+" && s->args[1]->kind == SymbolKind::Number && s->args[1]->value < 0 &&
      s->args[1]->value != INT64_MIN)
    return fmt::format("{} - {}", inside(s->args[0], own), -s->args[1]->value);
  bool isBits = own == 8 || (own >= 3 && own <= 5); // few know how strongly they bind
  return fmt::format("{} {} {}", inside(s->args[0], isBits ? 11 : own), s->name,
                     inside(s->args[1], isBits ? 11 : own + 1));
}

bool isSame(const SymbolP &a, const SymbolP &b) {
  if (a == b)
    return true;
  if (a->kind != b->kind || a->name != b->name || a->value != b->value || a->axis != b->axis ||
      a->id != b->id || a->args.size() != b->args.size() || a->nodes != b->nodes)
    return false;
  if (a->kind == SymbolKind::Unknown && a->id < 0)
    return false;
  for (size_t k = 0; k < a->args.size(); k++)
    if (!isSame(a->args[k], b->args[k]))
      return false;
  return true;
}

bool anyPart(const SymbolP &s, const std::function<bool(const Symbol &)> &condition) {
  return condition(*s) || std::any_of(s->args.begin(), s->args.end(),
                                      [&](const SymbolP &a) { return anyPart(a, condition); });
}

bool dependsOnData(const SymbolP &s) {
  return anyPart(s, [](const Symbol &p) { return p.kind == SymbolKind::Unknown && p.differs; });
}

std::optional<int64_t> valueOf(const SymbolP &s, const Surroundings &around) {
  auto given = [&](const std::string &name) {
    if (around.sizes)
      if (auto found = around.sizes->find(name); found != around.sizes->end())
        return found->second;
    return kAssumedSize;
  };
  switch (s->kind) {
  case SymbolKind::Number:
    return s->value;
  case SymbolKind::Thread:
    return around.thread[size_t(s->axis)];
  case SymbolKind::Block:
    return around.block[size_t(s->axis)];
  case SymbolKind::BlockSize:
    return around.blockSize[size_t(s->axis)];
  case SymbolKind::GridSize:
    return given(textOf(s));
  case SymbolKind::Argument:
    return given(s->name);
  case SymbolKind::Counter:
    if (auto found = around.counters.find(s->id); found != around.counters.end())
      return found->second;
    return valueOf(s->args[0], around);
  case SymbolKind::Unknown:
    return s->differs ? std::nullopt : std::optional(given(s->name));
  case SymbolKind::Operator:
    break;
  }
  // Sides that do not matter need not be known.
  if (s->name == "?:" || s->name == "&&" || s->name == "||") {
    std::optional<int64_t> first = valueOf(s->args[0], around);
    if (s->name == "?:")
      return first ? valueOf(s->args[*first ? 1 : 2], around) : std::nullopt;
    bool decides = s->name == "||";
    if (first && bool(*first) == decides)
      return decides;
    std::optional<int64_t> second = valueOf(s->args[1], around);
    if (second && bool(*second) == decides)
      return decides;
    return first && second ? std::optional<int64_t>(!decides) : std::nullopt;
  }
  std::vector<int64_t> values;
  for (const SymbolP &a : s->args) {
    std::optional<int64_t> v = valueOf(a, around);
    if (!v)
      return std::nullopt;
    values.push_back(*v);
  }
  return computed(s->name, values);
}

SymbolP growthAlong(const SymbolP &s, int axis) {
  return growth(s, [axis](const SymbolP &atom) -> SymbolP {
    if (atom->kind == SymbolKind::Counter)
      return growthAlong(atom->args[0], axis);
    if (atom->kind == SymbolKind::Unknown && atom->differs)
      return nullptr;
    return number(atom->kind == SymbolKind::Thread && atom->axis == axis);
  });
}

SymbolP growthWith(const SymbolP &s, int counter) {
  return growth(s, [counter](const SymbolP &atom) -> SymbolP {
    if (atom->kind == SymbolKind::Unknown && atom->differs)
      return nullptr;
    return number(atom->kind == SymbolKind::Counter && atom->id == counter);
  });
}

std::vector<std::string> decidingNames(const SymbolP &s) {
  std::vector<std::string> names;
  addDeciding(s, false, names);
  return names;
}

} // namespace nw::lint
