// The seed and the learning rate of each attempt of a pool.
//
// An attempt keeps the rate that it began with, which is in the journal. With a single family of
// rates, each failed attempt lowers the rate of the next fresh attempt. With several families the
// pool excludes rates that were too high (exclude_rates()).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "job/job.h"
#include "orchestrator/history/run_state.h"
#include "orchestrator/stages/pool_setup.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

class AttemptSettings {
 public:
  AttemptSettings(const job::TrainSpec& train, const PoolSetup& setup);

  [[nodiscard]] std::uint64_t seed(std::uint32_t attempt) const;
  // Learning rate of an attempt that begins now with this variant.
  [[nodiscard]] double fresh_rate(std::uint32_t variant) const;
  // Learning rate of an attempt; if the journal does not have it yet, it begins with `variant`.
  // REQUIRES: attempt > 0.
  [[nodiscard]] double rate(std::uint32_t attempt, std::uint32_t variant,
                            const RunState& state) const;

  // The beginning of an attempt with this variant, for the journal.
  [[nodiscard]] proto::AttemptBegan began(std::uint32_t attempt, std::uint32_t variant,
                                          const std::string& reason) const;

  void set_failures(std::size_t failures) { failures_ = failures; }
  void on_failed() { ++failures_; }
  [[nodiscard]] std::size_t failures() const { return failures_; }
  // Whether another attempt may fail without ending the run.
  [[nodiscard]] bool may_fail_again() const;
  // Advice for the user after an attempt with this rate has failed.
  [[nodiscard]] std::string advice(double failed_rate) const;

 private:
  [[nodiscard]] double slower() const;

  std::uint64_t first_seed_;
  double job_rate_;  // The value of train.learning_rate.
  bool has_families_;
  std::uint32_t workers_;      // The value of PoolSetup::workers.
  std::vector<double> rates_;  // Learning rates by variant.
  std::size_t failures_ = 0;   // Number of failed attempts.
};

}  // namespace surety::orchestrator
