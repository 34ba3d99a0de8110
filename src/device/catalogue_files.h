// The texts of catalogue/*.json, which the build puts into the program.
#pragma once
#include <string>
#include <vector>

namespace nw {

struct CatalogueFile {
  std::string name; // without its folder
  std::string text;
};

std::vector<CatalogueFile> catalogueFiles();

} // namespace nw
