// --device=NAME|FILE.json, for every command that plans or predicts for a device.
#pragma once
#include "device/device_spec.h"
#include <CLI/CLI.hpp>
#include <optional>

namespace nw {

// Adds the option; `word` keeps what the user wrote.
void addDeviceOption(CLI::App &app, std::string &word);
// The device of the option; nullopt when none was given. Throws UserError for a name or file that
// is none.
std::optional<DeviceSpec> deviceOf(const std::string &word);

} // namespace nw
