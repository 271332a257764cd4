// An etcd for a test, on free ports of loopback, in a folder that is removed afterwards. The folder
// is in memory where there is room for files, because etcd waits for the disk before each answer.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/crypto/authority.h"
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
  // It demands certificates that this authority has issued.
  explicit EtcdForTest(const crypto::Authority& authority) : keys_(write_keys(authority)) {
    start();
  }

  [[nodiscard]] std::string address() const { return fmt::format("{}:{}", kHost, ports_.first()); }
  [[nodiscard]] EtcdMembers members() const { return {{address()}, keys_}; }
  // The files with the keys of a client: ca.pem, client.pem and client.key.
  [[nodiscard]] std::string path(const char* name) const {
    return (folder_.path() / name).string();
  }

  // Also restarts it after kill(), with its data.
  void start() {
    const std::string at =
        fmt::format("{}://127.0.0.1:{}", keys_ ? "https" : "http", ports_.first());
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
    if (keys_) {
      options.argv.insert(
          options.argv.end(),
          {"--cert-file", path("server.pem"), "--key-file", path("server.key"), "--trusted-ca-file",
           path("ca.pem"), "--client-cert-auth", "--enable-grpc-gateway=false"});
    }
    options.output = folder_.path() / "log";
    options.dies_with_parent = true;
    auto started = posix::Process::start(options);
    if (!started) return;
    process_.emplace(std::move(*started));
    EtcdClient client(members());
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
  static constexpr const char* kHost = "127.0.0.1";

  EtcdKeys write_keys(const crypto::Authority& authority) const {
    const crypto::Identity server = authority.issue_server(kHost);
    const crypto::Identity client = authority.issue_client();
    const std::pair<const char*, std::string> files[] = {{"ca.pem", authority.certificate()},
                                                         {"server.pem", server.certificate},
                                                         {"server.key", server.private_key},
                                                         {"client.pem", client.certificate},
                                                         {"client.key", client.private_key}};
    for (const auto& [name, text] : files) {
      EXPECT_TRUE(posix::write_secret_file(folder_.path() / name, text));
    }
    return {authority.certificate(), client.certificate, client.private_key};
  }

  static std::filesystem::path parent_folder() {
    constexpr const char* kInMemory = "/dev/shm";
    if (::access(kInMemory, W_OK | X_OK) == 0) return kInMemory;
    return std::filesystem::temp_directory_path();
  }

  posix::TemporaryFolder folder_{parent_folder()};
  const posix::ReservedPorts ports_{2};  // One port for clients, and one for other members.
  std::optional<EtcdKeys> keys_;         // After the folder, in which their files are.
  std::optional<posix::Process> process_;
  bool is_up_ = false;
};

}  // namespace surety::runtime
