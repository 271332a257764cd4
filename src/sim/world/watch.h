// Combines all checkers of a run. If there is no progress, it also names the workers that the run
// waits for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/job/job_machine.h"
#include "sim/check/check.h"
#include "sim/check/commits.h"
#include "sim/check/journal_replay_check.h"
#include "sim/check/owners.h"
#include "sim/check/returns.h"
#include "sim/check/sums.h"
#include "sim/check/updates.h"
#include "sim/check/visits.h"

namespace surety::sim {

class Watch {
 public:
  explicit Watch(const orchestrator::JobConfig& config);

  void on_command(WorkerId to, const proto::ToWorker& message);
  void on_answer(WorkerId from, const proto::FromWorker& message);
  // The coordinator has admitted the process with this id.
  void on_admitted(std::uint32_t process, WorkerId worker);
  void on_gone(WorkerId worker);
  // Work for a coordinator that has ended is not checked, once the next one has started.
  void on_learning(WorkerId worker, const Held& held, const proto::ToWorker& order);
  void on_exchanged(WorkerId worker, const Exchanged& what);
  void on_model_written(const std::string& path, std::uint64_t checksum);
  void on_append(const proto::JournalRecord& record);
  void on_sync();
  void on_restart(const std::vector<proto::JournalRecord>& records);
  void check_state(const orchestrator::RunState& state);

  // The checkers of process and coordinator starts, and of the learned work.
  [[nodiscard]] Returns& returns() { return returns_; }
  [[nodiscard]] Sums& sums() { return sums_; }

  // The first violation of any checker, with the checker's name, if there is one.
  [[nodiscard]] std::optional<std::string> violation() const;
  // "step 14 waits for worker 3": the last command, and which workers have not answered.
  [[nodiscard]] std::string waits_for() const;
  void obstacle(std::string what) { obstacle_ = std::move(what); }
  [[nodiscard]] std::uint64_t iterations() const { return commits_.committed(); }

 private:
  template <typename Call>
  void each(const Call& call) {
    call(owners_), call(visits_), call(updates_), call(commits_);
    call(journal_replay_), call(returns_);
  }

  Owners owners_;
  Visits visits_;
  Updates updates_;
  Commits commits_;
  JournalReplayCheck journal_replay_;
  Returns returns_;
  Sums sums_;
  std::string last_command_;
  std::optional<std::string> obstacle_;
  std::uint64_t sequence_ = 0;
  std::set<WorkerId> waiting_;
  std::set<WorkerId> admitted_;  // The last coordinator has admitted them.
};

}  // namespace surety::sim
