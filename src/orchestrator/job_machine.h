// The job as one step machine: gather workers, profile, plan, train, certify.
//
// step(now, event) -> effects, in the order in which they are to be carried out. Every fact that
// matters after a crash is appended to the journal before the effects that depend on it, and
// applied to the run's state by the same function that a resumed coordinator replays (run_state.h).
//
//   run:      gather -> train -> certify -> ended, by a pool of attempts (pool_stage.h)
//   train:    the same, by a plan or by hand (TrainingStage)
//   profile:  gather -> profile -> ended; a run that chooses among data sets plans and trains then
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

#include "data/chunk.h"
#include "elastic/membership.h"
#include "orchestrator/job.h"
#include "orchestrator/job_events.h"
#include "orchestrator/job_view.h"
#include "orchestrator/node_pool.h"
#include "orchestrator/pool_stage.h"
#include "orchestrator/run_state.h"
#include "orchestrator/stages.h"
#include "orchestrator/trainer.h"

namespace surety::orchestrator {

struct JobConfig {
  Job job;
  std::string mode = "run";                    // run, profile, train
  std::vector<data::SourceInfo> sources;       // In the order of job.data.
  std::optional<data::SourceInfo> validation;  // None: validation chunks are of `sources`.
  data::Schema schema;                         // Of all sources (data::common_schema).
  std::vector<data::ChunkRange> chunks;
  std::vector<data::ChunkRange> validation_chunks;  // Source sources.size() is `validation`.
  std::string checkpoints_folder;                   // Where workers write them.
  std::optional<plan::Plan> plan;                   // Train by this one.
  std::uint32_t cut_for = 0;   // Workers that the data was cut into chunks for.
  bool starts_workers = true;  // There is a launcher (cluster.local() > 0).
  // In mode run: pauses as soon as the promise is stated, so that somebody may decide whether it is
  // worth its cost. Of this coordinator only: a run that is resumed goes on.
  bool measures_only = false;
  elastic::LivenessOptions liveness;
};

class JobMachine {
 public:
  // `state`: initial_state(job), or the fold of a journal to resume.
  JobMachine(JobConfig config, RunState state);

  [[nodiscard]] std::vector<Effect> step(double now_s, const Event& event);
  // When step(Tick) is wanted at the latest, if nothing else happens.
  [[nodiscard]] double deadline_s() const;

  [[nodiscard]] const RunState& state() const { return state_; }
  [[nodiscard]] JobView view() const;

 private:
  enum class Stage : std::uint8_t { kGather, kProbe, kProfile, kPool, kTrain, kCertify, kEnded };

  // Events.
  void on(const Started& event);
  void on(const WorkerHello& event);
  void on(const WorkerMessage& event);
  void on(const ConnectionLost& event);
  void on(const WorkerProcessEnded& event);
  void on(const WorkersNotStarted& event);
  void on(const NodesAvailable& event);
  void on(const StopRequested&);
  void on(const Tick&);

  // Phases.
  void on(const Notice& notice);
  void note_pass(const Notice& notice);
  void maybe_gathered(), next_probe();
  [[nodiscard]] bool is_gathered() const;
  // Workers that are there, of those that are waited for.
  [[nodiscard]] Waiting gathering() const;
  [[nodiscard]] std::string gone_words(const std::string& folder, const Error& error) const;
  void watch_deadline_in_gather(), watch_budget_in_gather(), say_what_gathering_took();
  [[nodiscard]] bool may_refuse_in_gather() const;
  void refuse_in_gather(const std::string& reason_class, const std::string& reason);
  void enter_profile();
  void next_profile_order(const Notice* notice);
  void decide_plan();
  void enter_pool();
  void next_pool_order(const Notice* notice);
  [[nodiscard]] PoolNow pool_now() const;
  [[nodiscard]] double money_left() const;  // Certification taken off. REQUIRES: there is a budget.
  [[nodiscard]] bool is_out_of_money() const;
  void enter_training();
  void next_training_order(const Notice* notice);
  void enter_certify(const std::string& reason, bool target_met);
  void certify_again() {  // As the run has stopped.
    enter_certify(state_.stopped->reason(), state_.stopped->target_met());
  }
  void certify_measured(const EvaluationFinished& done);
  void measure(data::Split split);
  void carry_out(const std::vector<StageEffect>& effects);
  void append_stage_record(const proto::JournalRecord& fact);
  void stage_done(const StageDone& done);
  void fail_with(const Error& error);
  void go_back(const Error& error);
  void train_on();
  [[nodiscard]] std::string checkpoint_folder(const std::string& name);
  void choose(const plan::Decision& decision);
  void end(const std::string& reason);
  [[nodiscard]] StageContext stage_context(std::vector<data::ChunkRange> chunks) const;
  [[nodiscard]] std::vector<data::ChunkRange> training_chunks() const;  // Of the plan's data sets.
  [[nodiscard]] std::vector<plan::PassSeen> history() const;
  [[nodiscard]] double certify_reserve_s() const;

  // Workers (job_workers.cc).
  void welcome(const WorkerHello& event);
  void give_way(std::uint32_t epoch);
  void greet(std::uint64_t connection, WorkerId worker);
  void drop(WorkerId worker, const std::string& kind, const std::string& reason);
  void remove(WorkerId worker, const std::string& kind, const std::string& reason);
  void leave(WorkerId worker), dismiss(WorkerId worker);
  void dismiss_departed(), call_on_all();
  void start_first(), fit_to_plan(), fail_if_deserted();
  void start(const plan::NodeCount& nodes);
  void say_what_lacks(const std::vector<plan::NodeCount>& lacking);
  [[nodiscard]] NodeWish wish() const;
  [[nodiscard]] NodeWish first_wish() const;
  [[nodiscard]] bool may_start() const;
  [[nodiscard]] bool is_deserted() const;  // Nobody is there, and nobody is awaited.
  [[nodiscard]] bool by_pool() const;      // Trains by a pool of attempts.
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
  std::vector<std::pair<WorkerId, WorkerId>> probes_;  // Still to be made.
  proto::CheckpointCommitted certified_;               // The one being certified.
  NodePool pool_;
  std::map<WorkerId, std::string> waiting_;  // Address of who takes no part before there is a plan.
  std::map<std::string, std::uint32_t> saves_;  // By name, under this coordinator.
  std::uint32_t losses_ = 0;                    // Workers lost since a pass was last finished.
  std::uint32_t most_ = 0;                      // Of them there at once, since then.
  std::vector<plan::NodeCount> lacking_;        // Last said.
  double gather_s_ = 0;                         // How long the first workers are waited for.
  bool warned_ = false;                         // That gathering eats the deadline.
  double stage_began_s_ = 0;
  double now_s_ = 0, ticked_s_ = 0;
  std::vector<Effect> effects_;
};

}  // namespace surety::orchestrator
