// One command to several workers, each of which must answer.
//
// Each worker that got the command is either awaited or has answered, and answers count once. The
// barrier is complete when no worker is awaited any more. If a link breaks between two workers, the
// command must be sent again some time later, as another barrier.
//
// Pure: time is an argument.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "orchestrator/session/trainer_events.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

enum class BarrierKind : std::uint8_t {
  kPrepare,
  kStep,
  kResum,
  kEvaluate,
  kSwitch,
  kSave,
  kProbe
};

// The field of FromWorker that contains the answers to such a command. A failure is not an answer.
[[nodiscard]] proto::FromWorker::MessageCase answer_to(BarrierKind kind);

using Answers = std::map<WorkerId, proto::FromWorker>;

class Barrier {
 public:
  // The workers get the command now. REQUIRES: `asked` is not empty.
  Barrier(BarrierKind kind, std::uint64_t sequence, const std::vector<WorkerId>& asked,
          double now_s);

  [[nodiscard]] BarrierKind kind() const { return kind_; }
  [[nodiscard]] bool awaits(WorkerId worker) const { return awaited_.contains(worker); }
  // Returns false for an answer to another barrier, for a second answer, and for an answer from a
  // worker that did not get the command.
  [[nodiscard]] bool expects(WorkerId from, const proto::FromWorker& answer) const;
  // REQUIRES: expects().
  void take(WorkerId from, const proto::FromWorker& answer);
  [[nodiscard]] bool is_complete() const { return awaited_.empty(); }
  [[nodiscard]] const Answers& answers() const { return answers_; }

  // A worker reports that its link to another one broke. The command is sent again to all workers,
  // some time after the last such report. Returns true for the first report.
  bool retry_later(double now_s);
  [[nodiscard]] bool is_retry_due(double now_s) const { return retry_s_ && now_s >= *retry_s_; }

  // This worker, which got the command, waits for values of these others. Others that did not get
  // the command, or have answered, are ignored. REQUIRES: expects().
  void note_waiting(WorkerId from, const proto::WaitingFor& others);
  // The workers that others wait for, and that do not wait for other workers themselves, in
  // ascending order.
  [[nodiscard]] std::vector<WorkerId> slowest() const;

  // Call it as time passes. Returns the workers that seem to hang although they send heartbeats:
  // at least half of the workers have answered or wait for others, and the hanging ones have done
  // neither for `patience_s` since then. Without `patience_s`, this time is twenty times as long as
  // the others took, but at least five minutes, or half an hour for a command that gives workers
  // different amounts of work, such as loading samples.
  [[nodiscard]] std::vector<WorkerId> hung(double now_s, std::optional<double> patience_s = {});

  // What a worker that hung() returns has not done, and for how long: "has not computed the
  // iteration within 300 s of the others".
  [[nodiscard]] std::string delay_of_hung() const;

  // The number of workers that have answered, and the time since which the barrier waits.
  [[nodiscard]] Waiting progress() const;

 private:
  struct Report {
    std::set<WorkerId> waits_for;
    double waited_s = 0;  // The value of waited_s_ at that time.
  };
  // Workers report every few seconds for as long as they wait.
  [[nodiscard]] bool is_waiting(WorkerId worker) const;

  BarrierKind kind_;
  std::uint64_t sequence_;
  double began_s_;  // When the commands were sent.
  std::set<WorkerId> awaited_;
  Answers answers_;
  std::map<WorkerId, Report> reports_;  // The last report of each worker.
  std::optional<double> retry_s_;
  double ticked_s_;  // Time of the last call of hung().
  // Waiting time up to then, without the time for which the coordinator was stopped.
  double waited_s_ = 0;
  double changed_s_ = 0;  // The value of waited_s_ when a worker last answered or began to wait.
};

}  // namespace surety::orchestrator
