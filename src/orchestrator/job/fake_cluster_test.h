// A simulated cluster for tests of the trainer and the job machine: workers answer every command at
// once, or crash, and the loss falls by a known law.
//
// It records independently which samples were visited in which pass, from the items of the steps
// that a later command declared committed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/job/job_machine.h"

namespace surety::orchestrator {

class FakeCluster {
 public:
  explicit FakeCluster(JobConfig config, RunState state)
      : config_(config),
        machine_(std::make_unique<JobMachine>(std::move(config), std::move(state))) {}

  // Feeds an event and all resulting events, until there are no more, the job has ended, or
  // `steps_left` answers have been given.
  void feed(const Event& event);
  // A started process that has not joined yet joins, or otherwise a worker from elsewhere.
  void join(const std::string& type = "");
  // The worker's connection breaks, and its process ends if it was started here.
  void kill(WorkerId worker);
  // The worker's connection breaks, but its process continues.
  void disconnect(WorkerId worker);
  // A process that was requested ends before it joins.
  void end_before_joining(const std::string& type = "");
  void ask_to_leave(WorkerId worker);
  // Gives up to `count` more answers.
  void run_steps(int count);
  // All workers except `silent` send heartbeats; no worker answers a command.
  void pass_time(double seconds, std::optional<WorkerId> silent = {});
  // Time passes, and no worker sends a message.
  void pass_silence(double seconds);

  JobMachine& machine() { return *machine_; }
  const std::set<WorkerId>& alive() const { return alive_; }
  const std::optional<Finish>& ended() const { return ended_; }
  const std::vector<proto::JournalRecord>& journal() const { return journal_; }
  const std::vector<std::string>& log_lines() const { return log_lines_; }
  std::uint32_t started() const;
  // Requests for nodes, in the order in which they were made.
  const std::vector<plan::NodeCount>& orders() const { return orders_; }
  // Nodes present now, by type.
  std::vector<plan::NodeCount> nodes() const;
  // Samples committed in a pass of the current session, with the number of their visits, which must
  // be 1.
  const std::map<std::pair<std::uint32_t, std::uint64_t>, int>& visits() const { return visits_; }
  void set_liar(WorkerId worker) { liar_ = worker; }
  // From now on the worker does not answer, but sends heartbeats.
  void hang(WorkerId worker) { hung_ = worker; }
  // From now on, the second measurement of a certified model is not answered. Otherwise it finds
  // the same as the workers.
  void hold_second_measurement() { holds_second_measurement_ = true; }
  // From now on the planner computes until make_plan(). Otherwise it needs no time.
  void hold_plan() { holds_plan_ = true; }
  // REQUIRES: a plan was requested, and not made.
  void make_plan();
  bool awaits_plan() const { return plan_order_.has_value(); }
  int second_measurements() const { return second_measurements_; }
  void damage(const std::string& model_file) { damaged_ = model_file; }
  // Sets the rate: the duality gap falls by exp(-rate) with each pass of this number of workers.
  void set_gap_rate(std::function<double(std::size_t workers)> rate) { gap_rate_ = rate; }
  // Seconds for computing one sample; the default is a millisecond.
  void set_seconds_per_sample(WorkerId worker, double seconds) { costs_[worker] = seconds; }
  // Samples that each worker has learned from in committed and uncommitted steps.
  const std::map<WorkerId, std::uint64_t>& computed() const { return computed_; }
  // The last step that any worker received.
  const proto::Step& last_step() const { return last_step_; }
  // The last step that this worker received.
  const proto::Step& step_of(WorkerId worker) { return steps_[worker]; }
  const proto::Welcome& last_welcome() const { return last_welcome_; }
  std::uint64_t last_sequence() const { return last_sequence_; }
  // The last session that workers were prepared for.
  std::uint32_t session() const { return session_; }
  int byes() const { return byes_; }
  // Chunks that the worker owned according to its last Prepare.
  const std::set<std::uint32_t>& owned(WorkerId worker) { return owned_[worker]; }
  // Longest computing time of a step.
  double slowest_step_s() const { return slowest_step_s_; }
  void forget_slowest_step() { slowest_step_s_ = 0; }
  double now_s() const { return now_s_; }

