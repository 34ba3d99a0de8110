// Plans as JSON.
#include "plan/plan.h"
#include "support/diagnostics.h"
#include <climits>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nw {

using nlohmann::ordered_json;

static const char *nameOf(LaunchForm f) { return f == LaunchForm::Plain ? "plain" : "resident"; }

static ordered_json tilesOf(const std::vector<TilePlan> &tiles) {
  ordered_json all = ordered_json::array();
  for (const TilePlan &t : tiles) {
    ordered_json staged = ordered_json::array();
    for (const StagedArray &a : t.staged) {
      staged.push_back({{"array", a.array}, {"padding", a.padding}});
      if (a.swizzle)
        staged.back()["swizzle"] = a.swizzle;
    }
    all.push_back({{"grid", t.grid},
                   {"block", t.block},
                   {"points", t.points},
                   {"run", t.run},
                   {"strip", t.strip},
                   {"length", t.length},
                   {"buffers", t.buffers},
                   {"ahead", t.ahead},
                   {"async", t.async},
                   {"vectors", t.vectors},
                   {"inside", t.inside},
                   {"staged", staged},
                   {"together", t.together},
                   {"least", t.least}});
  }
  return all;
}

static ordered_json arraysJson(const std::vector<ArrayPlan> &arrays) {
  ordered_json all = ordered_json::array();
  for (const ArrayPlan &a : arrays)
    all.push_back({{"name", a.name}, {"space", nameOf(a.space)}, {"why", a.why}});
  return all;
}

std::string toJson(const std::vector<Plan> &plans) {
  ordered_json all = ordered_json::array();
  for (const Plan &p : plans) {
    ordered_json one;
    one["function"] = p.function;
    one["region"] = p.region;
    one["schedule"] = p.schedule;
    one["kernels"] = ordered_json::array();
    for (const KernelPlan &k : p.kernels) {
      ordered_json kernel = {{"name", k.name}, {"kind", k.kind},   {"statements", k.statements},
                             {"grid", k.grid}, {"block", k.block}, {"points", k.points}};
      if (k.vectors) {
        kernel["vectors"] = k.vectors;
        kernel["vectorsFrom"] = k.vectorsFrom;
      }
      if (!k.windows.empty()) {
        kernel["windows"] = k.windows;
        kernel["windowsFrom"] = k.windowsFrom;
      }
      if (k.frame)
        kernel["frame"] = k.frame;
      kernel["tiles"] = tilesOf(k.tiles);
      kernel["arrays"] = arraysJson(k.arrays);
      if (k.spread)
        kernel["spread"] = {{"loop", k.spread->loop},
                            {"axis", k.spread->axis == 0 ? "x" : "y"},
                            {"block", k.spread->block},
                            {"from", k.spread->from}};
      if (k.spread && k.spread->lines)
        kernel["spread"]["lines"] = true;
      if (k.join)
        kernel["join"] = {{"with", k.join->with},       {"block", k.join->block},
                          {"columns", k.join->columns}, {"rows", k.join->rows},
                          {"blocks", k.join->blocks},   {"from", k.join->from}};
      kernel["why"] = k.why;
      one["kernels"].push_back(kernel);
    }
    one["loops"] = ordered_json::array();
    for (const LoopPlan &l : p.loops)
      one["loops"].push_back({{"loop", l.loop}, {"form", nameOf(l.form)}, {"why", l.why}});
    one["expanded"] = p.expanded;
    one["reductionBlocks"] = p.reductionBlocks;
    all.push_back(one);
  }
  return all.dump(2) + "\n";
}

namespace {

[[noreturn]] void refuse(const std::string &what) {
  throw UserError{"the plan is not valid: " + what};
}

// One object of the file: its fields are read by name, and by none that is not known. `where` is
// for messages.
class Object {
public:
  Object(const ordered_json &value, std::string where, const std::set<std::string> &known)
      : value(value), where(std::move(where)) {
    if (!value.is_object())
      refuse(fmt::format("{} is no object", this->where));
    for (auto &[name, ignored] : value.items())
      if (!known.count(name))
        refuse(fmt::format("{} has an unknown field '{}'", this->where, name.substr(0, kShown)));
  }

  std::string text(const char *name) const { return textOf(field(name), name); }
  std::string text(const char *name, const std::string &otherwise) const {
    return value.contains(name) ? text(name) : otherwise;
  }
  int integer(const char *name) const { return integerOf(field(name), name); }
  int integer(const char *name, int otherwise) const {
    return value.contains(name) ? integer(name) : otherwise;
  }
  bool truth(const char *name, bool otherwise) const {
    if (value.contains(name) && !value[name].is_boolean())
      refuse(fmt::format("'{}' of {} is neither true nor false", name, where));
    return value.contains(name) ? value[name].get<bool>() : otherwise;
  }

