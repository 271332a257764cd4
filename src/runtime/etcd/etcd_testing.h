// An etcd of its own for a test: on free ports of loopback, in a folder that goes with it.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>

#include <csignal>
#include <optional>
#include <string>

#include "base/posix/fd.h"
#include "base/posix/process.h"
#include "base/posix/temporary_folder.h"
#include "runtime/etcd/client.h"

namespace surety::runtime {

class EtcdForTest {
 public:
  EtcdForTest() : client_port_(free_port()), peer_port_(free_port()) { start(); }

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(client_port_); }

  // Also again after kill(), with what it had.
  void start() {
    const std::string at = "http://" + address();
    const std::string peer = "http://127.0.0.1:" + std::to_string(peer_port_);
    posix::ProcessOptions options;
    options.argv = {"etcd",
                    "--data-dir",
                    (folder_.path() / "data").string(),
                    "--listen-client-urls",
                    at,
                    "--advertise-client-urls",
                    at,
                    "--listen-peer-urls",
                    peer,
                    "--initial-advertise-peer-urls",
                    peer,
                    "--initial-cluster",
                    "default=" + peer};
    options.output = folder_.path() / "log";
    options.dies_with_parent = true;
    auto started = posix::Process::start(options);
    if (!started) return;
    process_.emplace(std::move(*started));
    EtcdClient client({address()});
    is_up_ = client.remove("/up", std::chrono::seconds(60)).has_value();
  }
  [[nodiscard]] bool is_up() const { return is_up_; }

  void kill() { process_->terminate(Duration::zero()); }
  void stop() { process_->send_signal(SIGSTOP); }
  void go_on() { process_->send_signal(SIGCONT); }

 private:
  static std::uint16_t free_port() {
    const posix::Fd socket(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* address = reinterpret_cast<sockaddr*>(&at);
    if (::bind(socket.get(), address, size) != 0) return 0;
    if (::getsockname(socket.get(), address, &size) != 0) return 0;
    return ntohs(at.sin_port);
  }

  posix::TemporaryFolder folder_;
  const std::uint16_t client_port_, peer_port_;
  std::optional<posix::Process> process_;
  bool is_up_ = false;
};

}  // namespace surety::runtime
