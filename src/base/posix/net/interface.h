// Bytes that a network interface of this machine has carried, as counted by the kernel: those of
// all processes, at the time when they pass the device, not when they are sent.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"

namespace surety::posix {

struct InterfaceBytes {
  std::uint64_t out = 0;  // Bytes since the reader was made.
  std::uint64_t in = 0;   // Bytes since the reader was made.
};

class InterfaceReader {
 public:
  // InvalidInput if there is no such interface, or if it has no counters.
  [[nodiscard]] static Result<InterfaceReader> of(const std::string& name);

  // Reads the counters. They are 32 bits wide here, so the result is right if less than 4 GiB pass
  // between two calls. If the interface has disappeared, returns the last result. A call
  // takes about 50 us.
  [[nodiscard]] InterfaceBytes read();

 private:
  explicit InterfaceReader(std::string name) : name_(std::move(name)) {}
  bool read_counters();

  std::string name_;
  std::uint32_t out_ = 0;  // The counter at the last read.
  std::uint32_t in_ = 0;   // The counter at the last read.
  InterfaceBytes bytes_;
};

}  // namespace surety::posix
