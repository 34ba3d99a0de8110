# Writes what `nestwarp --version` says to OUTPUT, where it has changed: VERSION, and the commit of SOURCE if git knows it.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=10 --exclude=*
  OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE FAILED)
if(FAILED)
  set(COMMIT "")
endif()
set(TEXT "// Made by write_version.cmake.\n#include \"support/version.h\"\n\nnamespace nw {\nconst char *const kVersion = \"${VERSION}\";\nconst char *const kCommit = \"${COMMIT}\";\n} // namespace nw\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} BEFORE)
endif()
if(NOT "${BEFORE}" STREQUAL "${TEXT}")
  file(WRITE ${OUTPUT} "${TEXT}")
endif()
