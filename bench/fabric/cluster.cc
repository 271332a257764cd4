#include "bench/fabric/cluster.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/posix/clock.h"
#include "base/posix/signals.h"

namespace surety::bench {
namespace {

using nlohmann::json;

constexpr double kPatience_s = 120;

}  // namespace

Result<Child> Child::start(const std::vector<std::string>& argv) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) {
    return fail(ErrorCode::kUnavailable, "cannot create a pipe");
  }
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int pid = ::fork();
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setpgid(0, 0);  // Ctrl-C goes to the parent only, which then cleans up.
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  if (pid < 0) return fail(ErrorCode::kUnavailable, "cannot start a process");
  return Child(pid, in[1], out[0]);
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      in_(std::exchange(other.in_, -1)),
      out_(std::exchange(other.out_, -1)),
      text_(std::move(other.text_)) {}

Child::~Child() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  ::close(in_);
  ::close(out_);
}

Result<void> Child::send_line(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t count = ::write(in_, text.data() + at, text.size() - at);
    if (count <= 0) return fail(ErrorCode::kUnavailable, "a host has ended");
    at += static_cast<std::size_t>(count);
  }
  return {};
}

Result<std::string> Child::receive_line(double patience_s) {
  const Time until = posix::now() + from_seconds(patience_s);
  while (text_.find('\n') == std::string::npos) {
    if (posix::stop_signals() > 0) return fail(ErrorCode::kUnavailable, "stopped by a signal");
    if (posix::now() > until) return fail(ErrorCode::kTimeout, "a host does not answer");
    pollfd ready{.fd = out_, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, 200) <= 0) continue;
    std::array<char, 4096> buffer{};
    const ssize_t count = ::read(out_, buffer.data(), buffer.size());
    if (count <= 0) return fail(ErrorCode::kUnavailable, "a host has ended");
    text_.append(buffer.data(), static_cast<std::size_t>(count));
  }
  const std::size_t end = text_.find('\n');
  std::string line = text_.substr(0, end);
  text_.erase(0, end + 1);
  return line;
}

Result<Cluster> Cluster::start(const ShapedNetwork&, std::uint32_t hosts,
                               const std::string& transport) {
  std::signal(SIGPIPE, SIG_IGN);
  std::vector<Child> children;
  std::error_code ignored;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  for (std::uint32_t host = 0; host < hosts; ++host) {
    SURETY_TRY(auto child, Child::start({"ip", "netns", "exec", ShapedNetwork::namespace_of(host),
                                         self, "host", std::to_string(host)}));
    children.push_back(std::move(child));
  }
  Cluster cluster(std::move(children));
  json addresses = json::array();
  for (std::uint32_t host = 0; host < hosts; ++host) {
    SURETY_TRY(cluster.hosts_[host].send_line(
        json{{"ip", ShapedNetwork::ip_of(host)}, {"transport", transport}}.dump()));
  }
  for (Child& child : cluster.hosts_) {
    SURETY_TRY(const std::string line, child.receive_line(kPatience_s));
    const json answer = json::parse(line);
    if (!answer.contains("address"))
      return fail(ErrorCode::kUnavailable, "found no address in the answer of a host: {}", line);
    addresses.push_back(answer.at("address"));
  }
  SURETY_TRY(cluster.all({{"peers", addresses}}));
  return cluster;
}

Result<std::vector<json>> Cluster::all(const json& command, double takes_s) {
  for (Child& host : hosts_) SURETY_TRY(host.send_line(command.dump()));
  std::vector<json> answers;
  for (Child& host : hosts_) {
    SURETY_TRY(const std::string line, host.receive_line(kPatience_s + takes_s));
    answers.push_back(json::parse(line));
    if (answers.back().contains("error")) {
      return fail(ErrorCode::kUnavailable, "host {}: {}", answers.size() - 1,
                  answers.back().at("error").get<std::string>());
    }
  }
  return answers;
}

Result<std::vector<json>> Cluster::train(const json& job) {
  return all({{"train", job}}, job.at("seconds"));
}

Result<Outcome> Cluster::run(const json& job) {
  SURETY_TRY(all({{"prepare", job}}));
  SURETY_TRY(const std::vector<json> answers, all({{"go", true}}));
  Outcome outcome;
  double begin_s = answers.front().at("begin_s");
  double end_s = answers.front().at("end_s");
  for (const json& answer : answers) {
    begin_s = std::min(begin_s, answer.at("begin_s").get<double>());
    end_s = std::max(end_s, answer.at("end_s").get<double>());
    outcome.cpu_s += answer.at("cpu_s").get<double>();
    outcome.data_bytes += answer.at("data_bytes").get<double>();
    outcome.control_bytes += answer.at("control_bytes").get<double>();
    outcome.staged_bytes = std::max(outcome.staged_bytes, answer.at("staged_bytes").get<double>());
  }
  outcome.seconds = end_s - begin_s;
  SURETY_TRY(const std::vector<json> checks, all({{"check", true}}));
  for (const json& check : checks) {
    if (check.at("wrong") != 0)
      return fail(ErrorCode::kCorrupt, "a sum is wrong: {}", check.dump());
  }
  return outcome;
}

}  // namespace surety::bench
