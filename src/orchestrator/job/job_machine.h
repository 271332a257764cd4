// The job as one step machine: gather workers, profile, plan, train, certify.
//
// step(now, event) returns effects in the order in which they must be carried out. Every fact that
// matters after a crash is appended to the journal before the effects that depend on it. The
// function that applies it to the run's state is the one that a resumed coordinator replays the
// journal with (orchestrator/history/run_state.h).
//
//   run:      gather -> train -> certify -> ended, with a pool of attempts (pool_stage.h)
//   train:    the same, with a plan or with fixed settings (TrainingStage)
//   profile:  gather -> profile -> ended. A run that chooses among data sets then plans and trains.
//
// Pure: no clock, no I/O. Time is seconds since the run began.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/sources/chunk.h"
#include "elastic/ownership/membership.h"
#include "job/job.h"
#include "orchestrator/history/run_state.h"
#include "orchestrator/job/job_events.h"
#include "orchestrator/job/job_view.h"
#include "orchestrator/job/node_pool.h"
#include "orchestrator/job/pool_stage.h"
#include "orchestrator/job/stages.h"
#include "orchestrator/training/trainer.h"

namespace surety::orchestrator {

struct JobConfig {
  job::Job job;
  std::string mode = "run";                    // "run", "profile" or "train".
  std::vector<data::SourceInfo> sources;       // In the order of job.data.
  std::optional<data::SourceInfo> validation;  // Without it, validation chunks come from `sources`.
  data::Schema schema;                         // Common to all sources (data::common_schema).
  std::vector<data::ChunkRange> chunks;
  // Source index sources.size() means `validation`.
  std::vector<data::ChunkRange> validation_chunks;
  std::string checkpoints_folder;  // The folder where workers write checkpoints.
  std::optional<plan::Plan> plan;  // Training follows this plan if there is one.
  std::uint32_t cut_for = 0;       // Number of workers that the data was cut into chunks for.
  bool starts_workers = true;      // There is a launcher (cluster.local() > 0).
  // In mode "run": pause as soon as the promise is stated, so that the user can decide whether it
  // is worth its cost. It holds for this coordinator only: a resumed run continues.
  bool measures_only = false;
  elastic::LivenessOptions liveness;
};

class JobMachine {
 public:
  // `state` is initial_state(job), or the state replayed from a journal to resume.
  JobMachine(JobConfig config, RunState state);

  [[nodiscard]] std::vector<Effect> step(double now_s, const Event& event);
  // The latest time for step(Tick) if nothing else happens.
  [[nodiscard]] double deadline_s() const;

  [[nodiscard]] const RunState& state() const { return state_; }
  [[nodiscard]] JobView view() const;

 private:
  enum class Stage : std::uint8_t { kGather, kProbe, kProfile, kPool, kTrain, kCertify, kEnded };

  // ---- events ----
  void on(const Started& event);
  void on(const WorkerHello& event);
  void on(const WorkerMessage& event);
  void on(const ConnectionLost& event);
  void on(const WorkerProcessEnded& event);
  void on(const WorkersNotStarted& event);
  void on(const NodesAvailable& event);
  void on(const StopRequested&);
  void on(const Tick&);

