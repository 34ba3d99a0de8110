# Writes OUTPUT, a C++ file with the texts of FILES (a list): cmake -DOUTPUT=... -DFILES=... -P embed_catalogue.cmake
set(text "// Written by embed_catalogue.cmake from src/device/catalogue.\n#include \"device/catalogue_files.h\"\n\nnamespace nw {\n\nstd::vector<CatalogueFile> catalogueFiles() {\n  return {\n")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} content)
  string(APPEND text "      {\"${name}\", R\"json(${content})json\"},\n")
endforeach()
string(APPEND text "  };\n}\n\n} // namespace nw\n")
file(WRITE ${OUTPUT} "${text}")
