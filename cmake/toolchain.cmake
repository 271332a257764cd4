# How everything of ours is compiled.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# All of it ends up in programs. The same options for each unit let them share precompiled headers.
add_compile_options(-fPIE -pthread)
add_link_options(-pie -pthread)
# A mistake in memory is to end the program, and not to let others in: tables of addresses are
# read-only, and no memory can be both written and executed.
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# Debug builds run under sanitizers on two cores. Without optimisation they are compiled twice as
# fast; the modules in which tests spend their time are optimised all the same. -g1 keeps line
# numbers in traces at a third of the object size.
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1 -fno-omit-frame-pointer")
set(SURETY_HOT_OPTIONS $<$<CONFIG:Debug>:-O1> $<$<CONFIG:Release>:-O3>)
# Programs spend no time in the other modules, which read, write and decide, so they are compiled in
# less.
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -g1")
# Checks of the stack, of sizes that the compiler knows, and of the targets of jumps. The debug build
# has sanitizers instead.
string(APPEND CMAKE_CXX_FLAGS_RELEASE
       " -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  string(APPEND CMAKE_CXX_FLAGS_RELEASE " -fcf-protection")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc 12 sees overlapping copies in std::string's own insert() once it inlines (its bug 105651).
  string(APPEND CMAKE_CXX_FLAGS_RELEASE " -Wno-restrict")
endif()

find_program(SURETY_CCACHE ccache)
if(SURETY_CCACHE)
  # Headers that are precompiled carry time stamps; without this every build would miss. Not more of
  # it: a header that changed while it was compiled must not be remembered as what it became.
  # Paths relative to the build folder let checkouts in different places share what was compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
      ${SURETY_CCACHE})
endif()

foreach(linker mold lld)
  find_program(SURETY_LINKER_${linker} NAMES ${linker} ld.${linker})
  if(SURETY_LINKER_${linker})
    add_link_options(-fuse-ld=${linker})
    break()
  endif()
endforeach()

# Warnings are errors on our targets only: link surety_flags from them.
add_library(surety_flags INTERFACE)
target_compile_options(surety_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wold-style-cast
                       -Wcast-align -Woverloaded-virtual -Wimplicit-fallthrough -Werror
                       # At -O3 gcc 12 sees overflows in fmt and std::string that cannot happen.
                       $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-stringop-overflow>
                       $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-stringop-overread>
                       $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-array-bounds>
                       $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-restrict>)
target_include_directories(surety_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
if(SURETY_SANITIZE)
  target_compile_options(surety_flags INTERFACE -fsanitize=${SURETY_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(surety_flags INTERFACE -fsanitize=${SURETY_SANITIZE})
endif()
