# The compiler settings for all our code.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# All code is linked into programs. With the same options, units can share precompiled headers.
add_compile_options(-fPIE -pthread)
add_link_options(-pie -pthread)
# A memory error must end the program, and not give access to attackers: tables of addresses are
# read-only, and no memory can be both written and executed.
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# Debug builds run under sanitizers on two cores. Without optimisation they are compiled twice as
# fast; the modules in which tests spend their time are still optimised. -g1 keeps line numbers in
# traces at a third of the object size.
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1 -fno-omit-frame-pointer")
set(SURETY_HOT_OPTIONS $<$<CONFIG:Debug>:-O2> $<$<CONFIG:Release>:-O3>)
# Programs spend little time in the other modules, which read, write and decide, so these are
# optimised less and compiled faster.
set(CMAKE_CXX_FLAGS_RELEASE "-O1 -g1")
# Checks of the stack, of sizes that the compiler knows, and of the targets of jumps. The debug build
# has sanitizers instead.
string(APPEND CMAKE_CXX_FLAGS_RELEASE
       " -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  string(APPEND CMAKE_CXX_FLAGS_RELEASE " -fcf-protection")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # With inlining, gcc 12 wrongly reports overlapping copies in std::string's own insert() (gcc bug
  # 105651).
  string(APPEND CMAKE_CXX_FLAGS_RELEASE " -Wno-restrict")
endif()

set(SURETY_UBSAN_IGNORE ${CMAKE_SOURCE_DIR}/cmake/ubsan_ignore.txt)
find_program(SURETY_CCACHE ccache)
if(SURETY_CCACHE)
  # Precompiled headers contain time stamps; without this every build would miss the cache. No more
  # checks are relaxed, because a header that changes during its compilation must not be cached with
  # its new content. Paths relative to the build folder let checkouts in different places share what
  # was compiled. ccache does not know that the list for the sanitizer is an input.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_EXTRAFILES=${SURETY_UBSAN_IGNORE} ${SURETY_CCACHE})
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
                       # With the thread sanitizer gcc 12 takes members of variants for uninitialised.
                       $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Debug>>:-Wno-maybe-uninitialized>
                       # At -O3 gcc 12 reports overflows in fmt and std::string that cannot happen.
                       $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-stringop-overflow>
                       $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-stringop-overread>
                       $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-array-bounds>
                       $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-restrict>)
target_include_directories(surety_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
if(SURETY_SANITIZE)
  target_compile_options(surety_flags INTERFACE -fsanitize=${SURETY_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(surety_flags INTERFACE -fsanitize=${SURETY_SANITIZE})
  if(SURETY_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # A relative path, so that checkouts in different places share what was compiled.
    file(RELATIVE_PATH ubsan_ignore ${CMAKE_BINARY_DIR} ${SURETY_UBSAN_IGNORE})
    target_compile_options(surety_flags INTERFACE -fsanitize-ignorelist=${ubsan_ignore})
  endif()
endif()
