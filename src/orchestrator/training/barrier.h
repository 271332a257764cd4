// One command to several workers, each of which must answer (trainer.h).
//
// Each worker that was asked is either awaited or has answered, and answers count once. The barrier
// is complete when nobody is awaited any more. If a link breaks between two workers, the command is
// to be sent again some time later, as another barrier.
//
// Pure: time is an argument.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/ids.h"
#include "orchestrator/training/session.h"
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

// Whether the message is of the kind that answers such a command. A failure is none.
[[nodiscard]] bool is_answer_to(BarrierKind kind, const proto::FromWorker& message);

using Answers = std::map<WorkerId, proto::FromWorker>;

class Barrier {
 public:
  // The workers are asked now. REQUIRES: `asked` is not empty.
  Barrier(BarrierKind kind, std::uint64_t sequence, const std::vector<WorkerId>& asked,
          double now_s);

  [[nodiscard]] BarrierKind kind() const { return kind_; }
  [[nodiscard]] bool awaits(WorkerId worker) const { return awaited_.contains(worker); }
  // Returns false for an answer to another barrier, for a second answer, and for one from a worker
  // that was not asked.
  [[nodiscard]] bool expects(WorkerId from, const proto::FromWorker& answer) const;
  // REQUIRES: expects().
  void take(WorkerId from, const proto::FromWorker& answer);
  [[nodiscard]] bool is_complete() const { return awaited_.empty(); }
  [[nodiscard]] const Answers& answers() const { return answers_; }

  // A worker reports that its link to another one broke. The command is sent again to all workers,
  // some time after the last such report. Returns true for the first report.
  bool retry_later(double now_s);
  [[nodiscard]] bool is_retry_due(double now_s) const { return retry_s_ && now_s >= *retry_s_; }

  // This worker, which was asked, waits for values of these others. Those of them that were not
  // asked, or have answered, are ignored.
  // REQUIRES: expects().
  void note_waiting(WorkerId from, const proto::WaitingFor& others);
  // The workers that others wait for and that wait for nobody themselves, in ascending order.
  [[nodiscard]] std::vector<WorkerId> slowest() const;

  // Call it as time passes. Returns the workers that seem to hang although they send heartbeats:
  // at least half of the workers have answered or wait for others, and these ones have done neither
  // for `patience_s` since then. By default that is five minutes, and twenty times as long as the
  // others took, and none hangs after a command that gives workers different things to do, such as
  // loading samples.
  [[nodiscard]] std::vector<WorkerId> hung(double now_s, std::optional<double> patience_s = {});

  // How many workers have answered, and since when they are waited for.
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
  std::map<WorkerId, Report> reports_;  // The last one of each worker that has reported.
  std::optional<double> retry_s_;
  double ticked_s_;       // Time of the last call of hung().
  double waited_s_ = 0;   // Up to then, without the time for which the coordinator was stopped.
  double changed_s_ = 0;  // The same, when a worker last answered or began to wait.
};

}  // namespace surety::orchestrator
