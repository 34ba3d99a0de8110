// Devices that users add, one JSON file each, and devices by name: what --device=NAME|FILE.json
// means.
#pragma once
#include "device/device_spec.h"

namespace nw {

struct UserDevice {
  DeviceSpec device;
  std::string file;
};

// The folders that are looked into: those of NESTWARP_DEVICES, separated by colons, then the user's
// own, $XDG_CONFIG_HOME/nestwarp/devices or ~/.config/nestwarp/devices.
std::vector<std::string> deviceFolders();
// The devices in these folders, by the names of the files; of two with one name the first. Throws
// UserError when a file is not a device.
std::vector<UserDevice> userDevices(const std::vector<std::string> &folders);

// The device that a user means: a file that ends in .json, a device of the folders, or one of the
// catalogue. Throws UserError, which lists the names there are.
DeviceSpec deviceNamed(const std::string &nameOrFile);

} // namespace nw
