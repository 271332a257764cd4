// Workers of a job: how they join, take part, are lost, replaced and released.
#include <algorithm>

#include "base/check.h"
#include "orchestrator/job/job_machine.h"
#include "plan/plan_text.h"
#include "protocol/messages.h"

namespace surety::orchestrator {
namespace {

// Lost workers are replaced, but not without end: if workers crash at once again and again, new
// ones will not help. The limit is so many losses for each node that is wanted, or was present,
// without a finished pass in between.
constexpr std::uint32_t kLossesMax = 8;

std::uint32_t nodes_of(const NodeTarget& node_target) {
  std::uint32_t sum = 0;
  for (const plan::NodeCount& count : node_target.counts) sum += count.count;
  return std::max({1u, node_target.nodes, node_target.at_least, sum});
}

// "2 spot + 1 on-demand".
std::string text_of(const std::vector<plan::NodeCount>& counts) {
  std::string text;
  for (const plan::NodeCount& count : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", count.count, count.type);
  }
  return text;
}

std::string text_of(const NodeTarget& node_target) {
  return plan::nodes_text(nodes_of(node_target), node_target.counts);
}

}  // namespace

// ---- coming -------------------------------------------------------------------------------------

void JobMachine::welcome(const WorkerHello& event) {
  const job::NodeTypeSpec* spec = config_.job.cluster.find(event.hello.node_type());
  SURETY_CHECK(spec != nullptr);
  const bool was_here = event.hello.run() == identity(state_);
  if (was_here && event.hello.epoch() > state_.epoch) return yield_to_later(event.hello.epoch());
  // The worker's connection broke, and the worker noticed it before this coordinator did.
  const WorkerId before{event.hello.worker()};
  const bool calls_again = was_here && membership_.is_present(before);
  if (calls_again) remove(before, "lost", "it has connected again");
  const WorkerId worker = membership_.join(Time{from_seconds(now_s_)});
  most_present_ = std::max(most_present_, static_cast<std::uint32_t>(membership_.present().size()));
  proto::JournalRecord record;
  proto::WorkerJoined& fact = *record.mutable_worker_joined();
  fact.set_worker(worker.value);
  fact.set_host(event.hello.host());
  fact.set_pid(event.hello.pid());
  fact.set_node_type(spec->name);
  fact.set_by_itself(!event.local);
  append(std::move(record));
  send_welcome(event.connection, worker);
  if (event.again) pool_.on_requested({spec->name, 1});  // It replaces no worker that was awaited.
  pool_.on_joined(worker, spec->name, event.local);
  if (takes_part(spec->name)) {
    std::vector<std::uint32_t> chunks;
    if (was_here) chunks.assign(event.hello.chunks().begin(), event.hello.chunks().end());
    trainer_.join(worker, event.hello.transport_address(), std::move(chunks),
                  calls_again ? before : WorkerId{});
  } else {
    waiting_[worker] = event.hello.transport_address();
  }
  if (stage_ == Stage::kGather) return check_gathered();
  fit_to_plan();
}

// A later coordinator leads the run, so this one must decide nothing more. It sends nothing to the
// workers, because they belong to the later one.
void JobMachine::yield_to_later(std::uint32_t epoch) {
  stage_ = Stage::kEnded;
  effects_.push_back(Finish{Ending::kFailed, fmt::format("coordinator {} leads this run now, and "
                                                         "this is coordinator {}",
                                                         epoch, state_.epoch)});
}

void JobMachine::send_welcome(std::uint64_t connection, WorkerId worker) {
  effects_.push_back(Admit{connection, worker});
  Command command{worker, {}};
  proto::Welcome& welcome = *command.message.mutable_welcome();
  welcome.set_worker(worker.value);
  welcome.set_split_seed(config_.job.train.seed);
  welcome.set_run(identity(state_));
  welcome.set_epoch(state_.epoch);
  for (const data::SourceInfo& source : config_.sources)
    *welcome.add_sources() = protocol::to_proto(source);
  if (config_.validation) *welcome.mutable_validation() = protocol::to_proto(*config_.validation);
  effects_.push_back(Send{std::move(command)});
}

// A profile is made on the first type only: laws measured on a mixture would fit no nodes of a
// plan.
bool JobMachine::takes_part(const std::string& type) const {
  return state_.record.plan.has_value() || uses_pool() ||
         type == config_.job.cluster.nodes.front().name;
}

// There is a plan now, which may include the workers that have waited.
void JobMachine::enlist_waiting() {
  for (auto& [worker, address] : std::exchange(waiting_, {})) {
    trainer_.join(worker, std::move(address));
  }
}

std::uint32_t JobMachine::staying() const {
  if (state_.record.plan || attempts_) return pool_.size();
  return pool_.count(config_.job.cluster.nodes.front().name);
}

// ---- going --------------------------------------------------------------------------------------

void JobMachine::drop(WorkerId worker, const std::string& kind, const std::string& reason) {
  remove(worker, kind, reason);
  trainer_.lose(worker);
  fit_to_plan();
  fail_without_workers();
}

bool JobMachine::has_no_workers() const {
  return membership_.present().empty() && pool_.awaited() == 0;
}

// No worker can be started any more, so waiting would not help.
void JobMachine::fail_without_workers() {
  if (stage_ == Stage::kGather || stage_ == Stage::kEnded) return;
  if (!has_no_workers() || !config_.starts_workers || may_start()) return;
  finish(Ending::kFailed,
         fmt::format("{} workers were lost since the last finished pass, so no more are started; "
                     "the reasons are in their logs, in the folder logs/ of the run",
                     losses_));
}

void JobMachine::remove(WorkerId worker, const std::string& kind, const std::string& reason) {
  membership_.on_gone(worker);
  pool_.on_left(worker);
  waiting_.erase(worker);
  if (kind == "lost") ++losses_;
  proto::JournalRecord record;
  record.mutable_worker_gone()->set_worker(worker.value);
  record.mutable_worker_gone()->set_kind(kind);
  record.mutable_worker_gone()->set_reason(reason);
  append(std::move(record));
  effects_.push_back(Disconnect{worker});
}

// Its chunks move to others first; a worker without chunks may leave at once.
void JobMachine::leave(WorkerId worker) {
  membership_.on_leaving(worker);
  pool_.on_left(worker);
  if (waiting_.contains(worker)) return send_bye(worker);
  trainer_.leave(worker);
}

void JobMachine::send_bye(WorkerId worker) {
  Command bye{worker, {}};
  bye.message.mutable_bye()->set_reason("its chunks were handed over");
  effects_.push_back(Send{std::move(bye)});
  drop(worker, "leave", "its chunks were handed over");
}

void JobMachine::send_bye_to_departed() {
  for (const WorkerId worker : trainer_.departed()) send_bye(worker);
}

// ---- what the plan wants ------------------------------------------------------------------------

// Nodes to start at the beginning: those of the current plan, else those that the profile needs.
NodeTarget JobMachine::first_node_target() const {
  const job::ClusterSpec& cluster = config_.job.cluster;
  NodeTarget node_target;
  node_target.at_least = cluster.workers_min;
  node_target.only_first = !state_.record.plan;
  if (const auto& plan = state_.record.plan) {
    const std::uint32_t block =
        state_.checkpoints.empty() ? plan->first_block : state_.checkpoints.back().block();
    SURETY_CHECK(block < plan->blocks.size());
    node_target.counts = plan->blocks[block].counts;
    if (!node_target.counts.empty()) return node_target;
  }
  std::uint32_t count = cluster.nodes.front().local;
  const std::vector<std::uint32_t>& measured = config_.job.profile.workers;
  if (!state_.record.plan && !measured.empty()) {
    count = std::min(count, *std::max_element(measured.begin(), measured.end()));
  }
  node_target.counts = {{cluster.nodes.front().name, count}};
  return node_target;
}

NodeTarget JobMachine::node_target() const {
  NodeTarget node_target;
  node_target.at_least = config_.job.cluster.workers_min;
  node_target.only_first = !state_.record.plan && !attempts_;
  if (stage_ == Stage::kPool) node_target.counts = attempts_->counts();
  if (stage_ != Stage::kTrain) return node_target;
  node_target.counts = training_->counts();
  node_target.nodes = training_->nodes();
  return node_target;
}

bool JobMachine::may_start() const {
  return config_.starts_workers &&
         losses_ < kLossesMax * std::max(nodes_of(node_target()), most_present_);
}

void JobMachine::start(const plan::NodeCount& nodes) {
  if (!config_.starts_workers) return;
  pool_.on_requested(nodes);
  effects_.push_back(StartWorkers{nodes});
}

void JobMachine::start_first() {
  for (const plan::NodeCount& nodes : pool_.change(first_node_target()).started) start(nodes);
}

// A plan for a number of nodes takes the nodes that it lacks; a plan for any number takes all.
void JobMachine::on(const NodesAvailable& event) {
  pool_.set_available(event.nodes);
  for (job::NodeTypeSpec& type : config_.job.cluster.nodes) {
    if (type.name == event.nodes.type) type.local = event.nodes.count;
  }
  lacking_.clear();
  if (stage_ == Stage::kGather) return start_first();
  const NodeTarget node_target = this->node_target();
  const bool takes_all = node_target.counts.empty() && node_target.nodes == 0;
  const std::uint32_t room = pool_.room(event.nodes.type);
  if (takes_all && room > 0 && may_start()) {
    const plan::NodeCount more{event.nodes.type, room};
    effects_.push_back(
        Log{fmt::format("starting {} {}: nodes are available for them", room, more.type)});
    start(more);
  }
  fit_to_plan();
}

// Nodes that the plan does not need are released, to save their cost. Nodes that it needs are
// started if possible. While the first workers are gathered none is replaced, because missing ones
// are not waited for.
void JobMachine::fit_to_plan() {
  if (stage_ == Stage::kGather || stage_ == Stage::kEnded) return;
  const NodeTarget node_target = this->node_target();
  NodeChange change = pool_.change(node_target);
  if (!may_start()) {
    change.lacking.insert(change.lacking.end(), change.started.begin(), change.started.end());
    change.started.clear();
  }
  for (const plan::NodeCount& nodes : change.started) {
    const std::string why = node_target.counts.empty()
                                ? "there are fewer workers than cluster.workers_min"
                                : "the plan continues with " + text_of(node_target);
    effects_.push_back(Log{fmt::format("starting {} {}: {}", nodes.count, nodes.type, why)});
    start(nodes);
  }
  for (const WorkerId worker : change.released) {
    const std::string why = training_ && !training_->nodes_reason().empty()
                                ? training_->nodes_reason()
                                : "the plan continues with " + text_of(node_target);
    effects_.push_back(Log{fmt::format("worker {} is released: {}", worker, why)});
    leave(worker);
  }
  log_lacking_nodes(change.lacking);
}

void JobMachine::log_lacking_nodes(const std::vector<plan::NodeCount>& lacking) {
  if (std::exchange(lacking_, lacking) == lacking || lacking.empty()) return;
  const auto there = pool_.counts();
  effects_.push_back(
      Log{fmt::format("the plan lacks {}, which cannot be started here: continuing with {}",
                      text_of(lacking), there.empty() ? "no worker" : text_of(there))});
}

}  // namespace surety::orchestrator
