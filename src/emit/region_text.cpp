// The function of a region: checks, copies, launches, and which form of a step is launched when.
#include "emit/host_text.h"
#include "emit/preludes.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace nw {

namespace {

using Signature = std::vector<std::pair<std::string, std::string>>; // types and names

// Buffers of arrays, then values.
Signature deviceSignature(const EmittedRegion &r) {
  Dialect d;
  Signature parameters;
  for (const Buffer &b : r.kernels->buffers)
    if (!b.array.empty())
      parameters.push_back({"void *", d.name(b.name)});
  for (const Parameter &s : r.kernels->scalars)
    if (r.program->region.variables.count(s.name))
      parameters.push_back({d.type(s.type) + " ", d.name(s.name)});
  return parameters;
}

// The same, then addresses of values that must not change meanwhile.
Signature regionSignature(const EmittedRegion &r) {
  Signature parameters = deviceSignature(r);
  std::set<std::string> addresses;
  for (auto &[name, b] : r.kernels->scalarAlias)
    if (addresses.insert(name).second)
      parameters.push_back({"const void *", fmt::format("nw_{}_address", name)});
  return parameters;
}

std::string prototype(const std::string &name, const Signature &signature,
                      const std::string &last) {
  std::vector<std::string> parameters;
  for (auto &[type, parameter] : signature)
    parameters.push_back(type + parameter);
  if (!last.empty())
    parameters.push_back(last);
  return fmt::format("int {}({})", name, parameters.empty() ? "void" : joined(parameters, ", "));
}

} // namespace

std::string regionPrototype(const EmittedRegion &r) {
  return prototype(r.entry, regionSignature(r), "");
}

std::string devicePrototype(const EmittedRegion &r) {
  return prototype(r.entry + "_on_device", deviceSignature(r), "void *stream");
}

std::vector<std::string> regionParameters(const EmittedRegion &r) {
  std::vector<std::string> names;
  for (auto &[type, name] : regionSignature(r))
    names.push_back(name);
  return names;
}

namespace {

class RegionPrinter {
public:
  RegionPrinter(const EmittedRegion &region, const EmitOptions &options)
      : region(region), options(options), printer(dialect) {
    dialect.wraps = region.program->region.wraps;
  }

  std::string run() {
    const Kernels &k = *region.kernels;
    out = "static " +
          prototype(region.entry + "_anywhere", regionSignature(region),
                    "const nw_on_device *on_device") +
          " {\n";
    for (const Parameter &s : k.scalars)
      if (!isArgument(s))
        line(2, "const {} {} = {};", dialect.type(s.type), dialect.name(s.name),
             printer.expr(s.value));
    if (k.assumptions)
      line(2,
           "if (!({}))\n    return nw_stay(NW_MODULE(), {}, \"an assumption about sizes does not "
           "hold\", on_device);",
           printer.expr(k.assumptions), where);
    ranges();
    for (auto &[a, b] : k.mayAlias)
      line(2,
           "if (nw_overlap(&ranges[{}], &ranges[{}], on_device))\n    return nw_stay(NW_MODULE(), "
           "{}, \"{} and {} overlap\", on_device);",
           a, b, where, k.buffers[a].name, k.buffers[b].name);
    scalarOverlaps();
    line(2, "nw_work work = {{{}, {}, {}}};", printer.expr(k.operations), printer.expr(k.launches),
         options.always || region.program->region.marked ? "NW_OFFLOAD_ALWAYS" : "NW_OFFLOAD_AUTO");
    line(2, "nw_region *region = nw_enter(NW_MODULE(), {}, ranges, {}, &work, on_device);", where,
         k.buffers.size());
    line(2, "if (!region)\n    return 0;");
    step(k.host, 2);
    line(2, "return nw_leave(region);");
    return out + "}\n\n" + entries();
  }

private:
  // The two ways in: arrays on the host, and arrays on the device.
  std::string entries() {
    std::vector<std::string> names = regionParameters(region), deviceNames = names;
    for (size_t k = deviceSignature(region).size(); k < deviceNames.size(); k++)
      deviceNames[k] = "0"; // addresses on the host do not matter
    names.push_back("0");
    deviceNames.push_back("&on_device");
    if (options.onDeviceOnly)
      return fmt::format("{}{} {{\n  const nw_on_device on_device = {{stream}};\n  return "
                         "{}_anywhere({});\n}}\n\n",
                         options.linkage, devicePrototype(region), region.entry,
                         joined(deviceNames, ", "));
    return fmt::format("{0}{1} {{ return {4}_anywhere({2}); }}\n\n{0}{3} {{\n  const nw_on_device "
                       "on_device = {{stream}};\n  return {4}_anywhere({5});\n}}\n\n",
                       options.linkage, regionPrototype(region), joined(names, ", "),
                       devicePrototype(region), region.entry, joined(deviceNames, ", "));
  }

