#include "orchestrator/job/fake_cluster_test.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "orchestrator/stages/checked_plan.h"

namespace surety::orchestrator {

void FakeCluster::feed(const Event& event) {
  const int measured = second_measurements_;
  feed_and_answer(event);
  if (plan_order_ && !holds_plan_) make_plan();
  if (second_measurements_ == measured || holds_second_measurement_) return;
  const MeasuredAgain same{certificate::values_of(*machine_->state().record.certified)};
  obey(machine_->step(now_s_, same));
}

void FakeCluster::make_plan() {
  const MakePlan order = *std::exchange(plan_order_, std::nullopt);
  feed(PlanMade{make_checked_plan(order.instance, order.profile, order.options)});
}

void FakeCluster::feed_and_answer(const Event& event) {
  obey(machine_->step(now_s_, event));
  while (!ended_ && !answers_.empty() && steps_left_ > 0) {
    const auto [worker, answer] = answers_.front();
    answers_.pop_front();
    if (!alive_.contains(worker) || worker == hung_) continue;
    --steps_left_;
    now_s_ += 0.01;
    obey(machine_->step(now_s_, WorkerMessage{worker, answer}));
  }
}

void FakeCluster::join(const std::string& type) {
  proto::Hello hello;
  hello.set_host("test");
  hello.set_transport_address("nowhere:1");
  hello.set_node_type(type);
  const std::string& name = config_.job.cluster.find(type)->name;
  std::uint32_t ordered = 0;
  for (const plan::NodeCount& order : orders_) ordered += order.type == name ? order.count : 0;
  const bool local = joined_[name] < ordered;
  if (local) ++joined_[name];
  feed(WorkerHello{++connections_, hello, local ? Origin::kStarted : Origin::kJoinedByItself});
  if (local) locals_[last_admitted_] = name;
}

void FakeCluster::end_before_joining(const std::string& type) {
  const std::string& name = config_.job.cluster.find(type)->name;
  ++joined_[name];
  ++ended_processes_;
  feed(WorkerProcessEnded{"a worker process: exit code 4", started() - ended_processes_, name});
}

std::uint32_t FakeCluster::started() const {
  std::uint32_t sum = 0;
  for (const plan::NodeCount& order : orders_) sum += order.count;
  return sum;
}

std::vector<plan::NodeCount> FakeCluster::nodes() const {
  std::map<std::string, std::uint32_t> counts;
  for (const auto& [worker, type] : machine_->state().workers.present) ++counts[type];
  std::vector<plan::NodeCount> result;
  for (const auto& [type, count] : counts) result.push_back({type, count});
  return result;
}

void FakeCluster::kill(WorkerId worker) {
  disconnect(worker);
  const auto local = locals_.extract(worker);
  if (local.empty()) return;
  ++ended_processes_;
  feed(WorkerProcessEnded{.what = "a worker process: signal 9 (Killed)",
                          .running = started() - ended_processes_,
                          .type = local.mapped(),
                          .joined = true,
                          .worker = worker});
}

void FakeCluster::disconnect(WorkerId worker) {
  alive_.erase(worker);
  feed(ConnectionLost{worker, "killed by the test"});
}

void FakeCluster::ask_to_leave(WorkerId worker) {
  proto::FromWorker message;
  message.mutable_leaving()->set_reason("asked by the test");
  feed(WorkerMessage{worker, message});
}

void FakeCluster::run_steps(int count) {
  steps_left_ = count;
  now_s_ += 0.01;
  feed(Tick{});
}

void FakeCluster::pass_time(double seconds, std::optional<WorkerId> silent) {
  steps_left_ = 0;
  for (double passed = 0; passed < seconds; passed += 0.25) {
    for (const WorkerId worker : std::set<WorkerId>(alive_)) {
      proto::FromWorker heartbeat;
      heartbeat.mutable_heartbeat();
      if (worker != silent) feed(WorkerMessage{worker, heartbeat});
    }
    now_s_ += 0.25;
    feed(Tick{});
  }
}

void FakeCluster::pass_silence(double seconds) {
  for (double passed = 0; passed < seconds; passed += 0.25) {
    now_s_ += 0.25;
    feed(Tick{});
  }
}

void FakeCluster::obey(const std::vector<Effect>& effects) {
  for (const Effect& effect : effects) {
    if (const auto* append = std::get_if<Append>(&effect)) journal_.push_back(append->record);
    if (const auto* admit = std::get_if<Admit>(&effect)) {
      last_admitted_ = admit->worker;
      alive_.insert(admit->worker);
    }
    if (const auto* send = std::get_if<Send>(&effect)) answer(send->command);
    if (std::holds_alternative<MeasureAgain>(effect)) ++second_measurements_;
    if (const auto* order = std::get_if<MakePlan>(&effect)) plan_order_ = *order;
    if (const auto* gone = std::get_if<Disconnect>(&effect)) alive_.erase(gone->worker);
    if (const auto* start = std::get_if<StartWorkers>(&effect)) orders_.push_back(start->nodes);
    if (const auto* line = std::get_if<Log>(&effect)) log_lines_.push_back(line->text);
    if (const auto* finish = std::get_if<Finish>(&effect)) ended_ = *finish;
  }
}

void FakeCluster::answer(const Command& command) {
  const proto::ToWorker& message = command.message;
  if (message.has_welcome()) last_welcome_ = message.welcome();
  byes_ += message.has_bye();
  last_sequence_ = std::max(last_sequence_, message.sequence());
  proto::FromWorker out;
  out.set_sequence(message.sequence());
  note_commits(message);
  const proto::ModelSource& source = message.prepare().model();
  if (source.has_fresh()) first_model_ = mix64(1);
  if (source.has_checkpoint()) {
    const std::uint64_t damage = source.checkpoint() == damaged_ ? 1 : 0;
    first_model_ = saved_models_[source.checkpoint()] + damage;
  }
  // Every worker holds the same model: its bytes are a function of what was committed.
  const std::uint64_t model =
      message.model_iteration() == 0 ? first_model_ : mix64(message.model_iteration() + 1);
  switch (message.command_case()) {
    case proto::ToWorker::kPrepare:
      owned_[command.to] = {message.prepare().owned().begin(), message.prepare().owned().end()};
      out.mutable_prepared()->set_model_checksum(model);
      out.mutable_prepared()->set_parameters(10);
      break;
    case proto::ToWorker::kStep:
      step(command.to, message, out);
      break;
    case proto::ToWorker::kEvaluate:
      if (message.evaluate().duality()) {
        evaluate_duality(command.to, *out.mutable_evaluated()->mutable_sums());
      } else {
        evaluate(message, *out.mutable_evaluated()->mutable_sums());
      }
      break;
    case proto::ToWorker::kSwitch:
      out.mutable_switched()->set_model_checksum(mix64(message.model_iteration() + 2));
      break;
    case proto::ToWorker::kSave: {
      proto::Saved& saved = *out.mutable_saved();
      if (message.save().model()) saved.add_files()->set_path(message.save().folder() + "/model");
      saved_samples_[message.save().folder() + "/model"] = committed_samples_;
      saved_models_[message.save().folder() + "/model"] = model;
      break;
    }
    case proto::ToWorker::kProbe:
      out.mutable_probed()->set_bytes_per_s(1e8);
      break;
    default:
      return;
  }
  answers_.emplace_back(command.to, out);
}

void FakeCluster::step(WorkerId worker, const proto::ToWorker& message, proto::FromWorker& out) {
  const proto::Step& step = steps_[worker] = last_step_ = message.step();
  proto::StepDone& done = *out.mutable_step_done();
  done.set_model_checksum(mix64(step.iteration() + 1) + (worker == liar_ ? 1 : 0));
  const double cost = costs_.contains(worker) ? costs_.at(worker) : 0.001;
  Tentative& tentative = tentative_[message.sequence()];
  tentative.iteration = step.iteration();
  tentative.pass = step.pass();
  tentative.workers += step.items().empty() ? 0 : 1;
  for (const proto::WorkItem& item : step.items()) {
    for (std::uint32_t i = 0; i < item.count(); ++i) {
      const bool is_late = step.has_compute_s_max() && done.compute_s() >= step.compute_s_max();
      if (is_late && done.samples() > 0) break;
      tentative.samples.push_back((std::uint64_t{item.chunk()} << 32) + item.first() + i);
      done.set_samples(done.samples() + 1);
      done.set_compute_s(done.compute_s() + cost);
    }
  }
  computed_[worker] += done.samples();
  slowest_step_s_ = std::max(slowest_step_s_, done.compute_s());
}

void FakeCluster::note_commits(const proto::ToWorker& message) {
  if (message.has_prepare() && message.prepare().session() != session_) {
    session_ = message.prepare().session();
    visits_.clear();
    tentative_.clear();
    committed_samples_ = saved_samples_[message.prepare().model().checkpoint()];
  }
  while (!tentative_.empty() && tentative_.begin()->first < message.sequence()) {
    const Tentative& t = tentative_.begin()->second;
    if (t.iteration == message.model_iteration() && tentative_.size() == 1) {
      for (const std::uint64_t sample : t.samples) ++visits_[{t.pass, sample}];
      committed_samples_ += t.samples.size();
      if (t.workers > 0) gap_ *= std::exp(-gap_rate_(t.workers));
    }
    tentative_.erase(tentative_.begin());
  }
}

void FakeCluster::evaluate(const proto::ToWorker& message, proto::Sums& sums) {
  double all = 0;
  for (const data::ChunkRange& range : config_.chunks) all += range.count;
  const double loss = 0.1 + 2 / (1 + static_cast<double>(committed_samples_) / all);
  for (const proto::ChunkRange& range : message.evaluate().ranges()) {
    const std::uint64_t half =
        data::samples_of(static_cast<data::Split>(message.evaluate().split()), range.first(),
                         range.count(), config_.job.train.seed);
    sums.set_samples(sums.samples() + half);
    sums.set_loss_sum(sums.loss_sum() + loss * static_cast<double>(half));
    sums.set_loss_square_sum(sums.loss_square_sum() +
                             (loss * loss + 0.01) * static_cast<double>(half));
  }
}

void FakeCluster::evaluate_duality(WorkerId worker, proto::Sums& sums) {
  for (const data::ChunkRange& range : config_.chunks) {
    if (!owned_[worker].contains(range.id.value)) continue;
    sums.set_samples(sums.samples() + range.count);
    sums.set_gap_sum(sums.gap_sum() + gap_ * range.count);
  }
}

JobConfig small_config(std::uint32_t workers) {
  JobConfig config;
  job::Job& job = config.job;
  job.name = "small";
  job.promise.target = 0.6;
  job.promise.probability = 0.7;
  job.promise.deadline_s = 1000;
  job.data.push_back({.name = "set", .source = "digits://", .site = {}, .price = 0.5});
  job.model.zoo = "mlp";
  job.train.batch = 8;
  job.train.local_steps = 2;
  job.profile.seeds = 2;
  job.profile.passes = 3;
  job.cluster.nodes.front().local = workers;
  data::SourceInfo source;
  source.name = "set";
  source.samples = 240;
  config.sources.push_back(source);
  for (std::uint32_t i = 0; i < 6; ++i) {
    config.chunks.push_back(
        {.id = ChunkId{i}, .source = 0, .first = 40 * i, .count = 40, .bytes = 400});
  }
  for (std::uint32_t i = 0; i < 2; ++i) {
    config.validation_chunks.push_back(
        {.id = ChunkId{i}, .source = 1, .first = 100 * i, .count = 100, .bytes = 1000});
  }
  config.checkpoints_folder = "checkpoints";
  return config;
}

plan::Plan hand_plan(std::optional<std::uint32_t> nodes, double stop_metric) {
  plan::Plan plan;
  plan.data = {"set"};
  plan.blocks = {{.version = "full", .passes = 50, .nodes = nodes}};
  plan.stop_metric = stop_metric;
  return plan;
}

RunState begun(const JobConfig& config) {
  RunState state = initial_state(config.job);
  proto::JournalRecord record;
  record.mutable_run_began()->set_mode(name_of(config.mode));
  record.mutable_run_began()->set_deadline_s(config.job.promise.deadline_s);
  (void)apply(state, record, config.job.cluster, config.job.promise.metric);
  return state;
}

std::vector<std::string> phases(const FakeCluster& cluster) {
  std::vector<std::string> names;
  for (const auto& record : cluster.journal()) {
    if (record.has_phase_began()) names.push_back(record.phase_began().phase());
  }
  return names;
}

std::string lose_the_model_that_met_the_target(FakeCluster& cluster) {
  while (!cluster.machine().state().stop && !cluster.ended()) cluster.run_steps(1);
  const auto& stopped = cluster.machine().state().stop;
  EXPECT_TRUE(stopped && stopped->target_met());
  if (!stopped) return "";
  const std::string lost = stopped->checkpoint();
  cluster.damage(lost + "/model");
  cluster.run_steps(0);
  for (const WorkerId worker : std::set<WorkerId>(cluster.alive())) cluster.kill(worker);
  return lost;
}

FakeCluster next_coordinator(const JobConfig& config, RunState& state) {
  proto::JournalRecord record;
  record.mutable_run_resumed()->set_term(2);
  EXPECT_TRUE(apply(state, record, config.job.cluster, config.job.promise.metric));
  FakeCluster cluster(config, state);
  cluster.feed(Started{});
  for (int i = 0; i < 2; ++i) cluster.join();
  cluster.run_steps(0);  // A pool that continues begins at the next tick.
  return cluster;
}

FakeCluster running(const JobConfig& config, std::uint32_t workers) {
  FakeCluster cluster(config, begun(config));
  cluster.feed(Started{});
  for (std::uint32_t i = 0; i < workers; ++i) cluster.join();
  return cluster;
}

}  // namespace surety::orchestrator