  // ---- phases ----
  void on(const Notice& notice);
  void note_pass(const Notice& notice);
  void check_gathered();
  void next_probe();
  [[nodiscard]] bool is_gathered() const;
  // Workers that have joined, compared with those that are waited for.
  [[nodiscard]] Waiting gathering() const;
  [[nodiscard]] std::string lost_checkpoint_text(const std::string& folder,
                                                 const Error& error) const;
  void watch_deadline_in_gather();
  void watch_budget_in_gather();
  void log_gathering_time();
  [[nodiscard]] bool may_refuse_in_gather() const;
  void refuse_in_gather(const std::string& reason_class, const std::string& reason);
  void enter_profile();
  void next_profile_order(const Notice* notice);
  void decide_plan();
  void enter_pool();
  void next_pool_order(const Notice* notice);
  [[nodiscard]] PoolNow pool_now() const;
  // Money left, less the cost of certification. REQUIRES: there is a budget.
  [[nodiscard]] double money_left() const;
  [[nodiscard]] bool is_out_of_money() const;
  void enter_training();
  void next_training_order(const Notice* notice);
  void enter_certify(const std::string& reason, bool target_met);
  void certify_again() {  // Repeats certification with the stop reason that the journal has.
    enter_certify(state_.stopped->reason(), state_.stopped->target_met());
  }
  void certify_measured(const EvaluationFinished& done);
  void measure(data::Split split);
  void carry_out(const std::vector<StageEffect>& effects);
  void append_stage_record(const proto::JournalRecord& fact);
  void stage_done(const StageDone& done);
  void fail_with(const Error& error);
  void roll_back(const Error& error);
  void continue_training();
  [[nodiscard]] std::string checkpoint_folder(const std::string& name);
  void choose(const plan::Decision& decision);
  void end(const std::string& reason);
  [[nodiscard]] StageContext stage_context(std::vector<data::ChunkRange> chunks) const;
  // Chunks of the plan's data sets.
  [[nodiscard]] std::vector<data::ChunkRange> training_chunks() const;
  [[nodiscard]] std::vector<plan::PassSeen> history() const;
  [[nodiscard]] double certify_reserve_s() const;

  // ---- workers (job_workers.cc) ----
  void welcome(const WorkerHello& event);
  void yield_to_later(std::uint32_t epoch);
  void send_welcome(std::uint64_t connection, WorkerId worker);
  void drop(WorkerId worker, const std::string& kind, const std::string& reason);
  void remove(WorkerId worker, const std::string& kind, const std::string& reason);
  void leave(WorkerId worker);
  void send_bye(WorkerId worker);
  void send_bye_to_departed();
  void enlist_waiting();
  void start_first();
  void fit_to_plan();
  void fail_without_workers();
  void start(const plan::NodeCount& nodes);
  void log_lacking_nodes(const std::vector<plan::NodeCount>& lacking);
  [[nodiscard]] NodeTarget node_target() const;
  [[nodiscard]] NodeTarget first_node_target() const;
  [[nodiscard]] bool may_start() const;
  [[nodiscard]] bool has_no_workers() const;  // No worker is present, and none is expected.
  [[nodiscard]] bool uses_pool() const;       // Training uses a pool of attempts.
  [[nodiscard]] bool takes_part(const std::string& type) const;
  [[nodiscard]] std::uint32_t staying() const;

  void append(proto::JournalRecord record);
  void enter_phase(const std::string& phase);
  void finish(Ending ending, const std::string& reason);
  void pump();

  JobConfig config_;
  RunState state_;
  Trainer trainer_;
  elastic::Membership membership_;
  Stage stage_ = Stage::kGather;
  std::optional<ProfileStage> profile_;
  std::optional<PoolStage> attempts_;
  std::optional<TrainingStage> training_;
  std::vector<std::pair<WorkerId, WorkerId>> probes_;  // Links that are still to be measured.
  proto::CheckpointCommitted certified_;               // The checkpoint that is being certified.
  NodePool pool_;
  // Addresses of workers that take no part before there is a plan.
  std::map<WorkerId, std::string> waiting_;
  std::map<std::string, std::uint32_t> saves_;  // Checkpoints saved by this coordinator, by name.
  std::uint32_t losses_ = 0;                    // Workers lost since the last finished pass.
  // Most workers present at the same time since the last finished pass.
  std::uint32_t most_present_ = 0;
  std::vector<plan::NodeCount> lacking_;  // The shortage of nodes that was logged last.
  double gather_s_ = 0;                   // Longest wait for the first workers, in seconds.
  bool warned_ = false;  // The log has a warning that gathering uses up the deadline.
  double stage_began_s_ = 0;
  double now_s_ = 0;
  double ticked_s_ = 0;
  std::vector<Effect> effects_;
};

}  // namespace surety::orchestrator
