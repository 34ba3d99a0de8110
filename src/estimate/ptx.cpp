// Reading PTX, one instruction a line, as nvcc writes it.
#include "estimate/ptx.h"
#include "estimate/instruction_costs.h"
#include <algorithm>
#include <sstream>

namespace nw {

namespace {

bool has(const std::string &opcode, const char *part) {
  return opcode.find(part) != std::string::npos;
}

InstructionMix one(double InstructionMix::*member, double count = 1) {
  InstructionMix m;
  m.*member = count;
  return m;
}

InstructionMix costOfMemory(const std::string &opcode, bool isStore) {
  if (has(opcode, ".param") || has(opcode, ".const"))
    return {}; // operands of the instructions that use them
  bool isShared = has(opcode, ".shared");
  return one(isStore ? (isShared ? &InstructionMix::storeShared : &InstructionMix::storeGlobal)
                     : (isShared ? &InstructionMix::loadShared : &InstructionMix::loadGlobal));
}

InstructionMix costOfArithmetic(const std::string &name, const std::string &opcode) {
  bool isDouble = has(opcode, ".f64"), isFloat = isDouble || has(opcode, ".f32");
  if (name == "cvt")
    return isFloat ? one(&InstructionMix::special) : one(&InstructionMix::integer);
  if (isFloat) {
    if (name == "neg" || name == "abs" || name == "selp")
      return name == "selp" ? one(&InstructionMix::integer, isDouble ? 2 : 1) : InstructionMix{};
    if (name == "div")
      return costOfFloat("/", false, isDouble);
    if (name == "sqrt")
      return costOfFunction("sqrt", isDouble);
    if (name == "rcp" || name == "rsqrt" || name == "sin" || name == "cos" || name == "ex2" ||
        name == "lg2")
      return one(&InstructionMix::special);
    return costOfFloat(name == "mul" ? "*" : "+", name == "fma" || name == "mad", isDouble);
  }
  bool isWide = has(opcode, "64");
  if (name == "mul" || name == "mad")
    return one(&InstructionMix::integer, isWide && !has(opcode, ".wide") ? 4 : 1);
  return one(&InstructionMix::integer, isWide ? 2 : 1);
}

// Of one line without its predicate; nothing for labels, directives and copies.
InstructionMix costOf(const std::string &line) {
  std::string opcode = line.substr(0, line.find_first_of(" \t;"));
  std::string name = opcode.substr(0, opcode.find('.'));
  if (name == "ld" || name == "ldu")
    return costOfMemory(opcode, false);
  if (name == "st" || name == "red" || name == "atom")
    return costOfMemory(opcode, true);
  if (name == "bra" || name == "brx" || name == "call" || name == "ret")
    return one(&InstructionMix::branch);
  if (name == "bar" || name == "barrier")
    return one(&InstructionMix::barrier);
  static const char *const free[] = {"mov", "cvta", "membar", "fence", "exit", "trap"};
  if (name.empty() || std::find(std::begin(free), std::end(free), name) != std::end(free))
    return {};
  return costOfArithmetic(name, opcode);
}

struct Line {
  std::string label, target; // either, or none
  InstructionMix cost;
};

Line read(std::string text) {
  Line out;
  size_t begin = text.find_first_not_of(" \t");
  text = begin == std::string::npos ? "" : text.substr(begin, text.find("//", begin) - begin);
  if (size_t colon = text.find(':');
      !text.empty() && text[0] == '$' && colon != std::string::npos) {
    out.label = text.substr(0, colon);
    return out;
  }
  if (text.empty() || text[0] == '.' || text[0] == '{' || text[0] == '}' || text[0] == ')' ||
      text.find(';') == std::string::npos)
    return out;
  if (text[0] == '@') {
    size_t space = text.find_first_of(" \t");
    size_t next = space == std::string::npos ? space : text.find_first_not_of(" \t", space);
    if (next == std::string::npos)
      return out;
    text = text.substr(next);
  }
  out.cost = costOf(text);
  if (size_t at = text.find('$'); text.rfind("bra", 0) == 0 && at != std::string::npos)
    out.target = text.substr(at, text.find(';') - at);
  return out;
}

// A loop is what stands between a label and a jump back to it.
std::vector<InstructionMix> innermost(const std::vector<Line> &lines) {
  std::map<std::string, size_t> labels;
  std::map<size_t, size_t> loops; // from, to: the furthest jump back
  for (size_t n = 0; n < lines.size(); n++) {
    if (!lines[n].label.empty())
      labels[lines[n].label] = n;
    else if (auto at = labels.find(lines[n].target); at != labels.end())
      loops[at->second] = std::max(loops[at->second], n);
  }
  std::vector<InstructionMix> out;
  for (auto [from, to] : loops) {
    auto inner = loops.upper_bound(from);
    if (inner != loops.end() && inner->second <= to)
      continue;
    InstructionMix body;
    for (size_t n = from; n <= to; n++)
      body += lines[n].cost;
    out.push_back(body);
  }
  return out;
}

} // namespace

std::map<std::string, std::vector<InstructionMix>> innermostLoopsOfPtx(const std::string &text) {
  std::map<std::string, std::vector<InstructionMix>> out;
  std::istringstream in(text);
  std::string line, kernel;
  std::vector<Line> lines;
  while (std::getline(in, line)) {
    if (size_t at = line.find(".entry "); at != std::string::npos) {
      size_t begin = at + 7, end = line.find_first_of("( \t", begin);
      kernel = line.substr(begin, end == std::string::npos ? end : end - begin);
      lines.clear();
    } else if (!kernel.empty() && line[0] == '}') {
      out[kernel] = innermost(lines);
      kernel.clear();
    } else if (!kernel.empty()) {
      lines.push_back(read(line));
    }
  }
  return out;
}

} // namespace nw
