// An etcd for a test, on free ports of loopback, in a folder that is removed afterwards. The folder
// is in memory where there is room for files, because etcd waits for the disk before each answer.
#pragma once

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/posix/file.h"
#include "base/posix/net/ports_testing.h"
#include "base/posix/process.h"
#include "base/posix/temporary_folder.h"
#include "base/posix/wait_testing.h"
#include "runtime/etcd/client.h"

namespace surety::runtime {

class EtcdForTest {
 public:
  EtcdForTest() { start(); }

  [[nodiscard]] std::string address() const {
    return "127.0.0.1:" + std::to_string(ports_.first());
  }

  // Also restarts it after kill(), with its data.
  void start() {
    const std::string at = "http://" + address();
    const std::string peer = "http://127.0.0.1:" + std::to_string(ports_.first() + 1);
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
    is_up_ = client.remove("/up", posix::kTestPatience).has_value();
  }
  [[nodiscard]] bool is_up() const { return is_up_; }
  [[nodiscard]] std::string log() const {
    return posix::tail_of(posix::read_file(folder_.path() / "log").value_or(""));
  }

  void kill() { process_->terminate(Duration::zero()); }
  void stop() { process_->send_signal(SIGSTOP); }
  void resume() { process_->send_signal(SIGCONT); }

 private:
  static std::filesystem::path parent_folder() {
    constexpr const char* kInMemory = "/dev/shm";
    if (::access(kInMemory, W_OK | X_OK) == 0) return kInMemory;
    return std::filesystem::temp_directory_path();
  }

  posix::TemporaryFolder folder_{parent_folder()};
  const posix::ReservedPorts ports_{2};  // One port for clients, and one for other members.
  std::optional<posix::Process> process_;
  bool is_up_ = false;
};

}  // namespace surety::runtime
