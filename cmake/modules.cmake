# A module is a folder under src/: its *.cc are the library, its *_test.cc the tests (which link the
# module's own dependencies, its TEST_DEPS, its TEST_LIBS and nothing else), its *_fuzz.cc one
# libFuzzer-style target each. Sources and tests are found by name, so none can be forgotten.
#
# The folder test/support/MODULE contains code that tests of the module share with those of other
# modules and with benchmarks. It is a separate library. Tests of the module and of modules that
# depend on it link it; no program does.
#
#   surety_module(elastic DEPS base data LIBS some::library
#                 TEST_DEPS other_module TEST_LIBS a::second_opinion
#                 ROOT folder       # Where the module's folder lies, if not in src/.
#                 ALONE source.cc   # Sources that no other source is compiled together with.
#                 TEST_COST 60      # Seconds that its tests take, where it is long.
#                 TEST_PARTS 3      # Its tests are run by so many processes, each a part of them.
#                 HOT)              # Time is spent in it: -O2 in debug builds, -O3 in release builds.

# Sources in one unit. With more of them a whole build is faster, and a changed source slower.
set(SURETY_UNITY_BATCH 8)
option(SURETY_UNITY "Compile several sources of a module as one unit" ON)

# Three precompiled headers serve everything: one for modules, one for HOT modules, and one for tests,
# which has gtest and gmock as well. They only make the build faster: the test lint/headers checks
# that each header compiles alone.
set(SURETY_PCH_HEADERS <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional>
                       <set> <span> <string> <string_view> <utility> <variant> <vector>
                       <fmt/format.h> <tl/expected.hpp>)

function(surety_pch target)
  cmake_parse_arguments(ARG "" "" "HEADERS;OPTIONS;LIBS" ${ARGN})
  file(WRITE ${CMAKE_BINARY_DIR}/${target}.cc "")
  add_library(${target} STATIC ${CMAKE_BINARY_DIR}/${target}.cc)
  target_link_libraries(${target} PUBLIC surety_flags fmt::fmt ${ARG_LIBS})
  target_compile_options(${target} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${target} PRIVATE ${SURETY_PCH_HEADERS} ${ARG_HEADERS})
endfunction()

surety_pch(surety_pch)
surety_pch(surety_hot_pch OPTIONS ${SURETY_HOT_OPTIONS})
if(SURETY_TESTS)
  surety_pch(surety_test_pch HEADERS <gmock/gmock.h> <gtest/gtest.h> LIBS GTest::gmock)
endif()

# Compiles `target` with the precompiled header of `pch`, and several sources as one unit. The units
# are small enough that one changed source is compiled within seconds.
function(surety_fast_build target pch)
  target_precompile_headers(${target} REUSE_FROM ${pch})
  if(SURETY_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${SURETY_UNITY_BATCH})
  endif()
endfunction()

option(SURETY_LIBFUZZER "Build the fuzz targets with clang's libFuzzer too" OFF)
# libFuzzer must observe the branches of the module under test, not only those of the target's own
# file.
set(SURETY_FUZZED_OPTIONS -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table)
add_custom_target(surety_headers)  # Each header of a module, compiled alone.
add_custom_target(surety_fuzzers)  # All fuzz targets, and only the modules that they need.

function(surety_target_name module out)
  string(REPLACE "/" "_" name ${module})
  if(NOT module MATCHES "^bench/")
    set(name surety_${name})
  endif()
  set(${out} ${name} PARENT_SCOPE)
endfunction()

function(surety_link target)
  foreach(dep ${ARGN})
    surety_target_name(${dep} dep_target)
    target_link_libraries(${target} PUBLIC ${dep_target})
  endforeach()
endfunction()

# Links the test support of these modules, if there is any.
function(surety_link_support target)
  foreach(module ${ARGN})
    surety_target_name(${module} name)
    if(TARGET ${name}_support)
      target_link_libraries(${target} PUBLIC ${name}_support)
    endif()
  endforeach()
endfunction()

