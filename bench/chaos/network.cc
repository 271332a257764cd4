#include "network.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace surety::bench {
namespace {

constexpr const char* kBridge = "surety-ch";
constexpr const char* kPrefix = "surety-ch-";

Result<void> shell(const std::string& script) {
  const int status = std::system(fmt::format("exec 2>&1\nset -e\n{}", script).c_str());
  if (status == 0) return {};
  return fail(ErrorCode::kUnavailable, "a command failed (status {}):\n{}", status, script);
}

// Deleting a namespace deletes its links.
void remove_all() {
  static_cast<void>(std::system(
      fmt::format(
          "exec 2>/dev/null\n"
          "for n in $(ip netns list | cut -d' ' -f1 | grep '^{0}'); do ip netns del $n; done"
          "\nfor v in $(ls /sys/class/net | grep '^{0}'); do ip link del $v; done"
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
  return fail(ErrorCode::kUnavailable, "another network of this kind is in use");
}

std::string name_of(std::uint32_t host) { return fmt::format("{}{}", kPrefix, host); }

// Of the bridge's port (linux/if_bridge.h).
constexpr int kDisabled = 0, kForwarding = 3;

Result<void> set_port(std::uint32_t host, int state) {
  return shell(fmt::format("bridge link set dev {} state {}", name_of(host), state));
}

}  // namespace

Result<Network> Network::make(std::uint32_t hosts) {
  if (::geteuid() != 0) return fail(ErrorCode::kUnavailable, "network namespaces need root");
  SURETY_TRY(const int held, lock());
  Network network(held);
  remove_all();
  std::string script = fmt::format("ip link add {0} type bridge\nip link set {0} up\n", kBridge);
  for (std::uint32_t host = 0; host < hosts; ++host) {
    script += fmt::format(
        "ip netns add {0}\n"
        "ip link add {0} type veth peer name eth0 netns {0}\n"
        "ip link set {0} master {1} up\n"
        "ip -n {0} addr add {2}/24 dev eth0\n"
        "ip -n {0} link set eth0 up\n"
        "ip -n {0} link set lo up\n",
        name_of(host), kBridge, ip_of(host));
  }
  SURETY_TRY(shell(script));
  return network;
}

Network::Network(Network&& other) noexcept : lock_(std::exchange(other.lock_, -1)) {}

Network::~Network() {
  if (lock_ < 0) return;
  remove_all();
  ::close(lock_);
}

Result<void> Network::cut(std::uint32_t host) const { return set_port(host, kDisabled); }
Result<void> Network::mend(std::uint32_t host) const { return set_port(host, kForwarding); }

std::vector<std::string> Network::on(std::uint32_t host) {
  return {"ip", "netns", "exec", name_of(host)};
}

std::string Network::ip_of(std::uint32_t host) { return fmt::format("10.214.0.{}", host + 1); }

}  // namespace surety::bench
