// The texts of catalogue/*.json; the build writes the function's definition
// (embed_catalogue.cmake).
#pragma once
#include <vector>

namespace nw {

struct CatalogueFile {
  const char *name; // without its folder
  const char *text;
};

std::vector<CatalogueFile> catalogueFiles();

} // namespace nw
