// A worker that trains, or acts as if it did: computing takes the time that a script says, whatever
// the machine does. Told the time, so that it runs on real hosts and on simulated ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "bench/fabric/script.h"
#include "fabric/exchange/link.h"
#include "learn/local_replica.h"

namespace surety::bench {

// What a worker computes between two looks at the network.
class Learner {
 public:
  virtual ~Learner() = default;
  // Of the model's size.
  [[nodiscard]] virtual std::vector<float> first_model() = 0;
  // One step: changes the local model.
  [[nodiscard]] virtual Result<void> step(std::span<float> model) = 0;
  // Nothing where it has none.
  [[nodiscard]] virtual Result<std::optional<double>> loss(std::span<const float> model) = 0;
};

// One of `elements` values, to which each step adds a whole number: sums are exact.
[[nodiscard]] std::unique_ptr<Learner> make_counting_learner(std::uint32_t host,
                                                             std::uint64_t elements);

// What all ways have in common: the clock of computing, and what is counted. Jobs and answers are
// as training.h says. `job` and `learner` must outlive it.
class Trainer {
 public:
  Trainer(const nlohmann::json& job, fabric::HostId self, Learner& learner, Time now);

  [[nodiscard]] double seconds_at(Time now) const { return to_seconds(now - began_); }
  [[nodiscard]] bool over(Time now) const { return seconds_at(now) >= seconds_; }

  Result<void> begin_step(Time now);
  // True: the step under way has ended since the last call.
  bool step_ended(Time now);
  [[nodiscard]] bool computing() const { return computing_; }
  [[nodiscard]] Duration wait(Time now) const;

  // A model that others' work is in.
  Result<void> got_model(Time now, std::span<const float> model);

  [[nodiscard]] nlohmann::json answer(const std::vector<float>& last, double data,
                                      double control) const;
  [[nodiscard]] const nlohmann::json& job() const { return job_; }
  [[nodiscard]] std::vector<float>& model() { return model_; }
  [[nodiscard]] std::size_t workers() const { return job_.at("workers").size(); }
  [[nodiscard]] float weight() const { return job_.at("weight"); }

 private:
  const nlohmann::json& job_;
  Learner& learner_;
  fabric::sim::World world_;
  const std::uint32_t worker_;  // The world's number.
  const double seconds_, warm_s_;
  const Time began_;
  const bool watches_;
  std::vector<float> model_;
  Time ends_{};
  bool computing_ = false;
  std::uint64_t steps_ = 0, updates_ = 0;
  std::vector<std::array<double, 2>> curve_;
};

// One of our exchange. `rounds` and `trainer` must outlive it.
class ExchangeWorker {
 public:
  ExchangeWorker(Trainer& trainer, fabric::HostId self, fabric::Rounds& rounds,
                 const std::map<fabric::HostId, fabric::PeerId>& peers, Time now);

  // After what has come: whatever is to be done now. Timeout: it does not end.
  [[nodiscard]] Result<void> advance(Time now);
  [[nodiscard]] bool ended() const { return link_.ended(); }
  // REQUIRES: ended(). Once.
  [[nodiscard]] nlohmann::json answer();

 private:
  Trainer& trainer_;
  fabric::Exchange exchange_;
  fabric::ExchangeLink link_;
  learn::LocalReplica replica_;
  const std::uint32_t unsent_max_;  // Steps; 0: it waits for its update.
  std::uint32_t unsent_ = 0;
  bool retired_ = false;
};

}  // namespace surety::bench
