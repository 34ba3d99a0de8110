// The option --device.
#include "cli/device_option.h"
#include "device/user_devices.h"

namespace nw {

void addDeviceOption(CLI::App &app, std::string &word) {
  app.add_option("--device", word,
                 "device to plan for: a name that `nestwarp devices` lists, or a file FILE.json; "
                 "default: the limits that all portable devices share");
}

std::optional<DeviceSpec> deviceOf(const std::string &word) {
  if (word.empty())
    return std::nullopt;
  return deviceNamed(word);
}

} // namespace nw
