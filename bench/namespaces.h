// Hosts on one machine: network namespaces on a bridge, one link each.
//
// Needs root and ip(8). What it makes is named so that the next start removes what a killed one
// left.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace surety::bench {

// Which network: several kinds may be in use at the same time, of each kind one.
struct NamespacesKind {
  const char* bridge;  // Its interface; hosts' are BRIDGE-0, BRIDGE-1, ...
  const char* subnet;  // The first three numbers of its addresses.
};

class Namespaces {
 public:
  // Hosts 0 to hosts - 1. `more`: commands for each host, with {0} for its name, which is both that
  // of its namespace and of the bridge's end of its link. Unavailable: not root, no ip(8), another
  // one of this kind is in use, or a command failed.
  [[nodiscard]] static Result<Namespaces> make(const NamespacesKind& kind, std::uint32_t hosts,
                                               std::string_view more = "");
  Namespaces(Namespaces&& other) noexcept;
  Namespaces& operator=(Namespaces&&) = delete;
  ~Namespaces();

  [[nodiscard]] static std::string name_of(const NamespacesKind& kind, std::uint32_t host);
  [[nodiscard]] static std::string ip_of(const NamespacesKind& kind, std::uint32_t host);

 private:
  Namespaces(const NamespacesKind& kind, int lock) : kind_(kind), lock_(lock) {}
  NamespacesKind kind_;
  int lock_ = -1;  // A socket with a name of which there is only one.
};

// Runs a script of sh(1). Unavailable: a command of it failed.
[[nodiscard]] Result<void> run_script(const std::string& script);

}  // namespace surety::bench
