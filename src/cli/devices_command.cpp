// nestwarp devices: the devices known by name, those of this machine, and the probe. Another
// process looks at the machine, because OpenCL implementations and libclang do not share one.
#include "cli/commands.h"
#include "cli/options.h"
#include "device/device_fields.h"
#include "device/device_json.h"
#include "device/user_devices.h"
#include "report/probe_import.h"
#include "support/diagnostics.h"
#include "support/exit_status.h"
#include "support/process.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nw {

using nlohmann::ordered_json;

namespace {

struct Flags {
  std::string device, format = "text", import, output, name, on;
  bool probe = false, quick = false;
};

// What the machine has, as nestwarp-run lists it.
ordered_json machineDevices() {
  std::string text;
  if (runCaptured({runnerProgram(), "devices", "--format=json"}, text) != 0)
    throw UserError{"nestwarp-run devices failed; its message is above"};
  ordered_json devices = ordered_json::parse(text, nullptr, false);
  if (!devices.is_array())
    throw UserError{
        "nestwarp-run devices printed no list; is it of the same version as this nestwarp?"};
  return devices;
}

std::string summary(const DeviceSpec &d) {
  return fmt::format("{}; {} multiprocessors, {:.4g} TFLOPS, {:.4g} GB/s", d.title,
                     d.multiprocessors,
                     2e-3 * d.multiprocessors * d.fp32PerCycle * d.clockGigahertz, d.dramBandwidth);
}

int listAsText() {
  fmt::print("On this machine (* is used by default):\n");
  ordered_json machine = machineDevices();
  for (const ordered_json &d : machine)
    fmt::print("  {:<12} {}{}\n", d.value("label", ""), d.value("description", ""),
               d.value("isDefault", false) ? "  *" : "");
  if (machine.empty())
    fmt::print("  none: no GPU or OpenCL device found\n");
  std::vector<UserDevice> users = userDevices(deviceFolders());
  if (!users.empty())
    fmt::print("\nFrom files (--device=NAME):\n");
  for (const UserDevice &u : users)
    fmt::print("  {:<12} {}; {}\n", u.device.name, summary(u.device), u.file);
  fmt::print("\nKnown by name (--device=NAME):\n");
  for (const DeviceSpec &d : deviceCatalogue())
    fmt::print("  {:<12} {}\n", d.name, summary(d));
  return 0;
}

int listAsJson() {
  ordered_json all{{"machine", machineDevices()},
                   {"files", ordered_json::array()},
                   {"catalogue", ordered_json::array()}};
  for (const UserDevice &u : userDevices(deviceFolders()))
    all["files"].push_back({{"file", u.file}, {"device", ordered_json::parse(toJson(u.device))}});
  for (const DeviceSpec &d : deviceCatalogue())
    all["catalogue"].push_back(ordered_json::parse(toJson(d)));
  fmt::print("{}\n", all.dump(2));
  return 0;
}

// One device, every field with its meaning.
int describe(const DeviceSpec &device, bool asJson) {
  if (asJson) {
    fmt::print("{}", toJson(device));
    return 0;
  }
  ordered_json values = ordered_json::parse(toJson(device));
  visitFields(device, [&](const char *name, auto &, FieldRange, const char *meaning) {
    bool guessed =
        std::find(device.estimated.begin(), device.estimated.end(), name) != device.estimated.end();
    if (name != std::string("estimated"))
      fmt::print("{:<26} {:<24} {}{}\n", name, values[name].dump(), meaning,
                 guessed ? " (estimated)" : "");
  });
  return 0;
}

int probe(const Flags &flags) {
  ScratchDirectory scratch;
  std::string folder = flags.output.empty() ? "probe" : flags.output,
              file = scratch.path + "/probe.json";
  std::vector<std::string> line = {runnerProgram(), "probe", "--output", file};
  if (flags.quick)
    line.push_back("--quick");
  if (!flags.on.empty())
    line.push_back("--device=" + flags.on);
  if (int status = run(line); status != 0)
    throw UserError{fmt::format("the probe failed (status {}); its message is above", status)};
  fmt::print("{}\n", importProbe(file, folder, flags.name));
  std::filesystem::copy_file(file, folder + "/probe.json",
                             std::filesystem::copy_options::overwrite_existing);
  return 0;
}

} // namespace

int devicesCommand(const std::vector<std::string> &arguments) {
  CLI::App app{"lists the devices that programs can run on, and those that can be planned for",
               "nestwarp devices"};
  Flags flags;
  app.add_option("device", flags.device,
                 "describe this one: a name of the list, or a file FILE.json");
  app.add_option("--format", flags.format, "text or json")->check(CLI::IsMember({"text", "json"}));
  app.add_flag("--probe", flags.probe,
               "measure a device of this machine: writes its description, the curves as SVG and a "
               "page about them into --output (default: probe)");
  app.add_flag("--quick", flags.quick, "with --probe: a rough look in a few seconds");
  app.add_option("--on", flags.on,
                 "with --probe: which device, as in NESTWARP_DEVICE: cuda, opencl, cuda:1");
  app.add_option("--import", flags.import,
                 "the same from a file that `nestwarp-run probe --output FILE` wrote, perhaps on "
                 "another machine");
  app.add_option("--output", flags.output, "folder for what --probe and --import write");
  app.add_option("--name", flags.name, "name of the device that --probe and --import write");
  if (int status = parse(app, arguments); status >= 0)
    return status;
  if (flags.probe && !flags.import.empty())
    throw UserError{"--probe and --import cannot be combined", kUsage};
  if (flags.probe)
    return probe(flags);
  if (!flags.import.empty()) {
    fmt::print("{}\n", importProbe(flags.import, flags.output.empty() ? "probe" : flags.output,
                                   flags.name));
    return 0;
  }
  if (!flags.device.empty())
    return describe(deviceNamed(flags.device), flags.format == "json");
  return flags.format == "json" ? listAsJson() : listAsText();
}

} // namespace nw
