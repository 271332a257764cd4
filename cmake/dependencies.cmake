# Every library, from Debian 12 packages; packages.txt lists the packages with reasons.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Protobuf REQUIRED)  # Module mode first: gRPC's own config expects these targets.
find_package(gRPC CONFIG REQUIRED)
find_package(tl-expected REQUIRED)
find_package(Eigen3 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
find_library(XXHASH_LIBRARY xxhash REQUIRED)
add_library(xxhash INTERFACE)
target_link_libraries(xxhash INTERFACE ${XXHASH_LIBRARY})

# libtorch, as system headers so that its warnings are not ours.
find_package(Torch REQUIRED)
add_library(surety_torch INTERFACE)
target_link_libraries(surety_torch INTERFACE ${TORCH_LIBRARIES})
target_include_directories(surety_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})

add_library(surety_grpc INTERFACE)
target_link_libraries(surety_grpc INTERFACE gRPC::grpc++ protobuf::libprotobuf)

if(SURETY_TESTS)
  find_package(GTest REQUIRED)
  enable_testing()

  # CLP and CBC: linear and mixed integer programs, exact references for the planner. In tests only.
  pkg_check_modules(CBC REQUIRED cbc osi-clp clp)
  add_library(surety_cbc INTERFACE)
  target_link_libraries(surety_cbc INTERFACE ${CBC_LINK_LIBRARIES})
  target_include_directories(surety_cbc SYSTEM INTERFACE ${CBC_INCLUDE_DIRS})
endif()
