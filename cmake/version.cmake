# Writes the source with the version of the program and the commit from which it is built. It runs
# at each build, and writes only if the content has changed:
#
#   cmake -DVERSION=0.1.0 -DFROM=SOURCE_FOLDER -DTO=version.cc -P cmake/version.cmake
#
# The commit is "unknown" if FROM is not the top of a git checkout, or if there is no git.
cmake_minimum_required(VERSION 3.25)  # Selects the policies of CMake.
set(commit unknown)
find_program(git git)
if(git)
  execute_process(COMMAND ${git} -C ${FROM} rev-parse --show-prefix --short=12 HEAD
                  OUTPUT_VARIABLE found RESULT_VARIABLE failed ERROR_QUIET)
  # Two lines: the folder within the checkout, which is empty at its top, and the commit.
  if(NOT failed AND found MATCHES "^\n([0-9a-f]+)\n$")
    set(commit ${CMAKE_MATCH_1})
    execute_process(COMMAND ${git} -C ${FROM} --no-optional-locks status --porcelain
                    OUTPUT_VARIABLE changes ERROR_QUIET)
    if(NOT changes STREQUAL "")
      string(APPEND commit ", with changes")
    endif()
  endif()
endif()

set(text "#include \"runtime/version.h\"

namespace surety::runtime {

const char* const kVersion = \"${VERSION}\";
const char* const kCommit = \"${commit}\";

}  // namespace surety::runtime
")
set(before)
if(EXISTS ${TO})
  file(READ ${TO} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${TO} "${text}")
endif()
