// The state of a run and the effects of the current step. It is the only place where facts are
// added to the journal. A fact is applied to the state at once, by the function that a resumed
// coordinator replays the journal with (orchestrator/history/run_state.h).
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "job/job.h"
#include "orchestrator/history/run_state.h"
#include "orchestrator/ledger/job_events.h"
#include "plan/plan.h"

namespace surety::orchestrator {

class Ledger {
 public:
  // Seconds after the deadline in which the result may still be certified.
  static constexpr double kGraceS = 60;

  // `job` must outlive this.
  Ledger(const job::Job& job, RunState state) : job_(job), state_(std::move(state)) {}

  [[nodiscard]] const RunState& state() const { return state_; }
  // Seconds since the run began. Time never goes back: an earlier time is ignored.
  void set_time(double now_s) { now_s_ = std::max(now_s_, now_s); }
  [[nodiscard]] double now_s() const { return now_s_; }
  // The beginning of the current phase, in seconds since the run began.
  [[nodiscard]] double phase_began_s() const { return phase_began_s_; }

  // Adds a fact with the current time. REQUIRES: it is valid in this state.
  void append(proto::JournalRecord record);
  // Adds a fact, and removes the checkpoints that need not be kept after it.
  void append_and_clean(proto::JournalRecord record);
  void begin_phase(RunPhase phase);
  void choose(const plan::Decision& decision);
  // Adds the last fact, with the verdict.
  void end(const std::string& reason);

  void add(Effect effect) { effects_.push_back(std::move(effect)); }
  // Adds a line for the log.
  void log(std::string text) { add(Log{std::move(text)}); }
  // The effects since the last call, in the order in which they must be carried out.
  [[nodiscard]] std::vector<Effect> take_effects() { return std::exchange(effects_, {}); }

  // ---- time and money ----
  // Time that is reserved at the end to load the best checkpoint and to evaluate it once more.
  [[nodiscard]] double certify_reserve_s() const;
  [[nodiscard]] bool is_past_deadline() const { return now_s_ > state_.record.deadline_s; }
  // Whether it is too late to certify the result. A phase that began after the deadline also has
  // this time.
  [[nodiscard]] bool is_past_grace() const {
    return now_s_ > std::max(state_.record.deadline_s, phase_began_s_) + kGraceS;
  }
  // Time to the deadline, less that reserve.
  [[nodiscard]] double seconds_left() const {
    return state_.record.deadline_s - now_s_ - certify_reserve_s();
  }
  // Absent if there is no budget. The cost of the present nodes since the last fact is included,
  // and the cost of certification is reserved.
  [[nodiscard]] std::optional<double> money_left() const;
  [[nodiscard]] bool is_out_of_money() const { return money_left().value_or(1) <= 0; }

 private:
  [[nodiscard]] double longest_evaluation_s() const;

  const job::Job& job_;
  RunState state_;
  double now_s_ = 0;
  double phase_began_s_ = 0;
  std::vector<Effect> effects_;
};

}  // namespace surety::orchestrator