  template <class... Args>
  void line(int indent, fmt::format_string<Args...> format, Args &&...args) {
    out += std::string(indent, ' ') + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  bool isArgument(const Parameter &s) const {
    return region.program->region.variables.count(s.name);
  }

  void ranges() {
    const Kernels &k = *region.kernels;
    line(2, "nw_range ranges[] = {{");
    for (const Buffer &b : k.buffers) {
      std::string host = b.array.empty() ? "0" : dialect.name(b.name);
      std::string low = bytes(b.low, b), high = bytes(b.high, b);
      if (b.touched) {
        std::string when = printer.expr(b.touched);
        low = low == "0" ? low : fmt::format("{} ? {} : 0", when, low);
        high = fmt::format("{} ? {} : 0", when, high);
      }
      if (!b.record.empty())
        host = fmt::format("nw_record(\"{}\", \"{}\", {}, {})", b.name, b.record, low, high);
      std::string flags = b.isBarrier                           ? "NW_TEMPORARY | NW_ZERO"
                          : b.array.empty() && b.record.empty() ? "NW_TEMPORARY"
                          : b.copyIn && b.copyOut               ? "NW_IN | NW_OUT"
                          : b.copyIn                            ? "NW_IN"
                          : b.copyOut                           ? "NW_OUT"
                                                                : "0";
      if (options.presentTable && region.program->region.isConstruct && !b.array.empty() &&
          !b.isScalar)
        flags += isDevicePointer(b) ? " | NW_DEVICE"
                 : options.requirePresent.count(region.program->region.number)
                     ? " | NW_PRESENT | NW_REQUIRED"
                     : " | NW_PRESENT";
      line(6, "{{\"{}\", {}, {}, {}, {}}},", b.name, host, low, high, flags);
    }
    if (k.buffers.empty())
      line(6, "{{\"\", 0, 0, 0, 0}},");
    line(2, "}};");
  }

  bool isDevicePointer(const Buffer &b) const {
    auto names = options.devicePointers.find(region.program->region.number);
    return names != options.devicePointers.end() &&
           names->second.count(region.program->region.variables.at(b.array).spelling);
  }

  std::string bytes(const ExprP &elements, const Buffer &b) {
    if (elements->kind == ExprKind::Int)
      return std::to_string(elements->integer * b.elementBytes);
    std::string text = printer.expr(cast(elements, kI64));
    return b.elementBytes == 1 ? text : fmt::format("({}) * {}", text, b.elementBytes);
  }

  void scalarOverlaps() {
    for (auto &[name, b] : region.kernels->scalarAlias) {
      const Variable &v = region.program->region.variables.at(name);
      line(2, "{{\n    nw_range scalar = {{\"{0}\", (void *)nw_{1}_address, 0, {2}, 0}};", name,
           name, bytesOf(v.type.scalar));
      line(4,
           "if (!on_device && nw_overlap(&scalar, &ranges[{}], 0))\n      return "
           "nw_stay(NW_MODULE(), {}, \"{} may change in the nest\", 0);\n  }}",
           b, where, name);
    }
  }

  void step(const HostStep &s, int indent) {
    switch (s.kind) {
    case HostKind::Sequence:
      for (const HostStep &c : s.children)
        step(c, indent);
      return;
    case HostKind::Loop:
      loop(s.loop, s.children[0], indent);
      return;
    case HostKind::Choice:
      choice(s, 0, indent);
      return;
    case HostKind::Launch:
      launch(s, indent);
      return;
    }
  }

  // The alternatives from number `from` on, then the fallback.
  void choice(const HostStep &s, size_t from, int indent) {
    if (from == s.alternatives.size()) {
      step(fallbackOf(s), indent);
      return;
    }
    const HostAlternative &a = s.alternatives[from];
    if (a.runtimeDecides) {
      residentOrElse(s, from, indent);
      return;
    }
    line(indent, "if ({}) {{", conditionOf(a));
    step(a.body, indent + 2);
    line(indent, "}} else {{");
    choice(s, from + 1, indent + 2);
    line(indent, "}}");
  }

  std::string conditionOf(const HostAlternative &a) {
    std::vector<std::string> conditions;
    if (a.profitableIf && a.legalIf)
      conditions.push_back(printer.expr(binary("&&", a.profitableIf, a.legalIf, kI32)));
    else if (a.profitableIf || a.legalIf)
      conditions.push_back(printer.expr(a.profitableIf ? a.profitableIf : a.legalIf));
    for (auto &[buffer, bytes] : a.aligned)
      conditions.push_back(fmt::format("nw_aligned(region, {}, {})", buffer, bytes));
    return conditions.empty() ? "1" : joined(conditions, " && ");
  }

  // A launch in the shape that the runtime finds for it, if there is one.
  void residentOrElse(const HostStep &s, size_t from, int indent) {
    const HostStep &resident = s.alternatives[from].body;
    const Kernel &k = region.kernels->kernels[size_t(resident.kernel)];
    line(indent, "{{");
    line(indent + 2, "const long long threads[3] = {{{}, {}, 1}};",
         printer.expr(resident.threads[0]), printer.expr(resident.threads[1]));
    line(indent + 2, "const int block[3] = {{{}, {}, {}}};", k.block[0], k.block[1], k.block[2]);
    line(indent + 2, "nw_shape shape;");
    std::string legal = conditionOf(s.alternatives[from]);
    line(indent + 2, "if ({}nw_resident_shape(region, NW_KERNEL({}), threads, block, &shape)) {{",
         legal == "1" ? "" : legal + " && ", k.name);
    arguments(k, indent + 4);
    line(indent + 4, "nw_launch(region, NW_KERNEL({}), &shape, args, {});", k.name, count);
    line(indent + 2, "}} else {{");
    choice(s, from + 1, indent + 4);
    line(indent + 2, "}}");
    line(indent, "}}");
  }

  // The loop's skeleton with the step where its body is empty.
  void loop(const StmtP &skeleton, const HostStep &body, int indent) {
    switch (skeleton->kind) {
    case StmtKind::For: {
      const Loop &l = skeleton->loop;
      std::string counter = dialect.name(l.counter);
      line(indent, "for ({} {} = {}; {}; {} += {}) {{", dialect.type(l.type), counter,
           printer.expr(l.start), printer.expr(l.condition), counter, l.step);
      loop(skeleton->body[0], body, indent + 2);
      line(indent, "}}");
      return;
    }
    case StmtKind::If:
      line(indent, "if ({}) {{", printer.expr(skeleton->exprs[0]));
      loop(skeleton->body[0], body, indent + 2);
      line(indent, "}}");
      if (skeleton->body.size() > 1) {
        line(indent, "else {{");
        loop(skeleton->body[1], body, indent + 2);
        line(indent, "}}");
      }
      return;
    case StmtKind::Declare:
      out += printer.stmt(skeleton, indent);
      return;
    default:
      if (skeleton->body.empty()) {
        step(body, indent);
        return;
      }
      for (const StmtP &b : skeleton->body) {
        bool ends = b->kind != StmtKind::Declare;
        if (ends && b->kind == StmtKind::Block)
          line(indent, "{{");
        loop(b, body, indent + (ends ? 2 : 0));
        if (ends && b->kind == StmtKind::Block)
          line(indent, "}}");
      }
    }
  }

  // nw_arg args[]: buffers by index, values through variables of their own.
  void arguments(const Kernel &k, int indent) {
    std::vector<std::string> list;
    count = 0;
    for (const KernelParameter &p : k.parameters) {
      if (p.buffer >= 0) {
        list.push_back(fmt::format("NW_BUFFER({})", p.buffer));
        count++;
        if (p.shifted) {
          line(indent, "long long nw_{}_shift = nw_shift(&ranges[{}]) / {};", p.name, p.buffer,
               region.kernels->buffers[p.buffer].elementBytes);
          list.push_back(fmt::format("NW_VALUE(nw_{}_shift)", p.name));
          count++;
        }
        continue;
      }
      std::string name = "nw_arg_" + p.name;
      line(indent, "{} {} = {};", dialect.type(p.type), name, printer.expr(p.value));
      list.push_back(fmt::format("NW_VALUE({})", name));
      count++;
    }
    line(indent, "nw_arg args[] = {{{}}};", joined(list, ", "));
  }

  void launch(const HostStep &s, int indent) {
    const Kernel &k = region.kernels->kernels[s.kernel];
    if (s.condition)
      line(indent, "if ({}) {{", printer.expr(s.condition));
    else
      line(indent, "{{");
    arguments(k, indent + 2);
    std::vector<std::string> grid;
    for (int d = 0; d < 3; d++) {
      const ExprP &wanted = s.threads[d];
      std::string blocks;
      if (wanted->kind == ExprKind::Int)
        blocks = std::to_string(
            s.limit[d]
                ? std::min<int64_t>(s.limit[d], (wanted->integer + k.block[d] - 1) / k.block[d])
                : (wanted->integer + k.block[d] - 1) / k.block[d]);
      else {
        blocks = k.block[d] == 1 ? printer.expr(wanted)
                                 : fmt::format("({} + {}) / {}", printer.expr(wanted),
                                               k.block[d] - 1, k.block[d]);
        if (s.limit[d])
          blocks = fmt::format("nw_min({}, {})", blocks, s.limit[d]);
      }
      grid.push_back(blocks);
    }
    line(indent + 2, "nw_shape shape = {{{{{}}}, {{{}, {}, {}}}, NW_PLAIN}};", joined(grid, ", "),
         k.block[0], k.block[1], k.block[2]);
    line(indent + 2, "nw_launch(region, NW_KERNEL({}), &shape, args, {});", k.name, count);
    line(indent, "}}");
  }

  const EmittedRegion &region;
  const std::string where = quotedForC(region.where);
  const EmitOptions &options;
  Dialect dialect;
  TreePrinter printer;
  std::string out;
  size_t count = 0;
};

} // namespace

std::string regionFunction(const EmittedRegion &region, const EmitOptions &options) {
  return RegionPrinter(region, options).run();
}

} // namespace nw
