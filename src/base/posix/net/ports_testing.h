// Ports of loopback for servers that a test starts, if they need a given port or must start again
// on the same one.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/posix/fd.h"

namespace surety::posix {

// Consecutive ports that nothing else gets while this object lives. They are below the ports that
// the kernel assigns to clients and to servers without a fixed port (32768 and above). Other tests
// at the same time see that a port is taken, because a UDP socket with the same number is bound.
class ReservedPorts {
 public:
  explicit ReservedPorts(int count) {
    constexpr int kBegin = 16'000;
    constexpr int kEnd = 32'000;
    const int places = (kEnd - kBegin) / count;
    for (int place = 0; place < places && held_.empty(); ++place) {
      // Tests that start at the same time try different places first.
      first_ = kBegin + (::getpid() + place) % places * count;
      for (int port = first_; port < first_ + count && hold(port); ++port) {
      }
      if (held_.size() < static_cast<std::size_t>(count)) held_.clear();
    }
    SURETY_CHECK(!held_.empty());
  }

  [[nodiscard]] int first() const { return first_; }

 private:
  bool hold(int port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(port));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto* address = reinterpret_cast<const sockaddr*>(&at);
    Fd mark(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (::bind(mark.get(), address, sizeof at) != 0) return false;
    const Fd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::bind(server.get(), address, sizeof at) != 0) return false;
    held_.push_back(std::move(mark));
    return true;
  }

  int first_ = 0;
  std::vector<Fd> held_;  // One UDP socket for each port.
};

}  // namespace surety::posix
