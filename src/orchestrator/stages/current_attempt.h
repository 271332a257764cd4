// The attempt of a pool whose model is loaded or being loaded: its passes, its version, and whether
// its last passes are in a checkpoint.
//
// The course of a pass: on_pass(), on_evaluated(), and then a save (begin_save(), on_saved()) or
// the next pass. A pass that is not saved is lost when another attempt is loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "orchestrator/history/metric.h"
#include "orchestrator/session/trainer_events.h"
#include "orchestrator/stages/checkpoint_pace.h"
#include "orchestrator/stages/rate_watch.h"
#include "plan/pool/attempt_pool.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

class CurrentAttempt {
 public:
  // A fresh attempt, or an attempt that continues from its checkpoint. Numbers begin at 1.
  explicit CurrentAttempt(std::uint32_t number) : number_(number) {}
  CurrentAttempt(std::uint32_t number, const proto::CheckpointCommitted& from)
      : number_(number), passes_(from.pass()), version_(from.version()) {}

  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] std::uint32_t passes() const { return passes_; }
  [[nodiscard]] const std::string& version() const { return version_; }
  // The value after the last pass. REQUIRES: on_evaluated() was called.
  [[nodiscard]] const MetricValue& metric() const { return *metric_; }

  void on_switched(const std::string& version);
  void on_pass(const PassFinished& pass);
  // Returns the pass for the journal, which was trained with this variant.
  [[nodiscard]] proto::PassDone on_evaluated(const MetricValue& metric, double eval_seconds,
                                             std::uint32_t variant);
  // The last pass in the form of the pool; `kind` is the kind of the metric.
  [[nodiscard]] plan::PoolPass seen(plan::Metric kind, std::uint32_t variant) const;
  // To be called once for each pass. Returns true at most once, as RateWatch::on_pass() does; an
  // attempt that is loaded again has another RateWatch.
  [[nodiscard]] bool rate_looks_too_high(plan::Metric kind);

  // Some passes are in no checkpoint.
  [[nodiscard]] bool has_unsaved() const { return has_unsaved_; }
  [[nodiscard]] bool may_postpone_save(double now_s, double seconds_left) const {
    return pace_.may_wait(now_s, seconds_left);
  }
  [[nodiscard]] bool may_hurry_save() const { return pace_.may_hurry(); }
  // Returns the name of the checkpoint.
  [[nodiscard]] std::string begin_save(double now_s);
  // Returns the checkpoint for the journal.
  [[nodiscard]] proto::CheckpointCommitted on_saved(const SaveFinished& saved, double now_s,
                                                    std::uint32_t variant);

 private:
  std::uint32_t number_;
  std::uint32_t passes_ = 0;
  std::string version_ = "full";
  PassFinished last_pass_;
  std::optional<MetricValue> metric_;
  double eval_seconds_ = 0;
  bool has_unsaved_ = false;
  CheckpointPace pace_;
  RateWatch rate_watch_;
};

}  // namespace surety::orchestrator
