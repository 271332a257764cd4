#include "bench/fabric/network.h"

#include <fmt/format.h>

namespace surety::bench {
namespace {

constexpr NamespacesKind kKind = {.bridge = "surety-fb", .subnet = "10.213.0"};

// A shaper passes a burst at once. The burst is small compared with the data of a measure, but
// large enough for a slow kernel timer. It is the same at every rate: a waiting packet that is
// larger than a new, smaller burst would wait for ever. The queue holds 50 ms.
std::string shaper(double mbit_per_s) {
  return fmt::format("tbf rate {:.0f}kbit burst 64kb latency 50ms", mbit_per_s * 1000);
}

}  // namespace

std::string ShapedNetwork::namespace_of(std::uint32_t host) {
  return Namespaces::name_of(kKind, host);
}
std::string ShapedNetwork::ip_of(std::uint32_t host) { return Namespaces::ip_of(kKind, host); }

Result<ShapedNetwork> ShapedNetwork::make(std::uint32_t hosts, double mbit_per_s) {
  const std::string shaping = fmt::format(
      "tc qdisc add dev {{0}} root {0}\n"
      "tc -n {{0}} qdisc add dev eth0 root {0}\n",
      shaper(mbit_per_s));
  SURETY_TRY(Namespaces hosts_made, Namespaces::make(kKind, hosts, shaping));
  return ShapedNetwork(std::move(hosts_made));
}

Result<void> ShapedNetwork::shape(std::uint32_t host, double out_mbit_per_s,
                                  double in_mbit_per_s) const {
  return run_script(
      fmt::format("tc -n {0} qdisc replace dev eth0 root {1}\n"
                  "tc qdisc replace dev {0} root {2}\n",
                  namespace_of(host), shaper(out_mbit_per_s), shaper(in_mbit_per_s)));
}

}  // namespace surety::bench
