// The catalogue: the files of catalogue/, which the build puts into the program.
#include "device/catalogue_files.h"
#include "device/device_json.h"
#include "support/embedded.h"
#include <algorithm>
#include <tuple>

namespace nw {

std::vector<CatalogueFile> catalogueFiles() {
  const std::string folder = "device/catalogue/";
  std::vector<CatalogueFile> all;
  for (const EmbeddedFile &f : embeddedFiles())
    if (std::string name = f.name; name.starts_with(folder))
      all.push_back({name.substr(folder.size()), f.text});
  return all;
}

const std::vector<DeviceSpec> &deviceCatalogue() {
  static const std::vector<DeviceSpec> all = [] {
    std::vector<DeviceSpec> read;
    for (const CatalogueFile &file : catalogueFiles())
      read.push_back(completeDeviceFromJson(file.text, file.name));
    auto order = [](const DeviceSpec &d) { return std::tuple(d.kind, -d.year, d.name); };
    std::sort(read.begin(), read.end(),
              [&](const DeviceSpec &a, const DeviceSpec &b) { return order(a) < order(b); });
    return read;
  }();
  return all;
}

const DeviceSpec *findDevice(const std::string &name) {
  for (const DeviceSpec &d : deviceCatalogue())
    if (d.name == name)
      return &d;
  return nullptr;
}

DeviceSpec commonDevice() {
  DeviceSpec common = deviceCatalogue().front();
  common.name = "any";
  common.title = "any portable device";
  for (const DeviceSpec &d : deviceCatalogue()) {
    if (!d.portable)
      continue;
    common.warp = std::max(common.warp, d.warp);
    common.blockThreads = std::min(common.blockThreads, d.blockThreads);
    common.preferredBlock = std::min(common.preferredBlock, d.preferredBlock);
    common.registersPerThread = std::min(common.registersPerThread, d.registersPerThread);
    common.sharedBytes = std::min(common.sharedBytes, d.sharedBytes);
    common.sharedOptInBytes = std::min(common.sharedOptInBytes, d.sharedOptInBytes);
    common.constantBytes = std::min(common.constantBytes, d.constantBytes);
    for (int k = 0; k < 3; k++) {
      common.blockLimit[k] = std::min(common.blockLimit[k], d.blockLimit[k]);
      common.gridLimit[k] = std::min(common.gridLimit[k], d.gridLimit[k]);
    }
  }
  return common;
}

} // namespace nw
