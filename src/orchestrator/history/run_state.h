// The state of a run: its journal, replayed.
//
// All lasting knowledge of the coordinator is in a record, so the records determine the state. The
// running job, `surety run --resume`, `surety status` and `surety verify` all call apply(), and the
// certificate is a view of the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "certificate/certificate.h"
#include "certificate/run_phase.h"
#include "data/sources/source_info.h"
#include "job/job.h"
#include "orchestrator/history/profile_history.h"
#include "orchestrator/history/run_mode.h"
#include "plan/plan.h"
#include "plan/planner/controller.h"
#include "plan/pool/attempt_pool.h"
#include "plan/profile.h"
#include "proto/surety.pb.h"
#include "record/note.h"

namespace surety::orchestrator {

using certificate::RunPhase;

// The input with which the run began.
struct RunBeginning {
  RunMode mode = RunMode::kRun;
  std::string job_text;
  std::optional<std::string> library;  // Folder of the profile library.
  // The knowledge from the library at the beginning of the run.
  std::optional<plan::EarlierJobs> earlier;
  double started_unix_s = 0;
  // Prices by data set. The data sets of the plan are paid.
  std::map<std::string, double> data_prices;
  // The data sets that the run began with; the one for validation is last, if there is one.
  std::vector<data::SourceInfo> sources;
  // The label of the class that is not 1: 0 if there are zeros but no -1, otherwise -1.
  int negative_label = -1;
  // The columns of the features, in their order; empty if the data name none.
  std::vector<std::string> feature_names;
  // The key that signs the journal; absent if it is not signed.
  std::optional<record::Verifier> signer;
};

// The attempts of the pool.
struct AttemptHistory {
  std::vector<proto::AttemptBegan> begun;  // Attempts of the pool, in order.
  std::set<std::uint32_t> ended;           // Attempts that have ended.
  std::set<std::uint32_t> failed;          // Ended attempts that did not learn.
  // The newest checkpoint of each attempt that may continue.
  std::map<std::uint32_t, proto::CheckpointCommitted> checkpoints;
  // The attempt of the newest record that names one. unaccounted_cost is the cost of training since
  // then; the next such record determines the attempt on which it was spent.
  std::optional<std::uint32_t> newest;
  double unaccounted_cost = 0;
};

// The workers that have joined.
struct WorkerHistory {
  std::map<WorkerId, std::string> present;  // Workers that are present, with their node types.
  std::set<WorkerId> joined_by_itself;  // Present workers that no coordinator of the run started.
  // Workers that joined by an invitation, with its name. Also those that have gone.
  std::map<WorkerId, std::string> invited;
  // How many such workers were present when the run was last resumed.
  std::size_t joined_by_itself_away = 0;
  std::uint32_t last_id = 0;  // Ids are never reused, not even after a resume.
};

// A pass that has ended, with the time and the cost at its end.
struct RecordedPass {
  proto::PassDone done;
  double end_s = 0;  // End of the pass, in seconds since training began.
  double cost = 0;   // Cost of training by then.
};

struct RunState {
  certificate::RunRecord record;  // The contents of the certificate.
  RunBeginning beginning;
  std::optional<RunPhase> phase;           // None before the first.
  double time_s = 0;                       // Time of the newest record.
  std::optional<double> training_start_s;  // Time at which training began.
  std::uint32_t term = 1;                  // Term of the coordinator; each resume increases it.
  WorkerHistory workers;
  ProfileHistory profile_runs;
  AttemptHistory attempts;
  // Passes of training in order, each pass of an attempt once. If an attempt goes back to a
  // checkpoint, the passes after it are replaced.
  std::vector<RecordedPass> passes;
  std::vector<proto::CheckpointCommitted> checkpoints;  // Kept checkpoints, oldest first.
  // The best one by the metric of the deciding split.
  std::optional<proto::CheckpointCommitted> best_checkpoint;
  double cost_before_plan = 0;            // The cost of profiling when planning began.
  std::optional<proto::RunStopped> stop;  // Set when training is over.
  // Set if the run was paused: no coordinator works on it until it is resumed.
  std::optional<proto::RunPaused> pause;
  std::optional<proto::RunEnded> end;
};

// Whether training by the plan uses the data set of this name, and pays for it. A plan that names
// no data uses all.
[[nodiscard]] bool uses_data(const plan::Plan& plan, const std::string& name);

// The state before the first record. Price and promise come from the job, not from the journal.
[[nodiscard]] RunState initial_state(const job::Job& job);

// REQUIRES: records in the order in which they were written. A record that is not valid in this
// state (a plan that does not parse) is Corrupt and changes nothing.
[[nodiscard]] Result<void> apply(RunState& state, const proto::JournalRecord& record,
                                 const job::ClusterSpec& cluster, plan::Metric metric);

// A name that distinguishes this run from any other.
[[nodiscard]] std::string identity(const RunState& state);

// The observations of the plan's controller up to `pass`.
[[nodiscard]] std::vector<plan::PassSeen> history_until(const RunState& state, std::uint32_t pass,
                                                        plan::Metric metric);

// Price of all present nodes together.
[[nodiscard]] double price_per_s(const RunState& state, const job::ClusterSpec& cluster);

// Whether no coordinator works on the run because its user requested this (--measure-only), and not
// because of an error or an interruption.
[[nodiscard]] bool is_paused_by_user(const RunState& state);
// Whether a result is certified, and a new process has not yet measured it again. The run needs no
// workers any more.
[[nodiscard]] bool awaits_second_measurement(const RunState& state);

// Folders of the checkpoints that are kept.
[[nodiscard]] std::set<std::string> kept_checkpoints(const RunState& state);

// Whether `a` is a better value of the metric than `b`.
[[nodiscard]] bool is_better(plan::Metric metric, double a, double b);

// Checkpoints to keep on disk: the two newest, and the best.
inline constexpr std::size_t kCheckpointsKept = 2;

}  // namespace surety::orchestrator
