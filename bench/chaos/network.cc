#include "network.h"

#include <fmt/format.h>

namespace surety::bench {
namespace {

constexpr NamespacesKind kKind = {.bridge = "surety-ch", .subnet = "10.214.0"};

// States of a port of the bridge (linux/if_bridge.h).
constexpr int kDisabled = 0;
constexpr int kForwarding = 3;

Result<void> set_port(std::uint32_t host, int state) {
  return run_script(
      fmt::format("bridge link set dev {} state {}", Namespaces::name_of(kKind, host), state));
}

}  // namespace

Result<Network> Network::make(std::uint32_t hosts) {
  SURETY_TRY(Namespaces hosts_made, Namespaces::make(kKind, hosts));
  return Network(std::move(hosts_made));
}

Result<void> Network::cut(std::uint32_t host) const { return set_port(host, kDisabled); }
Result<void> Network::restore(std::uint32_t host) const { return set_port(host, kForwarding); }

std::vector<std::string> Network::on(std::uint32_t host) {
  return {"ip", "netns", "exec", Namespaces::name_of(kKind, host)};
}

std::string Network::ip_of(std::uint32_t host) { return Namespaces::ip_of(kKind, host); }

}  // namespace surety::bench
