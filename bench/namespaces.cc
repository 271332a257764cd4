#include "bench/namespaces.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace surety::bench {
namespace {

// Deleting a namespace deletes its links. Processes in it have ended, or end with their parent.
// Namespaces that remain after a failure are removed the next time, so the exit status does not
// matter.
void remove_all(const NamespacesKind& kind) {
  const std::string commands = fmt::format(
      "exec 2>/dev/null\n"
      "for n in $(ip netns list | cut -d' ' -f1 | grep '^{0}-'); do ip netns del $n; done"
      "\nfor v in $(ls /sys/class/net | grep '^{0}-'); do ip link del $v; done"
      "\n[ ! -e /sys/class/net/{0} ] || ip link del {0}",
      kind.bridge);
  [[maybe_unused]] const int status = std::system(commands.c_str());
}

Result<int> lock(const NamespacesKind& kind) {
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  // An abstract name: it disappears with the process that holds it.
  std::memcpy(name.sun_path + 1, kind.bridge, std::strlen(kind.bridge));
  if (fd >= 0 && ::bind(fd, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0) return fd;
  if (fd >= 0) ::close(fd);
  return fail(ErrorCode::kUnavailable, "another network {} is in use", kind.bridge);
}

}  // namespace

Result<void> run_script(const std::string& script) {
  const int status = std::system(fmt::format("exec 2>&1\nset -e\n{}", script).c_str());
  if (status == 0) return {};
  return fail(ErrorCode::kUnavailable, "a command failed (status {}):\n{}", status, script);
}

Result<Namespaces> Namespaces::make(const NamespacesKind& kind, std::uint32_t hosts,
                                    std::string_view more) {
  if (::geteuid() != 0) return fail(ErrorCode::kUnavailable, "network namespaces need root");
  SURETY_TRY(const int held, lock(kind));
  Namespaces made(kind, held);
  remove_all(kind);
  std::string script =
      fmt::format("ip link add {0} type bridge\nip link set {0} up\n", kind.bridge);
  for (std::uint32_t host = 0; host < hosts; ++host) {
    const std::string name = name_of(kind, host);
    script += fmt::format(
        "ip netns add {0}\n"
        "ip link add {0} type veth peer name eth0 netns {0}\n"
        "ip link set {0} master {1} up\n"
        "ip -n {0} addr add {2}/24 dev eth0\n"
        "ip -n {0} link set eth0 up\n"
        "ip -n {0} link set lo up\n",
        name, kind.bridge, ip_of(kind, host));
    script += fmt::format(fmt::runtime(more), name);
  }
  SURETY_TRY(run_script(script));
  return made;
}

Namespaces::Namespaces(Namespaces&& other) noexcept
    : kind_(other.kind_), lock_(std::exchange(other.lock_, -1)) {}

Namespaces::~Namespaces() {
  if (lock_ < 0) return;
  remove_all(kind_);
  ::close(lock_);
}

std::string Namespaces::name_of(const NamespacesKind& kind, std::uint32_t host) {
  return fmt::format("{}-{}", kind.bridge, host);
}
std::string Namespaces::ip_of(const NamespacesKind& kind, std::uint32_t host) {
  return fmt::format("{}.{}", kind.subnet, host + 1);
}

}  // namespace surety::bench
