// The state of a run: the fold of its journal.
//
// Whatever the coordinator knows beyond the moment is in a record, and whoever has the records has
// the state: the running job, `surety run --resume`, `surety status` and `surety verify` all call
// apply(), and the certificate is a view of the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "data/source_info.h"
#include "orchestrator/certificate.h"
#include "orchestrator/job.h"
#include "plan/plan.h"
#include "plan/planner/controller.h"
#include "plan/pool/attempt_pool.h"
#include "plan/profile.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

struct RunState {
  RunRecord record;   // What the certificate shows.
  std::string mode;   // run, profile, train
  std::string phase;  // gather, profile, plan, train, certify, or empty before the first
  std::string job_text;
  std::string library;                       // Folder of the profile library; empty: none.
  std::optional<plan::EarlierJobs> earlier;  // What the run knew from it when it began.
  double started_unix_s = 0;
  double last_s = 0;    // Of the newest record.
  double train_s = -1;  // When training began; negative before.
  // The attempt that the newest record of one is about; 0: none. And what training has cost since:
  // the next such record says on which one it was spent.
  std::uint32_t attempt = 0;
  double unaccounted_cost = 0;

  plan::Profile profile;                 // Finished profile runs only ...
  plan::Profile unfinished;              // ... and the one in hand: forgotten when the run resumes.
  std::set<std::uint32_t> profile_done;  // Indices of finished profile runs.

  std::vector<proto::CheckpointCommitted> checkpoints;  // Kept ones, oldest first.
  std::optional<proto::CheckpointCommitted> best;       // By the deciding split's metric.
  std::vector<proto::AttemptBegan> attempts;            // Of the pool, in order.
  std::set<std::uint32_t> attempts_ended;               // They do not go on.
  std::set<std::uint32_t> attempts_failed;              // Of these, those that did not learn.
  // The newest of each attempt that may go on.
  std::map<std::uint32_t, proto::CheckpointCommitted> attempt_checkpoints;
  std::optional<proto::RunStopped> stopped;  // Training is over.
  // Passes of training in order, each of each attempt once: what comes after a checkpoint that an
  // attempt went back to is replaced.
  std::vector<proto::PassDone> passes;
  std::vector<double> pass_ends_s;  // When each ended, since training began.
  std::vector<double> pass_costs;   // What training had cost by then.
  std::optional<proto::RunEnded> ended;
  std::optional<proto::RunPaused> paused;  // Nobody works on it, until it is resumed.

  std::uint32_t epoch = 1;                    // Of the coordinator; each resume makes it later.
  std::map<WorkerId, std::string> present;    // With their node types.
  std::set<WorkerId> visitors;                // Of these, those that no coordinator has started.
  std::size_t visitors_away = 0;              // That were there when the run was last resumed.
  std::uint32_t last_worker = 0;              // Ids are never reused, not even after a resume.
  std::map<std::string, double> data_prices;  // By data set; those of the plan are paid for.
  // The data sets that the run began with, the one for validation last, where there is one. Empty
  // in a journal of a program that did not write them down.
  std::vector<data::SourceInfo> sources;
  // What the data call the class that is not 1: -1, or 0 where there are zeros and no -1.
  int negative_label = -1;
};

// Before the first record. Price and promise come from the job, not from the journal.
[[nodiscard]] RunState initial_state(const Job& job);

// REQUIRES: records in the order they were written. A record that makes no sense here (a plan that
// does not parse) is Corrupt and changes nothing.
[[nodiscard]] Result<void> apply(RunState& state, const proto::JournalRecord& record,
                                 const ClusterSpec& cluster, plan::Metric metric);

// Tells this run from any other.
[[nodiscard]] std::string identity(const RunState& state);

// What the plan's controller saw of the passes up to `pass`.
[[nodiscard]] std::vector<plan::PassSeen> history_until(const RunState& state, std::uint32_t pass,
                                                        plan::Metric metric);

// Of all present nodes together.
[[nodiscard]] double price_per_s(const RunState& state, const ClusterSpec& cluster);

// Nobody works on it because its user asked for that (--measure-only), not because of anything that
// went wrong or was cut short.
[[nodiscard]] bool is_paused_as_asked(const RunState& state);

// Folders of the checkpoints that are kept.
[[nodiscard]] std::set<std::string> kept_checkpoints(const RunState& state);

// Is `a` a better value of the metric than `b`?
[[nodiscard]] bool better(plan::Metric metric, double a, double b);

// Checkpoints worth keeping on disk: the two newest and the best.
inline constexpr std::size_t kCheckpointsKept = 2;

}  // namespace surety::orchestrator
