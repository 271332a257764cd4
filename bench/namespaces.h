// Several hosts on one machine: network namespaces on a bridge, each with one link.
//
// This needs root and ip(8). All names are fixed, so that the next start removes the namespaces of
// a killed process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace surety::bench {

// One network. Networks of several kinds may be in use at the same time, but only one of each kind.
struct NamespacesKind {
  const char* bridge;  // The bridge's interface; the hosts' are BRIDGE-0, BRIDGE-1, ...
  const char* subnet;  // The first three numbers of the network's addresses.
};

class Namespaces {
 public:
  // Makes the hosts 0 to hosts - 1. `more` holds commands to run for each host, with {0} for its
  // name. This is the name of its namespace and of the bridge's end of its link. Unavailable if we
  // are not root, ip(8) is missing, another network of this kind is in use, or a command failed.
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
  int lock_ = -1;  // A socket whose name only one process can have.
};

// Runs a script of sh(1). Unavailable if one of its commands failed.
[[nodiscard]] Result<void> run_script(const std::string& script);

}  // namespace surety::bench