  const ordered_json &list(const char *name) const {
    const ordered_json &f = field(name);
    if (!f.is_array())
      refuse(fmt::format("'{}' of {} is no list", name, where));
    return f;
  }
  std::vector<std::string> texts(const char *name) const {
    std::vector<std::string> all;
    for (const ordered_json &one : list(name))
      all.push_back(textOf(one, name));
    return all;
  }
  std::vector<int> integers(const char *name) const {
    std::vector<int> all;
    for (const ordered_json &one : list(name))
      all.push_back(integerOf(one, name));
    return all;
  }
  bool has(const char *name) const { return value.contains(name); }
  const ordered_json &object(const char *name) const { return field(name); }

private:
  static constexpr size_t kShown = 60;

  const ordered_json &field(const char *name) const {
    auto found = value.find(name);
    if (found == value.end())
      refuse(fmt::format("{} has no field '{}'", where, name));
    return *found;
  }
  std::string textOf(const ordered_json &v, const char *name) const {
    if (!v.is_string())
      refuse(fmt::format("'{}' of {} is no text", name, where));
    return v.get<std::string>();
  }
  int integerOf(const ordered_json &v, const char *name) const {
    if (!v.is_number_integer())
      refuse(fmt::format("'{}' of {} is no integer", name, where));
    bool fits = v.is_number_unsigned() ? v.get<uint64_t>() <= uint64_t(INT_MAX)
                                       : v.get<int64_t>() >= INT_MIN && v.get<int64_t>() <= INT_MAX;
    if (!fits)
      refuse(fmt::format("'{}' of {} is out of range", name, where));
    return v.get<int>();
  }