function(surety_module module)
  cmake_parse_arguments(ARG "HOT" "TEST_COST;TEST_PARTS;ROOT" "DEPS;LIBS;TEST_DEPS;TEST_LIBS;ALONE" ${ARGN})
  surety_target_name(${module} target)
  set(root ${CMAKE_SOURCE_DIR}/src)
  if(ARG_ROOT)
    set(root ${ARG_ROOT})
  endif()
  set(dir ${root}/${module})
  file(GLOB sources CONFIGURE_DEPENDS ${dir}/*.cc)
  file(GLOB support_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/support/${module}/*_test.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(APPEND tests ${support_tests})
  set(fuzzers ${sources})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|_fuzz|_bench|/main)\\.cc$")

  list(TRANSFORM ARG_ALONE PREPEND ${dir}/)
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

  set(scope PUBLIC)
  set(pch surety_pch)
  if(ARG_HOT)
    set(pch surety_hot_pch)
  endif()
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC surety_flags ${ARG_LIBS} Threads::Threads)
    surety_link(${target} ${ARG_DEPS})
    if(SURETY_LIBFUZZER AND fuzzers)
      target_compile_options(${target} PRIVATE ${SURETY_FUZZED_OPTIONS})
    endif()
    if(ARG_HOT)
      target_compile_options(${target} PRIVATE ${SURETY_HOT_OPTIONS})
    endif()
    if(NOT module MATCHES "torch")
      surety_fast_build(${target} ${pch})
    elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${CMAKE_SOURCE_DIR}/cmake/gcc_for_torch;${CMAKE_CXX_COMPILER_LAUNCHER}")
    endif()
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE surety_flags ${ARG_LIBS})
    foreach(dep ${ARG_DEPS})
      surety_target_name(${dep} dep_target)
      target_link_libraries(${target} INTERFACE ${dep_target})
    endforeach()
  endif()
  if(ARG_ROOT)
    target_include_directories(${target} ${scope} ${ARG_ROOT})
  endif()
  if(SURETY_TESTS OR SURETY_BENCH)
    surety_support(${module} ${target} ${pch} ${ARG_DEPS} ${ARG_TEST_DEPS})
  endif()

  if(SURETY_TESTS)
    surety_check_headers(${target} ${root} ${module})
    if(TARGET ${target}_headers)  # Some headers are for tests.
      target_link_libraries(${target}_headers PUBLIC ${ARG_TEST_LIBS})
      surety_link(${target}_headers ${ARG_TEST_DEPS})
      surety_link_support(${target}_headers ${module} ${ARG_DEPS} ${ARG_TEST_DEPS})
    endif()
  endif()
  if(SURETY_TESTS AND tests)
    add_executable(${target}_test ${tests})
    target_link_libraries(${target}_test PRIVATE ${target} ${ARG_TEST_LIBS} GTest::gmock_main)
    surety_link(${target}_test ${ARG_TEST_DEPS})
    surety_link_support(${target}_test ${module} ${ARG_DEPS} ${ARG_TEST_DEPS})
    surety_fast_build(${target}_test surety_test_pch)
    surety_test(${module} ${target}_test COST ${ARG_TEST_COST} PARTS ${ARG_TEST_PARTS})
  endif()
  if(SURETY_TESTS)
    foreach(source ${fuzzers})
      surety_fuzz(${source} ${target})
      get_filename_component(name ${source} NAME_WE)
      foreach(fuzzer ${name} ${name}_libfuzzer)
        if(TARGET ${fuzzer})
          surety_link_support(${fuzzer} ${module})
        endif()
      endforeach()
    endforeach()
  endif()
endfunction()

# The library of test/support/MODULE, if there is such a folder. It depends on the module, and on the
# test support of the module's own dependencies. Its headers are included by their path from the root.
function(surety_support module target pch)
  set(dir ${CMAKE_SOURCE_DIR}/test/support/${module})
  file(GLOB headers CONFIGURE_DEPENDS ${dir}/*.h)
  file(GLOB sources CONFIGURE_DEPENDS ${dir}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  if(NOT headers)
    return()
  endif()
  # A library without sources gets an empty one, so that all are linked in the same way.
  if(NOT sources)
    set(sources ${CMAKE_BINARY_DIR}/${target}_support.cc)
    if(NOT EXISTS ${sources})
      file(WRITE ${sources} "")
    endif()
  endif()
  add_library(${target}_support STATIC ${sources})
  target_link_libraries(${target}_support PUBLIC ${target})
  surety_link(${target}_support ${ARGN})
  target_include_directories(${target}_support PUBLIC ${CMAKE_SOURCE_DIR})
  surety_link_support(${target}_support ${ARGN})
  if(pch STREQUAL surety_hot_pch)
    target_compile_options(${target}_support PRIVATE ${SURETY_HOT_OPTIONS})
  endif()
  surety_fast_build(${target}_support ${pch})
  if(SURETY_TESTS)
    surety_check_headers(${target}_support ${CMAKE_SOURCE_DIR} test/support/${module})
  endif()
endfunction()

# A fuzz target: the file defines LLVMFuzzerTestOneInput. In the tests it is driven by a small
# deterministic mutator (cmake/fuzz_main.cc); with clang and -DSURETY_LIBFUZZER=ON there is also
# NAME_libfuzzer.
function(surety_fuzz source target)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source} ${CMAKE_SOURCE_DIR}/cmake/fuzz_main.cc)
  target_link_libraries(${name} PRIVATE ${target})
  add_test(NAME fuzz/${name} COMMAND ${name} ${CMAKE_SOURCE_DIR}/test/corpus/${name})
  if(SURETY_LIBFUZZER)
    add_executable(${name}_libfuzzer ${source})
    target_link_libraries(${name}_libfuzzer PRIVATE ${target})
    target_link_options(${name}_libfuzzer PRIVATE -fsanitize=fuzzer)
    set_target_properties(${name}_libfuzzer PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    add_dependencies(surety_fuzzers ${name}_libfuzzer)
  endif()
endfunction()

# Compiles each header of the library `target` alone, without a precompiled header: with those, and
# with several sources in a unit, no other check would notice that a header lacks an include. The
# headers lie in `folder` below `root`, from which they are included. The test lint/headers builds
# it, so that only headers are compiled whose includes changed.
function(surety_check_headers target root folder)
  file(GLOB headers CONFIGURE_DEPENDS ${root}/${folder}/*.h)
  # Included in the middle of a source, once for each set of kernels.
  list(FILTER headers EXCLUDE REGEX "/glm_ascend\\.h$")
  set(units)
  foreach(header ${headers})
    file(RELATIVE_PATH path ${root} ${header})
    set(unit ${CMAKE_BINARY_DIR}/headers/${path}.cc)
    if(NOT EXISTS ${unit})
      file(WRITE ${unit} "#include \"${path}\"\n")
    endif()
    list(APPEND units ${unit})
  endforeach()
  if(units)
    add_library(${target}_headers OBJECT EXCLUDE_FROM_ALL ${units})
    target_link_libraries(${target}_headers PUBLIC ${target})
    target_compile_options(${target}_headers PRIVATE -O0 -g0 -fno-sanitize=all)
    add_dependencies(surety_headers ${target}_headers)
  endif()
endfunction()

# A test, with the environment that libraries and sanitizers need in it and in all processes that it
# starts (base/posix/worker_environment.h says why). The address sanitizer records 8 frames of each
# allocation instead of 30, and keeps 64 MB of freed memory instead of 256: a worker with libtorch
# then starts in three quarters of the time. `COST` is about how many seconds the test takes: ctest
# starts the longest first. With `PARTS`, gtest divides the tests of the program among as many ctest
# tests, NAME-1, NAME-2, ..., that may run side by side; `COST` is that of one of them.
function(surety_test name program)
  cmake_parse_arguments(ARG "" "COST;PARTS" "" ${ARGN})
  set(environment "OMP_WAIT_POLICY=passive;OPENBLAS_THREAD_TIMEOUT=14;ASAN_OPTIONS=malloc_context_size=8:quarantine_size_mb=64;LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/cmake/lsan.supp:print_suppressions=0;TSAN_OPTIONS=ignore_noninstrumented_modules=1:suppressions=${CMAKE_SOURCE_DIR}/cmake/tsan.supp")
  set(names ${name})
  if(ARG_PARTS)
    set(names)
    foreach(part RANGE 1 ${ARG_PARTS})
      list(APPEND names ${name}-${part})
    endforeach()
  endif()
  set(index 0)
  foreach(part ${names})
    add_test(NAME ${part} COMMAND ${program} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set(own)
    if(ARG_PARTS)
      # Parts that start at the same time would choose the same name for their results.
      string(REPLACE "/" "_" file ${part})
      set(own "GTEST_TOTAL_SHARDS=${ARG_PARTS};GTEST_SHARD_INDEX=${index};GTEST_OUTPUT=json:${CMAKE_BINARY_DIR}/results/surety_${file}_test.json")
    endif()
    set_tests_properties(${part} PROPERTIES ENVIRONMENT "${environment};${own}")
    if(ARG_COST)
      set_tests_properties(${part} PROPERTIES COST ${ARG_COST})
    endif()
    math(EXPR index "${index} + 1")
  endforeach()
endfunction()

# Messages between processes and in the journal, generated from proto/*.proto.
function(surety_proto module)
  surety_target_name(${module} target)
  file(GLOB protos CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/proto/*.proto)
  if(NOT protos)
    add_library(${target} INTERFACE)
    return()
  endif()
  set(out ${CMAKE_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${out})
  add_library(${target} STATIC ${protos})
  target_link_libraries(${target} PUBLIC protobuf::libprotobuf)
  target_include_directories(${target} SYSTEM PUBLIC ${out})
  protobuf_generate(TARGET ${target} LANGUAGE cpp IMPORT_DIRS ${CMAKE_SOURCE_DIR} PROTOC_OUT_DIR ${out})
  add_library(${target}_grpc STATIC ${protos})
  target_link_libraries(${target}_grpc PUBLIC ${target} gRPC::grpc++)
  protobuf_generate(TARGET ${target}_grpc LANGUAGE grpc IMPORT_DIRS ${CMAKE_SOURCE_DIR} PROTOC_OUT_DIR ${out}
                    GENERATE_EXTENSIONS .grpc.pb.h .grpc.pb.cc PLUGIN "protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>")
  add_dependencies(${target}_grpc ${target})
  if(SURETY_SANITIZE STREQUAL "thread")
    # Messages then have another layout, so generated code must be compiled like ours.
    foreach(generated ${target} ${target}_grpc)
      target_compile_options(${generated} PRIVATE -fsanitize=thread)
    endforeach()
  endif()
endfunction()

function(surety_program name)
  cmake_parse_arguments(ARG "" "MAIN" "DEPS" ${ARGN})
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${ARG_MAIN})
    return()
  endif()
  add_executable(${name} ${ARG_MAIN})
  surety_link(${name} ${ARG_DEPS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()

# The output of `surety --version`: the version of project(), and the commit, which is determined at
# each build.
set(SURETY_VERSION_SOURCE ${CMAKE_BINARY_DIR}/generated/version/version.cc)
add_custom_target(surety_version_source
                  COMMAND ${CMAKE_COMMAND} -DVERSION=${PROJECT_VERSION} -DFROM=${CMAKE_SOURCE_DIR}
                          -DTO=${SURETY_VERSION_SOURCE} -P ${CMAKE_SOURCE_DIR}/cmake/version.cmake
                  BYPRODUCTS ${SURETY_VERSION_SOURCE}
                  COMMENT "Looking up the commit")
add_library(surety_version STATIC ${SURETY_VERSION_SOURCE})
target_link_libraries(surety_version PUBLIC surety_flags)
add_dependencies(surety_version surety_version_source)
