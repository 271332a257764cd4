# A module is a folder under src/: its *.cc are the library, its *_test.cc the tests (which link the
# module's own dependencies, its TEST_DEPS, its TEST_LIBS and nothing else), its *_fuzz.cc one
# libFuzzer-style target each. Sources and tests are found by name, so none can be left out.
#
#   surety_module(elastic DEPS base data LIBS some::library
#                 TEST_DEPS other_module TEST_LIBS a::second_opinion)

set(SURETY_PCH_HEADERS <algorithm> <cstdint> <functional> <map> <memory> <optional> <span> <string>
                       <string_view> <utility> <variant> <vector> <fmt/format.h> <tl/expected.hpp>)

option(SURETY_LIBFUZZER "Build the fuzz targets with clang's libFuzzer" OFF)
if(SURETY_LIBFUZZER)
  # libFuzzer steers by the branches of the code under test, not only of the target's own file.
  target_compile_options(surety_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
add_custom_target(surety_fuzzers)  # All fuzz targets, and only the modules that they need.

function(surety_target_name module out)
  string(REPLACE "/" "_" name ${module})
  set(${out} surety_${name} PARENT_SCOPE)
endfunction()

function(surety_link target)
  foreach(dep ${ARGN})
    surety_target_name(${dep} dep_target)
    target_link_libraries(${target} PUBLIC ${dep_target})
  endforeach()
endfunction()

function(surety_module module)
  cmake_parse_arguments(ARG "" "" "DEPS;LIBS;TEST_DEPS;TEST_LIBS" ${ARGN})
  surety_target_name(${module} target)
  set(dir ${CMAKE_SOURCE_DIR}/src/${module})
  file(GLOB sources CONFIGURE_DEPENDS ${dir}/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(fuzzers ${sources})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|_fuzz|_bench|/main|/worker_main)\\.cc$")

  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC surety_flags ${ARG_LIBS} Threads::Threads)
    surety_link(${target} ${ARG_DEPS})
    # One precompiled header serves every module; code that includes libtorch brings its own.
    if(NOT module MATCHES "torch")
      target_precompile_headers(${target} PRIVATE ${SURETY_PCH_HEADERS})
    endif()
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE surety_flags ${ARG_LIBS})
    foreach(dep ${ARG_DEPS})
      surety_target_name(${dep} dep_target)
      target_link_libraries(${target} INTERFACE ${dep_target})
    endforeach()
  endif()

  if(SURETY_TESTS AND tests)
    add_executable(${target}_test ${tests})
    target_link_libraries(${target}_test PRIVATE ${target} ${ARG_TEST_LIBS} GTest::gmock_main)
    surety_link(${target}_test ${ARG_TEST_DEPS})
    surety_test(${module} ${target}_test)
  endif()
  if(SURETY_TESTS OR SURETY_LIBFUZZER)
    foreach(source ${fuzzers})
      surety_fuzz(${source} ${target})
    endforeach()
  endif()
endfunction()

# A fuzz target: the file defines LLVMFuzzerTestOneInput. In the tests it is driven by a small
# deterministic mutator (cmake/fuzz_main.cc); with clang and -DSURETY_LIBFUZZER=ON by libFuzzer.
function(surety_fuzz source target)
  get_filename_component(name ${source} NAME_WE)
  get_filename_component(dir ${source} DIRECTORY)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE ${target})
  add_dependencies(surety_fuzzers ${name})
  if(SURETY_LIBFUZZER)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/fuzz_main.cc)
    add_test(NAME fuzz/${name} COMMAND ${name} ${dir}/corpus/${name})
  endif()
endfunction()

# With what libraries and sanitizers must be told, and all that the test starts with it.
function(surety_test name program)
  add_test(NAME ${name} COMMAND ${program} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT
    "OMP_WAIT_POLICY=passive;UCX_MEM_EVENTS=no;UCX_TLS=tcp;LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/cmake/lsan.supp:print_suppressions=0;TSAN_OPTIONS=ignore_noninstrumented_modules=1:suppressions=${CMAKE_SOURCE_DIR}/cmake/tsan.supp")
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
    # Messages have another layout then: generated code must agree with ours.
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