  const ordered_json &value;
  std::string where;
};

// A first look at the text, for what the parser lets pass: a field that is given twice, and nesting
// that no plan has.
class Shape : public nlohmann::json_sax<ordered_json> {
public:
  bool start_object(size_t) override {
    open();
    fields.emplace_back();
    return true;
  }
  bool end_object() override {
    fields.pop_back();
    return close();
  }
  bool start_array(size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool key(std::string &name) override {
    if (!fields.back().insert(name).second)
      refuse(fmt::format("the field '{}' is given twice", name.substr(0, 60)));
    return true;
  }
  bool parse_error(size_t, const std::string &, const nlohmann::json::exception &e) override {
    constexpr size_t kLongest = 300; // the message may quote the file
    refuse(std::string(e.what()).substr(0, kLongest));
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(int64_t) override { return true; }
  bool number_unsigned(uint64_t) override { return true; }
  bool number_float(double, const std::string &) override { return true; }
  bool string(std::string &) override { return true; }
  bool binary(ordered_json::binary_t &) override { return true; }

private:
  bool open() {
    constexpr int kDeepest = 16;
    if (++depth > kDeepest)
      refuse("it is nested too deeply");
    return true;
  }
  bool close() {
    depth--;
    return true;
  }

  int depth = 0;
  std::vector<std::set<std::string>> fields; // of the objects that are open
};

LaunchForm formOf(const std::string &word) {
  if (word == "plain")
    return LaunchForm::Plain;
  if (word == "resident")
    return LaunchForm::Resident;
  refuse(fmt::format("unknown launch form '{}'; expected plain or resident", word.substr(0, 60)));
}

TilePlan tileOf(const ordered_json &value, const std::string &where) {
  Object one(value, where,
             {"grid", "block", "points", "run", "strip", "length", "buffers", "ahead", "async",
              "vectors", "inside", "staged", "together", "least"});
  TilePlan t;
  t.grid = one.texts("grid");
  t.block = one.integers("block");
  t.points = one.integers("points");
  t.run = one.integers("run");
  t.strip = one.text("strip", "");
  t.length = one.integer("length", 0);
  t.buffers = one.integer("buffers", 1);
  t.ahead = one.integer("ahead", 0);
  t.async = one.integer("async", 0);
  t.inside = one.integer("inside", 0);
  t.vectors = one.integer("vectors", 0);
  for (const ordered_json &inner : one.list("staged")) {
    Object a(inner, "a staged array of " + where, {"array", "padding", "swizzle"});
    t.staged.push_back({a.text("array"), a.integer("padding", 0), a.integer("swizzle", 0)});
  }
  t.together = one.integer("together", 1);
  t.least = one.integer("least", 0);
  return t;
}

ArrayPlan arrayOf(const ordered_json &value, const std::string &where) {
  Object one(value, where, {"name", "space", "why"});
  ArrayPlan a;
  a.name = one.text("name");
  std::string word = one.text("space");
  std::optional<MemorySpace> space = memorySpaceOf(word);
  if (!space)
    refuse(fmt::format("unknown space '{}' in {}; expected global, read-only or constant",
                       word.substr(0, 60), where));
  a.space = *space;
  a.why = one.text("why", "");
  return a;
}

SpreadPlan spreadOf(const ordered_json &value, const std::string &where) {
  Object s(value, where, {"loop", "axis", "block", "from", "lines"});
  std::string axis = s.text("axis");
  if (axis != "x" && axis != "y")
    refuse(fmt::format("unknown axis '{}' in {}; expected x or y", axis.substr(0, 60), where));
  return {s.text("loop"), axis == "x" ? 0 : 1, s.integers("block"), s.integer("from"),
          s.truth("lines", false)};
}

JoinPlan joinOf(const ordered_json &value, const std::string &where) {
  Object j(value, where, {"with", "block", "columns", "rows", "blocks", "from"});
  return {j.text("with"),    j.integer("block"),  j.integer("columns"),
          j.integer("rows"), j.integer("blocks"), j.integers("from")};
}

Plan planOf(const ordered_json &value, size_t number) {
  std::string where = fmt::format("entry {}", number);
  Object one(value, where,
             {"function", "region", "schedule", "kernels", "loops", "expanded", "reductionBlocks"});
  Plan p;
  p.function = one.text("function");
  p.region = one.integer("region");
  p.schedule = one.text("schedule");
  for (const ordered_json &inner : one.list("kernels")) {
    Object k(inner, fmt::format("kernel {} of {}", p.kernels.size(), where),
             {"name", "kind", "statements", "grid", "block", "points", "vectors", "vectorsFrom",
              "windows", "windowsFrom", "frame", "tiles", "arrays", "spread", "join", "why"});
    KernelPlan kernel;
    kernel.name = k.text("name");
    kernel.kind = k.text("kind", "");
    kernel.statements = k.texts("statements");
    kernel.grid = k.texts("grid");
    kernel.block = k.integers("block");
    if (k.has("points"))
      kernel.points = k.integers("points");
    kernel.vectors = k.integer("vectors", 0);
    kernel.vectorsFrom = k.integer("vectorsFrom", 1);
    kernel.frame = k.integer("frame", 0);
    if (k.has("windows"))
      kernel.windows = k.integers("windows");
    kernel.windowsFrom = k.integer("windowsFrom", 1);
    if (k.has("tiles"))
      for (const ordered_json &tile : k.list("tiles"))
        kernel.tiles.push_back(
            tileOf(tile, fmt::format("form {} of kernel {} of {}", kernel.tiles.size(),
                                     p.kernels.size(), where)));
    if (k.has("arrays"))
      for (const ordered_json &array : k.list("arrays"))
        kernel.arrays.push_back(
            arrayOf(array, fmt::format("array {} of kernel {} of {}", kernel.arrays.size(),
                                       p.kernels.size(), where)));
    if (k.has("spread"))
      kernel.spread = spreadOf(k.object("spread"),
                               fmt::format("'spread' of kernel {} of {}", p.kernels.size(), where));
    if (k.has("join"))
      kernel.join = joinOf(k.object("join"),
                           fmt::format("'join' of kernel {} of {}", p.kernels.size(), where));
    kernel.why = k.text("why", "");
    p.kernels.push_back(kernel);
  }
  for (const ordered_json &inner : one.list("loops")) {
    Object l(inner, fmt::format("loop {} of {}", p.loops.size(), where), {"loop", "form", "why"});
    p.loops.push_back({l.text("loop"), formOf(l.text("form")), l.text("why", "")});
  }
  if (one.has("expanded"))
    p.expanded = one.texts("expanded");
  p.reductionBlocks = one.integer("reductionBlocks", Plan{}.reductionBlocks);
  return p;
}

} // namespace

std::vector<Plan> fromJson(const std::string &text) {
  if (text.size() > kLargestPlan)
    refuse(fmt::format("it is larger than {} MiB", kLargestPlan >> 20));
  Shape shape;
  ordered_json::sax_parse(text, &shape);
  ordered_json all = ordered_json::parse(text);
  if (!all.is_array())
    refuse("it is no list");
  std::vector<Plan> plans;
  std::set<std::pair<std::string, int>> seen;
  for (const ordered_json &one : all) {
    plans.push_back(planOf(one, plans.size()));
    if (!seen.emplace(plans.back().function, plans.back().region).second)
      refuse(fmt::format("there are two entries for region {} of {}", plans.back().region,
                         plans.back().function));
  }
  return plans;
}

} // namespace nw
