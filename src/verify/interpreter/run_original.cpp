// The original trees, run in order.
#include "support/diagnostics.h"
#include "verify/interpreter/execute.h"
#include "verify/interpreter/translate.h"

namespace nw {

namespace {

// Extents of the array's dimensions in subscripts, and their strides in slots.
void bindExtents(BoundArray &a, const ArrayNode &node, Executor &executor) {
  size_t rank = node.extents.size();
  a.extents.assign(rank, -1);
  a.strides.assign(rank, node.width);
  for (size_t k = 0; k < rank; k++)
    if (node.extents[k] >= 0)
      a.extents[k] = std::max<int64_t>(executor.eval(node.extents[k]).integer, 0);
  for (size_t k = rank; k-- > 1;)
    a.strides[k - 1] = a.strides[k] * std::max<int64_t>(a.extents[k], 0);
}

class OriginalRun {
public:
  OriginalRun(const Region &region, const SampleInput &input, const RunLimits &limits)
      : region(region), input(input), translator(region, input.arithmetic, code),
        executor(code, input.arithmetic, result.steps, limits.steps, nullptr) {}

  RunResult run() {
    try {
      translate();
      bind();
      for (int32_t s : body)
        executor.exec(s);
    } catch (const Undefined &u) {
      result.kind = RunResult::Kind::Invalid;
      result.why = u.what;
    } catch (const InternalError &e) {
      result.kind = RunResult::Kind::Invalid;
      result.why = e.message;
    } catch (const Exhausted &) {
      result.kind = RunResult::Kind::TooLong;
    }
    if (result.kind == RunResult::Kind::Finished)
      collect();
    return std::move(result);
  }

private:
  void translate() {
    translator.keepNames = true;
    for (auto &[name, v] : region.variables)
      if (!v.isArray() && !v.inside)
        scalars.push_back({&v, translator.bindFrame(name, v.type)});
    for (auto &[name, v] : region.variables)
      if (v.isArray() && !v.inside)
        arrays.push_back({&v, translator.bindArray(name, v.type, v.extents)});
    for (const StmtP &s : region.body)
      body.push_back(translator.stmt(s));
  }

  void bind() {
    frame.resize(size_t(code.frameSize) + 1);
    isSet.assign(size_t(code.frameSize) + 1, 0);
    thread.frame = frame.data();
    thread.isSet = isSet.data();
    executor.use(thread);
    data.reserve(region.variables.size());
    for (auto &[v, slot] : scalars) {
      data.emplace_back(region, input, v->name, v->type);
      for (int64_t k = 0; k < data.back().width(); k++) {
        frame[size_t(slot + k)] = data.back().at(k);
        isSet[size_t(slot + k)] = 1;
      }
    }
    memories.resize(code.arrays.size());
    executor.arrays.resize(code.arrays.size());
    for (auto &[v, number] : arrays) {
      data.emplace_back(region, input, v->name, v->type);
      BoundArray &a = executor.arrays[size_t(number)];
      a.name = v->name;
      a.memory = &memories[size_t(number)];
      a.data = &data.back();
      a.isFilled = true;
      bindExtents(a, code.arrays[size_t(number)], executor);
    }
  }

  void collect() {
    for (size_t k = 0; k < scalars.size(); k++)
      for (int64_t j = 0; j < data[k].width(); j++) {
        Word now = frame[size_t(scalars[k].second + j)];
        if (!sameWord(data[k].typeAt(j), input.arithmetic, now, data[k].at(j)))
          result.memory[{scalars[k].first->name, j}] = data[k].shown(j, now);
      }
    for (auto &[v, number] : arrays) {
      BoundArray &a = executor.arrays[size_t(number)];
      int64_t width = a.data->width();
      if (a.first <= a.last)
        result.touched[v->name] = {a.first / width, a.last / width};
      int64_t all = 1;
      for (size_t k = 1; k < a.extents.size(); k++)
        all *= std::max<int64_t>(a.extents[k], 0);
      result.declared[v->name] = a.extents[0] >= 0 ? all * a.extents[0] : -all;
      a.memory->forEach([&](int64_t slot, const Cell &c) {
        if (!sameWord(a.data->typeAt(slot), input.arithmetic, c.value, a.data->at(slot)))
          result.memory[{v->name, slot}] = a.data->shown(slot, c.value);
      });
    }
  }

  const Region &region;
  const SampleInput &input;
  RunResult result;
  Code code;
  Translator translator;
  Executor executor;
  std::vector<int32_t> body;
  std::vector<std::pair<const Variable *, int32_t>> scalars, arrays;
  std::vector<InputData> data;
  std::vector<PagedArray> memories;
  std::vector<Word> frame;
  std::vector<uint8_t> isSet;
  Thread thread;
};

} // namespace

RunResult runOriginal(const Region &region, const SampleInput &input, const RunLimits &limits) {
  return OriginalRun(region, input, limits).run();
}

} // namespace nw
