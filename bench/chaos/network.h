// Hosts on one machine: network namespaces on a bridge, whose links can be cut and mended.
//
// Needs root and ip(8). What it makes is named so that the next start removes what a killed one
// left.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace surety::bench {

class Network {
 public:
  // Hosts 0 to hosts - 1. Unavailable: not root, no ip(8), another one is in use, or a command
  // failed.
  [[nodiscard]] static Result<Network> make(std::uint32_t hosts);
  Network(Network&& other) noexcept;
  Network& operator=(Network&&) = delete;
  ~Network();

  // The bridge drops whatever comes from or for the host; nobody is told.
  [[nodiscard]] Result<void> cut(std::uint32_t host) const;
  [[nodiscard]] Result<void> mend(std::uint32_t host) const;

  // What to put before a command so that it runs there.
  [[nodiscard]] static std::vector<std::string> on(std::uint32_t host);
  [[nodiscard]] static std::string ip_of(std::uint32_t host);

 private:
  explicit Network(int lock) : lock_(lock) {}
  int lock_ = -1;  // A socket with a name of which there is only one.
};

}  // namespace surety::bench
