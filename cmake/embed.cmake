# Writes OUTPUT, a C++ file that holds the texts of FILES (a list of paths below ROOT):
# cmake -DOUTPUT=... -DROOT=... -DFILES=... -P embed.cmake
set(text "// Written by cmake/embed.cmake.\n#include \"support/embedded.h\"\n\nnamespace nw {\n\n")
string(APPEND text "const std::vector<EmbeddedFile> &embeddedFiles() {\n")
string(APPEND text "  static const std::vector<EmbeddedFile> all = {\n")
foreach(file ${FILES})
  file(RELATIVE_PATH name ${ROOT} ${file})
  file(READ ${file} content)
  string(APPEND text "      {\"${name}\", R\"nestwarp(${content})nestwarp\"},\n")
endforeach()
string(APPEND text "  };\n  return all;\n}\n\n} // namespace nw\n")
file(WRITE ${OUTPUT} "${text}")
