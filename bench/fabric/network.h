// Hosts on one machine (bench/namespaces.h), each link shaped at both ends.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"
#include "bench/namespaces.h"

namespace surety::bench {

class ShapedNetwork {
 public:
  // Returns the errors of Namespaces::make().
  [[nodiscard]] static Result<ShapedNetwork> make(std::uint32_t hosts, double mbit_per_s);

  // Sets the rates of both directions from now on.
  [[nodiscard]] Result<void> shape(std::uint32_t host, double out_mbit_per_s,
                                   double in_mbit_per_s) const;

  // The prefix of a command with which it runs in the host's namespace.
  [[nodiscard]] static std::string namespace_of(std::uint32_t host);
  [[nodiscard]] static std::string ip_of(std::uint32_t host);

 private:
  explicit ShapedNetwork(Namespaces hosts) : hosts_(std::move(hosts)) {}
  Namespaces hosts_;
};

}  // namespace surety::bench
