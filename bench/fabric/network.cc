#include "bench/fabric/network.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace surety::bench {
namespace {

constexpr const char* kBridge = "surety-fb";
constexpr const char* kPrefix = "surety-fb-";

// A shaper lets a burst pass at once: small against what a measure sends, not below what a slow
// kernel timer needs, and the same at every rate, because a packet that waits in it and is larger
// than a new burst would wait for ever. The queue holds 50 ms.
std::string shaper(double mbit_per_s) {
  return fmt::format("tbf rate {:.0f}kbit burst 64kb latency 50ms", mbit_per_s * 1000);
}

Result<void> shell(const std::string& script) {
  const int status = std::system(fmt::format("set -e\n{}", script).c_str());
  if (status == 0) return {};
  return fail(ErrorCode::kUnavailable, "a command failed (status {}):\n{}", status, script);
}

// Deleting a namespace deletes its links; processes in it are gone, or die with their parent.
void remove_all() {
  static_cast<void>(std::system(
      fmt::format(
          "for n in $(ip netns list | cut -d' ' -f1 | grep '^{0}'); do ip netns del $n; done"
          "\nfor v in $(ls /sys/class/net | grep '^{0}'); do ip link del $v 2>/dev/null; done"
          "\n[ ! -e /sys/class/net/{1} ] || ip link del {1}",
          kPrefix, kBridge)
          .c_str()));
}

Result<int> lock() {
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path + 1, kBridge, std::strlen(kBridge));  // Abstract: goes with its holder.
  if (fd >= 0 && ::bind(fd, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0) return fd;
  if (fd >= 0) ::close(fd);
  return fail(ErrorCode::kUnavailable, "another network of this benchmark is in use");
}

}  // namespace

std::string ShapedNetwork::namespace_of(std::uint32_t host) {
  return fmt::format("{}{}", kPrefix, host);
}
std::string ShapedNetwork::ip_of(std::uint32_t host) {
  return fmt::format("10.213.0.{}", host + 1);
}

Result<ShapedNetwork> ShapedNetwork::make(std::uint32_t hosts, double mbit_per_s) {
  if (::geteuid() != 0) {
    return fail(ErrorCode::kUnavailable, "network namespaces and shaped links need root");
  }
  SURETY_TRY(const int held, lock());
  ShapedNetwork network(held);
  remove_all();
  std::string script = fmt::format("ip link add {0} type bridge\nip link set {0} up\n", kBridge);
  for (std::uint32_t host = 0; host < hosts; ++host) {
    script += fmt::format(
        "ip netns add {0}\n"
        "ip link add {0} type veth peer name eth0 netns {0}\n"
        "ip link set {0} master {1} up\n"
        "ip -n {0} addr add {2}/24 dev eth0\n"
        "ip -n {0} link set eth0 up\n"
        "ip -n {0} link set lo up\n"
        "tc qdisc add dev {0} root {3}\n"
        "tc -n {0} qdisc add dev eth0 root {3}\n",
        namespace_of(host), kBridge, ip_of(host), shaper(mbit_per_s));
  }
  SURETY_TRY(shell(script));
  return network;
}

ShapedNetwork::ShapedNetwork(ShapedNetwork&& other) noexcept
    : lock_(std::exchange(other.lock_, -1)) {}

ShapedNetwork::~ShapedNetwork() {
  if (lock_ < 0) return;
  remove_all();
  ::close(lock_);
}

Result<void> ShapedNetwork::shape(std::uint32_t host, double out_mbit_per_s,
                                  double in_mbit_per_s) const {
  return shell(
      fmt::format("tc -n {0} qdisc replace dev eth0 root {1}\n"
                  "tc qdisc replace dev {0} root {2}\n",
                  namespace_of(host), shaper(out_mbit_per_s), shaper(in_mbit_per_s)));
}

}  // namespace surety::bench
