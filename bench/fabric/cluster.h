// The hosts of a shaped network, as processes that carry out commands.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bench/fabric/network.h"

namespace surety::bench {

// A child process with its input and output. It ends with this process, or when its input ends.
class Child {
 public:
  [[nodiscard]] static Result<Child> start(const std::vector<std::string>& argv);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  [[nodiscard]] Result<void> send_line(const std::string& line);
  // Waits for a line. Unavailable if the child ended, a stop signal came, or `patience_s` has
  // passed.
  [[nodiscard]] Result<std::string> receive_line(double patience_s);

 private:
  Child(int pid, int in, int out) : pid_(pid), in_(in), out_(out) {}
  int pid_ = 0;
  int in_ = -1;
  int out_ = -1;
  std::string text_;
};

struct Outcome {
  double seconds = 0;  // Seconds from the first host's start to the last one's end.
  double cpu_s = 0;    // Sum over all hosts.
  double data_bytes = 0;
  double control_bytes = 0;
  double staged_bytes = 0;  // Maximum over the hosts.
};

class Cluster {
 public:
  // Starts this program again as each host, and connects all hosts with each other.
  [[nodiscard]] static Result<Cluster> start(const ShapedNetwork& network, std::uint32_t hosts,
                                             const std::string& transport = "sockets");

  // Makes all hosts train (training.h), and returns their answers.
  [[nodiscard]] Result<std::vector<nlohmann::json>> train(const nlohmann::json& job);
  // Runs a job on all hosts (host.h), and compares every element with the plain sum.
  [[nodiscard]] Result<Outcome> run(const nlohmann::json& job);

 private:
  explicit Cluster(std::vector<Child> hosts) : hosts_(std::move(hosts)) {}
  [[nodiscard]] Result<std::vector<nlohmann::json>> all(const nlohmann::json& command,
                                                        double takes_s = 0);

  std::vector<Child> hosts_;
};

}  // namespace surety::bench
