// Helpers for tests of transports: several transports in one process, and in separate processes.
//
// A parent makes its transports after forking, so that no child inherits one.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/posix/wait_testing.h"
#include "base/random.h"
#include "fabric/transport/transport.h"

namespace surety::fabric::transport_testing {

inline constexpr std::uint64_t kSecret = 0x5eca5eca5eca5ecaull;

inline std::vector<std::byte> pattern(std::size_t bytes, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::byte> made(bytes);
  for (auto& b : made) b = static_cast<std::byte>(random.next());
  return made;
}

// The events that each transport has returned.
struct Events {
  std::vector<Received> received;
  std::vector<std::uint64_t> sent;
  std::vector<PeerLost> lost;
};

// Polls all transports in turn until `done`.
inline ::testing::AssertionResult pump(const std::vector<Transport*>& transports,
                                       std::vector<Events>& events,
                                       const std::function<bool()>& done) {
  events.resize(transports.size());
  const auto poll_all = [&] {
    for (std::size_t i = 0; i < transports.size(); ++i) {
      for (auto& event : transports[i]->poll(std::chrono::milliseconds(1))) {
        if (auto* received = std::get_if<Received>(&event)) {
          events[i].received.push_back(std::move(*received));
        } else if (const auto* sent = std::get_if<Sent>(&event)) {
          events[i].sent.push_back(sent->ticket);
        } else {
          events[i].lost.push_back(std::get<PeerLost>(event));
        }
      }
    }
  };
  return posix::wait_until({.what = "events of transports",
                            .holds =
                                [&] {
                                  if (done()) return true;
                                  poll_all();
                                  return false;
                                },
                            .pause = {}});
}

// Returns the IPv4 addresses, in the kernel's hexadecimal form, on which this process listens.
inline std::vector<std::string> listening_addresses() {
  std::set<std::string> ours;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.starts_with("socket:[")) ours.insert(target.substr(8, target.size() - 9));
  }
  std::vector<std::string> addresses;
  std::ifstream table("/proc/self/net/tcp");
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::vector<std::string> word{std::istream_iterator<std::string>(words), {}};
    const bool listens = word.size() > 9 && word[3] == "0A";
    if (listens && ours.contains(word[9])) addresses.push_back(word[1].substr(0, 8));
  }
  return addresses;
}

// A child process that runs its own transport. It is killed when the test ends if it has not ended
// by itself.
class Child {
 public:
  // `body` gets the ends of two pipes: one to read from the parent, and one to write to it.
  explicit Child(const std::function<int(int, int)>& body) {
    int down[2];
    int up[2];
    SURETY_CHECK(::pipe(down) == 0 && ::pipe(up) == 0);
    pid_ = ::fork();
    SURETY_CHECK(pid_ >= 0);
    if (pid_ == 0) {
      ::close(down[1]);
      ::close(up[0]);
      ::_exit(body(down[0], up[1]));
    }
    ::close(down[0]);
    ::close(up[1]);
    to_ = down[1];
    from_ = up[0];
  }
  ~Child() {
    kill();
    ::close(to_);
    ::close(from_);
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  int exit_code() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  // Whether exit_code() would not wait.
  [[nodiscard]] bool has_ended() const {
    siginfo_t ended{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == pid_;
  }
  [[nodiscard]] int from() const { return from_; }
  // Whether read_line(from()) would not wait.
  [[nodiscard]] bool has_written() const {
    pollfd waits{.fd = from_, .events = POLLIN, .revents = 0};
    return ::poll(&waits, 1, 0) == 1;
  }
  [[nodiscard]] int to() const { return to_; }

 private:
  pid_t pid_ = 0;
  int to_ = -1;
  int from_ = -1;
};

inline void write_line(int fd, const std::string& line) {
  const std::string text = line + "\n";
  SURETY_CHECK(::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}
inline std::string read_line(int fd) {
  std::string line;
  for (char c = 0; ::read(fd, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

}  // namespace surety::fabric::transport_testing