 private:
  void feed_and_answer(const Event& event);
  void obey(const std::vector<Effect>& effects);

  void answer(const Command& command);

  void step(WorkerId worker, const proto::ToWorker& message, proto::FromWorker& out);

  // Commits the last step that was sent if the next command says so, and drops earlier ones.
  void note_commits(const proto::ToWorker& message);

  // The loss is 0.1 + 2 / (1 + passes) for every sample of the split.
  void evaluate(const proto::ToWorker& message, proto::Sums& sums);
  // The gap is the same for every sample; it is summed over the chunks that the worker owns.
  void evaluate_duality(WorkerId worker, proto::Sums& sums);

  struct Tentative {
    std::uint64_t iteration = 0;
    std::uint32_t pass = 0;
    std::vector<std::uint64_t> samples;
    std::size_t workers = 0;  // Workers that had work.
  };

  JobConfig config_;
  std::unique_ptr<JobMachine> machine_;
  double now_s_ = 0;
  int steps_left_ = 0;
  std::uint64_t connections_ = 0;
  std::vector<plan::NodeCount> orders_;
  // Started processes that have joined, or ended before it, by type.
  std::map<std::string, std::uint32_t> joined_;
  std::map<WorkerId, std::string> locals_;  // Types of the workers that were started here.
  std::uint32_t ended_processes_ = 0;       // Number of started processes that have ended.
  WorkerId last_admitted_;
  std::uint32_t session_ = 0;
  std::uint64_t committed_samples_ = 0;
  std::map<std::string, std::uint64_t> saved_samples_;  // Committed samples, by checkpoint file.
  std::uint64_t first_model_ = 0;  // Checksum of the model that the current session began with.
  std::map<std::string, std::uint64_t> saved_models_;  // Checksums of models, by checkpoint file.
  // Model file that contains another model than the saved one.
  std::string damaged_;
  std::optional<WorkerId> liar_;
  std::optional<WorkerId> hung_;
  std::map<WorkerId, double> costs_;
  std::function<double(std::size_t)> gap_rate_ = [](std::size_t) { return 0; };
  double gap_ = 1;
  std::map<WorkerId, std::set<std::uint32_t>> owned_;  // Chunks by its last Prepare.
  std::map<WorkerId, std::uint64_t> computed_;
  double slowest_step_s_ = 0;
  proto::Step last_step_;
  std::map<WorkerId, proto::Step> steps_;
  proto::Welcome last_welcome_;
  std::uint64_t last_sequence_ = 0;
  int byes_ = 0;
  int second_measurements_ = 0;
  bool holds_second_measurement_ = false;
  std::optional<MakePlan> plan_order_;  // Present until it is answered.
  bool holds_plan_ = false;
  std::set<WorkerId> alive_;
  std::deque<std::pair<WorkerId, proto::FromWorker>> answers_;
  std::map<std::uint64_t, Tentative> tentative_;  // The key is the sequence number of the step.
  std::map<std::pair<std::uint32_t, std::uint64_t>, int> visits_;
  std::vector<proto::JournalRecord> journal_;
  std::vector<std::string> log_lines_;
  std::optional<Finish> ended_;
};

// A config of six chunks of 40 samples, two validation chunks of 100 samples and one version. Local
// SGD learns from 16 samples per worker and iteration.
JobConfig small_config(std::uint32_t workers);
plan::Plan hand_plan(std::optional<std::uint32_t> nodes, double stop_metric);
// The state of a run that has just begun.
RunState begun(const JobConfig& config);
// The cluster of such a run, in which all workers have joined.
FakeCluster running(const JobConfig& config, std::uint32_t workers = 2);
// The next coordinator resumes from this state, which becomes that of a resumed run, with two new
// workers. If these are all that it waits for, training has begun.
FakeCluster next_coordinator(const JobConfig& config, RunState& state);
// The names of the phases that the run has entered, from the journal.
std::vector<std::string> phases(const FakeCluster& cluster);
// Continues until the run stops with a model that meets the target. Then all holders of the model
// crash, and its checkpoint is damaged. Returns that checkpoint.
std::string lose_the_model_that_met_the_target(FakeCluster& cluster);

}  // namespace surety::orchestrator
