// What a network interface of this machine has carried, as the kernel counts it: everybody's bytes,
// when they pass the device, not when somebody hands them over.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"

namespace surety::posix {

struct InterfaceBytes {
  std::uint64_t out = 0, in = 0;  // Since the reader was made.
};

class InterfaceReader {
 public:
  // InvalidInput: there is no such interface, or it does not count.
  [[nodiscard]] static Result<InterfaceReader> of(const std::string& name);

  // The kernel's counters are 32 bits wide here: what passes between two calls is right if it is
  // less than 4 GiB. What it was, where the interface is gone. About 50 us.
  [[nodiscard]] InterfaceBytes read();

 private:
  explicit InterfaceReader(std::string name) : name_(std::move(name)) {}
  bool look();

  std::string name_;
  std::uint32_t out_ = 0, in_ = 0;  // As they were last.
  InterfaceBytes bytes_;
};

}  // namespace surety::posix
