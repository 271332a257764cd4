// A worker that trains, or behaves as if it did. Computing takes the time that a script determines,
// independently of the machine. Time is an argument, so that a worker runs on real and on simulated
// hosts.
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
#include "bench/fabric/exchange_link.h"
#include "bench/fabric/script.h"
#include "learn/async/local_replica.h"

namespace surety::bench {

// The computation of a worker between two polls of the network.
class Learner {
 public:
  virtual ~Learner() = default;
  // The first model; it fixes the model's size.
  [[nodiscard]] virtual std::vector<float> first_model() = 0;
  // Takes one step, which changes the local model.
  [[nodiscard]] virtual Result<void> step(std::span<float> model) = 0;
  // The validation loss of the model, or nothing if the learner has none.
  [[nodiscard]] virtual Result<std::optional<double>> loss(std::span<const float> model) = 0;
};

// A learner with `elements` values. Each step adds a whole number to all of them, so that sums are
// exact.
[[nodiscard]] std::unique_ptr<Learner> make_counting_learner(std::uint32_t host,
                                                             std::uint64_t elements);

// The part that all ways have in common: the clock of computing, and the counts. Jobs and answers
// are those of training.h. `job` and `learner` must outlive it.
class Trainer {
 public:
  Trainer(const nlohmann::json& job, WorkerId self, Learner& learner, Time now);

  [[nodiscard]] double seconds_at(Time now) const { return to_seconds(now - began_); }
  [[nodiscard]] bool is_over(Time now) const { return seconds_at(now) >= seconds_; }

  Result<void> begin_step(Time now);
  // Returns true if the current step has ended since the last call.
  bool has_step_ended(Time now);
  [[nodiscard]] bool is_computing() const { return is_computing_; }
  [[nodiscard]] Duration wait(Time now) const;

  // Takes a model that contains the work of other workers.
  Result<void> on_model(Time now, std::span<const float> model);

  [[nodiscard]] nlohmann::json answer(const std::vector<float>& last, double data,
                                      double control) const;
  [[nodiscard]] const nlohmann::json& job() const { return job_; }
  [[nodiscard]] std::vector<float>& model() { return model_; }
  [[nodiscard]] std::size_t workers() const { return job_.at("workers").size(); }
  [[nodiscard]] float weight() const { return job_.at("weight"); }

 private:
  const nlohmann::json& job_;
  Learner& learner_;
  sim::World world_;
  const std::uint32_t worker_;  // Its number in the world.
  const double seconds_;
  const double warm_s_;
  const Time began_;
  const bool watches_;
  std::vector<float> model_;
  Time ends_{};
  bool is_computing_ = false;
  std::uint64_t steps_ = 0;
  std::uint64_t updates_ = 0;
  std::vector<std::array<double, 2>> curve_;
};

// A worker of our exchange. `rounds` and `trainer` must outlive it.
class ExchangeWorker {
 public:
  ExchangeWorker(Trainer& trainer, WorkerId self, fabric::Rounds& rounds,
                 const std::map<WorkerId, fabric::PeerId>& peers, Time now);

  // Carries out all due work after messages have arrived. Timeout if the exchange does not end.
  [[nodiscard]] Result<void> advance(Time now);
  [[nodiscard]] bool ended() const { return link_.ended(); }
  // REQUIRES: ended(), and no earlier call.
  [[nodiscard]] nlohmann::json answer();

 private:
  Trainer& trainer_;
  fabric::Exchange exchange_;
  fabric::ExchangeLink link_;
  learn::LocalReplica replica_;
  // Steps. 0 means that the worker waits until its update is in the model.
  const std::uint32_t unsent_max_;
  std::uint32_t unsent_ = 0;
  bool retired_ = false;
};

}  // namespace surety::bench
