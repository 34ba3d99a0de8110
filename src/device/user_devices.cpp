// Devices from files.
#include "device/user_devices.h"
#include "device/device_json.h"
#include "support/diagnostics.h"
#include "support/exit_status.h"
#include "support/text.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace nw {

namespace fs = std::filesystem;

static DeviceSpec deviceInFile(const std::string &path) {
  constexpr size_t kLargest = 1 << 20;
  return deviceFromJson(readFile(path, kLargest), path);
}

std::vector<std::string> deviceFolders() {
  std::vector<std::string> folders;
  if (const char *listed = std::getenv("NESTWARP_DEVICES")) {
    std::istringstream parts(listed);
    for (std::string folder; std::getline(parts, folder, ':');)
      if (!folder.empty())
        folders.push_back(folder);
  }
  const char *config = std::getenv("XDG_CONFIG_HOME"), *home = std::getenv("HOME");
  if (config && *config)
    folders.push_back(std::string(config) + "/nestwarp/devices");
  else if (home && *home)
    folders.push_back(std::string(home) + "/.config/nestwarp/devices");
  return folders;
}

std::vector<UserDevice> userDevices(const std::vector<std::string> &folders) {
  std::vector<UserDevice> all;
  for (const std::string &folder : folders) {
    std::vector<std::string> files;
    std::error_code unreadable; // a folder that is not there holds no devices
    for (const fs::directory_entry &entry : fs::directory_iterator(folder, unreadable))
      if (entry.path().extension() == ".json")
        files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    for (const std::string &file : files) {
      DeviceSpec device = deviceInFile(file);
      if (std::none_of(all.begin(), all.end(),
                       [&](const UserDevice &other) { return other.device.name == device.name; }))
        all.push_back({std::move(device), file});
    }
  }
  return all;
}

DeviceSpec deviceNamed(const std::string &nameOrFile) {
  if (nameOrFile.ends_with(".json"))
    return deviceInFile(nameOrFile);
  std::vector<UserDevice> users = userDevices(deviceFolders());
  std::vector<std::string> names;
  for (const UserDevice &u : users) {
    if (u.device.name == nameOrFile)
      return u.device;
    names.push_back(u.device.name);
  }
  if (const DeviceSpec *known = findDevice(nameOrFile))
    return *known;
  for (const DeviceSpec &d : deviceCatalogue())
    names.push_back(d.name);
  throw UserError{"unknown device '" + nameOrFile +
                      "'; give a file that ends in .json, or one of " + joined(names, ", "),
                  kUsage};
}

} // namespace nw
