// Hosts on one machine (bench/namespaces.h) whose links can be cut and restored.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bench/namespaces.h"

namespace surety::bench {

class Network {
 public:
  // Returns the errors of Namespaces::make().
  [[nodiscard]] static Result<Network> make(std::uint32_t hosts);

  // The bridge drops everything from and to the host, without notice.
  [[nodiscard]] Result<void> cut(std::uint32_t host) const;
  [[nodiscard]] Result<void> restore(std::uint32_t host) const;

  // The prefix of a command with which it runs on that host.
  [[nodiscard]] static std::vector<std::string> on(std::uint32_t host);
  [[nodiscard]] static std::string ip_of(std::uint32_t host);

 private:
  explicit Network(Namespaces hosts) : hosts_(std::move(hosts)) {}
  Namespaces hosts_;
};

}  // namespace surety::bench
