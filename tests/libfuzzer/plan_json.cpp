// Any bytes as a plan: they are read, held against a fixed program, and lowered where they fit. A
// UserError is the only way to say no.
#include "../unit/build.h"
#include "frontend/affine/build_program.h"
#include "lower/lower.h"
#include "plan/planner.h"
#include "poly/privatize.h"
#include "poly/schedule.h"
#include <nlohmann/json.hpp>
#include <random>

using namespace nw;
using namespace nw::testing;
using nlohmann::ordered_json;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

// Two sweeps in a time loop, a matrix kernel with a choice of dimensions, and a sum: every kind of
// step.
Region sampleRegion() {
  Region r;
  r.function = "f";
  ExprP n = v("n");
  auto element = [](const char *name, std::vector<ExprP> at) {
    return nw::testing::at(name, std::move(at), kF32);
  };
  r.body = {
      loop("t", i32(0), v("steps"),
           {loop("i", i32(1), n,
                 {assign(element("b", {v("i")}), op("+", element("a", {v("i")}),
                                                    element("a", {op("-", v("i"), i32(1))})))}),
            loop("j", i32(1), n, {assign(element("a", {v("j")}), element("b", {v("j")}))})}),
      loop("k", i32(0), n,
           {loop("l", i32(0), n,
                 {assign(element("m", {v("k"), v("l")}),
                         op("*", element("a", {v("k")}), element("b", {v("l")})))})}),
      loop("q", i32(0), n,
           {assign(element("s", {i32(0)}),
                   op("+", element("s", {i32(0)}), element("a", {v("q")})))}),
  };
  for (const Variable &x : {scalar("n"), scalar("steps"), pointer("a", kF32), pointer("b", kF32),
                            pointer("m", kF32, {n}), pointer("s", kF32)})
    r.variables[x.name] = x;
  for (const char *counter : {"t", "i", "j", "k", "l", "q"}) {
    Variable x = scalar(counter);
    x.inside = true;
    r.variables[counter] = x;
  }
  return r;
}

struct Sample {
  Program program;
  Dependences dependences;
  Schedule steps;
  DeviceSpec device = commonDevice();
  RegionFacts facts;
  Plan proposed;

  Sample() {
    Program plain = buildProgram(sampleRegion());
    program = privatize(plain);
    dependences = computeDependences(program);
    steps = schedule(program, dependences, true);
    facts = factsOf(program, steps, device);
    proposed = propose(program, steps, facts, device);
    lower(program, dependences, steps, proposed, device);
  }
};

const Sample &sample() {
  static const Sample *made = new Sample;
  return *made;
}

// Plans of this kind lead to the same code: lowering one of them is enough.
std::string decisionsOf(const Plan &p) {
  Plan bare = p;
  for (KernelPlan &k : bare.kernels)
    k.why.clear();
  for (LoopPlan &l : bare.loops)
    l.why.clear();
  return toJson({bare});
}

void collect(ordered_json &value, std::vector<ordered_json *> &all) {
  all.push_back(&value);
  if (value.is_structured())
    for (auto &inner : value)
      collect(inner, all);
}

ordered_json oddValue(std::mt19937 &random) {
  switch (random() % 16) {
  case 0:
    return 0;
  case 1:
    return -1;
  case 2:
    return 1;
  case 3:
    return 1024;
  case 4:
    return 2147483648ll;
  case 5:
    return INT64_MIN;
  case 6:
    return UINT64_MAX;
  case 7:
    return 1e300;
  case 8:
    return 0.5;
  case 9:
    return nullptr;
  case 10:
    return true;
  case 11:
    return "";
  case 12:
    return "resident";
  case 13:
    return ordered_json::array();
  case 14:
    return ordered_json::object();
  default:
    return 1 << random() % 18;
  }
}

void mutate(ordered_json &plan, std::mt19937 &random) {
  std::vector<ordered_json *> all;
  collect(plan, all);
  ordered_json &one = *all[random() % all.size()];
  ordered_json &other = *all[random() % all.size()];
  switch (random() % 6) {
  case 0:
    one = oddValue(random);
    return;
  case 1:
    if (one.is_array() && !one.empty())
      one.erase(random() % one.size());
    return;
  case 2:
    if (one.is_array())
      one.push_back(one.empty() ? oddValue(random) : ordered_json(one[random() % one.size()]));
    return;
  case 3:
    if (one.is_object() && !one.empty())
      one.erase(std::next(one.begin(), random() % one.size()));
    return;
  case 4:
    if (one.is_array() && one.size() > 1)
      std::swap(one[random() % one.size()], one[random() % one.size()]);
    return;
  default:
    if (all.size() < 500)
      one = ordered_json(other);
  }
}

} // namespace

// Most steps change a plan that can be read into another that can; some change bytes.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned int seed) {
  std::mt19937 random(seed);
  if (random() % 8 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  ordered_json plan = ordered_json::parse(data, data + size, nullptr, false);
  if (plan.is_discarded() || random() % 50 == 0)
    plan = ordered_json::parse(toJson({sample().proposed}));
  for (int k = random() % 3; k >= 0; k--)
    mutate(plan, random);
  std::string text = plan.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  if (text.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static std::set<std::string> *lowered = new std::set<std::string>;
  try {
    for (const Plan &given : fromJson(std::string(data, data + size))) {
      Plan plan = adopt(sample().proposed, sample().facts, given, sample().device);
      if (lowered->size() > 100000)
        lowered->clear();
      if (lowered->insert(decisionsOf(plan)).second)
        lower(sample().program, sample().dependences, sample().steps, plan, sample().device);
    }
  } catch (const UserError &) {
  }
  return 0;
}
