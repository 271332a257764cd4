// A network of hosts on one machine: network namespaces on a bridge, each link shaped at both ends.
//
// Needs root. What it makes is named so that a later start finds and removes what a killed one
// left.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace surety::bench {

class ShapedNetwork {
 public:
  // Hosts 0 to hosts - 1. Unavailable: not root, another one runs, or a command failed.
  [[nodiscard]] static Result<ShapedNetwork> make(std::uint32_t hosts, double mbit_per_s);
  ShapedNetwork(ShapedNetwork&& other) noexcept;
  ShapedNetwork& operator=(ShapedNetwork&&) = delete;
  ~ShapedNetwork();

  // Both directions, from now on.
  [[nodiscard]] Result<void> shape(std::uint32_t host, double out_mbit_per_s,
                                   double in_mbit_per_s) const;

  // What to put before a command so that it runs in the host's namespace.
  [[nodiscard]] static std::string namespace_of(std::uint32_t host);
  [[nodiscard]] static std::string ip_of(std::uint32_t host);

 private:
  explicit ShapedNetwork(int lock) : lock_(lock) {}
  int lock_ = -1;  // A socket with a name of which there is only one.
};

}  // namespace surety::bench
