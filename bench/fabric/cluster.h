// The hosts of a shaped network as processes that do what they are told.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "bench/fabric/network.h"

namespace surety::bench {

// One child with its input and output; dies with us, or when its input ends.
class Child {
 public:
  [[nodiscard]] static Result<Child> start(const std::vector<std::string>& argv);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  [[nodiscard]] Result<void> tell(const std::string& line);
  // Waits; Unavailable: it ended, a stop signal came, or `patience_s` is over.
  [[nodiscard]] Result<std::string> hear(double patience_s);

 private:
  Child(int pid, int in, int out) : pid_(pid), in_(in), out_(out) {}
  int pid_ = 0, in_ = -1, out_ = -1;
  std::string text_;
};

struct Outcome {
  double seconds = 0;  // From the first host's start to the last one's end.
  double cpu_s = 0;    // Of all hosts.
  double data_bytes = 0, control_bytes = 0;
  double staged_bytes = 0;  // The most at one host.
};

class Cluster {
 public:
  // Starts this very program again as each host, connected to all others.
  [[nodiscard]] static Result<Cluster> start(const ShapedNetwork& network, std::uint32_t hosts);

  // All hosts train (training.h); their answers.
  [[nodiscard]] Result<std::vector<nlohmann::json>> train(const nlohmann::json& job);
  // Runs a job on all hosts (host.h), and checks every element against the plain sum.
  [[nodiscard]] Result<Outcome> run(const nlohmann::json& job);

 private:
  explicit Cluster(std::vector<Child> hosts) : hosts_(std::move(hosts)) {}
  [[nodiscard]] Result<std::vector<nlohmann::json>> all(const nlohmann::json& command,
                                                        double takes_s = 0);

  std::vector<Child> hosts_;
};

}  // namespace surety::bench
