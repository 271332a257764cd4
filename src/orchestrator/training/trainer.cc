#include "orchestrator/training/trainer.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/overloaded.h"
#include "base/words.h"
#include "protocol/messages.h"

namespace surety::orchestrator {
namespace {

// Seconds that a barrier waits after a broken link before everything is sent again: long enough to
// notice a crash behind the broken link first.
constexpr double kRetryAfterS = 0.5;
// A link between two live workers that stays broken for this many tries will not recover.
constexpr std::uint32_t kRetriesMax = 40;

// Steps of each worker in an iteration, in batches.
std::uint32_t steps_of_iteration(const SessionSpec& spec) {
  const bool waits = spec.cocoa || spec.mode.mode == job::TrainMode::kSync;
  return spec.task.local_steps() * (waits ? 1 : spec.mode.updates);
}

// The index of a chunk in the session; nothing if the session does not have the chunk.
std::optional<ChunkId> place_of(const std::vector<data::ChunkRange>& chunks, std::uint32_t chunk) {
  const auto at = std::lower_bound(
      chunks.begin(), chunks.end(), chunk,
      [](const data::ChunkRange& range, std::uint32_t id) { return range.id.value < id; });
  if (at == chunks.end() || at->id.value != chunk) return std::nullopt;
  return ChunkId{static_cast<std::uint32_t>(at - chunks.begin())};
}

}  // namespace

void Trainer::join(WorkerId worker, std::string transport_address,
                   std::vector<std::uint32_t> samples_of, WorkerId before) {
  members_[worker].address = std::move(transport_address);
  members_[worker].samples_of = std::move(samples_of);
  // Only now, when the directory can know who has the samples, so that they are not read elsewhere.
  lose(before);
  enlist();
  advance();
}

void Trainer::leave(WorkerId worker) {
  const auto member = members_.find(worker);
  if (member == members_.end() || member->second.is_leaving) return;
  member->second.is_leaving = true;
  if (!member->second.is_enlisted) return;
  directory_->leave(worker);
  needs_prepare_ = true;
  enlist();
  advance();
}

void Trainer::lose(WorkerId worker) {
  const auto member = members_.find(worker);
  if (member == members_.end()) return;
  const bool took_part = member->second.is_enlisted && !directory_->has_departed(worker);
  const bool awaited = barrier_ && barrier_->waiting.contains(worker);
  members_.erase(member);
  pace_.forget(worker);
  fabric_.forget(worker);
  if (took_part) {
    directory_->lose(worker);
    std::erase_if(grants_, [&](const elastic::Grant& grant) { return grant.to == worker; });
    for (elastic::Grant& grant : grants_) {
      if (grant.from == worker) grant.from.reset();
    }
    needs_prepare_ = true;
    needs_resum_ = needs_resum_ || (spec_->cocoa && has_model_);
  }
  // A worker that left gracefully takes part in nothing any more; a crash makes the barrier void.
  if (took_part || awaited) abort_barrier();
  enlist();
  advance();
}

// Brings present workers into the session, up to its limit.
void Trainer::enlist() {
  if (!directory_) return;
  std::uint32_t taking_part = 0;
  for (const auto& [worker, member] : members_)
    taking_part += member.is_enlisted && !member.is_leaving;
  for (auto& [worker, member] : members_) {
    if (member.is_enlisted || member.is_leaving) continue;
    if (spec_->workers_max > 0 && taking_part >= spec_->workers_max) return;
    member.is_enlisted = true;
    directory_->join(worker);
    for (const std::uint32_t chunk : member.samples_of) {
      if (const auto dense = place_of(spec_->chunks, chunk))
        directory_->has_samples(worker, *dense);
    }
    needs_prepare_ = true;
    ++taking_part;
  }
}

std::vector<WorkerId> Trainer::departed() const {
  std::vector<WorkerId> result;
  for (const auto& [worker, member] : members_) {
    if (member.is_leaving && (!member.is_enlisted || directory_->has_departed(worker))) {
      result.push_back(worker);
    }
  }
  return result;
}

void Trainer::begin(SessionSpec spec, double now_s) {
  SURETY_CHECK(!spec.chunks.empty());
  ++session_;
  spec_ = std::move(spec);
  std::vector<elastic::ChunkSize> sizes;
  pass_samples_ = 0;
  for (const data::ChunkRange& range : spec_->chunks) {
    sizes.push_back({ChunkId{static_cast<std::uint32_t>(sizes.size())}, range.count, range.bytes});
    pass_samples_ += range.count;
  }
  directory_.emplace(std::move(sizes), elastic::DirectoryOptions{});
  for (auto& [worker, member] : members_) {
    member.is_synced = member.is_enlisted = false;
  }
  enlist();
  grants_.clear();
  pace_ = elastic::Pace({.policies = spec_->policies,
                         .whole_passes = spec_->cocoa,
                         .batch = spec_->task.batch(),
                         .local_steps = steps_of_iteration(*spec_),
                         .on_resize = spec_->on_resize,
                         .seed = spec_->task.seed()});
  balanced_at_.reset();
  working_ = 0;
  resting_.clear();
  begun_.clear();
  version_ = spec_->version;
  pass_ = spec_->first_pass;
  model_iteration_ = 0;
  has_model_ = needs_resum_ = false;
  needs_prepare_ = true;
  measured_.reset();
  forget_order();
  start(BeginOrder{}, now_s);
}

void Trainer::train_pass(std::uint32_t reference_workers, double now_s) {
  pace_.set_reference_workers(reference_workers);
  if (directory_->is_pass_finished()) directory_->begin_pass();
  // A pass of CoCoA is one iteration, even if it was cut short.
  if (spec_->cocoa && directory_->samples_left() < pass_samples_) directory_->cut_pass_short();
  totals_ = {};
  compute_s_.clear();
  computed_.clear();
  start(PassOrder{}, now_s);
}

void Trainer::evaluate_validation(std::vector<data::ChunkRange> ranges, data::Split split,
                                  double now_s) {
  start(EvaluateOrder{.duality = false, .split = split, .ranges = std::move(ranges)}, now_s);
}

void Trainer::evaluate_duality(double now_s) {
  start(EvaluateOrder{.duality = true, .split = data::Split::kDecide, .ranges = {}}, now_s);
}

void Trainer::switch_version(std::string version, double now_s) {
  start(SwitchOrder{std::move(version)}, now_s);
}

void Trainer::save(std::string folder, double now_s) { start(SaveOrder{std::move(folder)}, now_s); }

void Trainer::work_with(std::uint32_t workers) {
  if (std::exchange(working_, workers) != workers) needs_prepare_ = true;
}

void Trainer::probe(WorkerId from, WorkerId to, std::uint64_t bytes, double now_s) {
  start(ProbeOrder{from, to, bytes}, now_s);
}

void Trainer::start(Order order, double now_s) {
  SURETY_CHECK(idle());
  order_ = std::move(order);
  order_began_s_ = iteration_began_s_ = now_s_ = now_s;
  retries_ = 0;
  advance();
}

void Trainer::finish(Notice notice) {
  forget_order();
  outcome_.notices.push_back(std::move(notice));
}

Outcome Trainer::take() { return std::exchange(outcome_, {}); }

std::uint64_t Trainer::pass_samples_left() const {
  return directory_ ? directory_->samples_left() : 0;
}

// The next step for the current order: first repairs, if any are needed, then the order itself.
void Trainer::advance() {
  if (!order_ || barrier_) return;
  if (const auto* order = std::get_if<ProbeOrder>(&*order_)) return open_probe(*order);
  if (needs_prepare_) {
    const auto staying = [](const auto& member) {
      return member.second.is_enlisted && !member.second.is_leaving;
    };
    // Wait until a worker joins.
    if (std::none_of(members_.begin(), members_.end(), staying)) return;
    if (has_model_ && members().empty()) {
      return finish(ModelLost{"no worker holds the model any more"});
    }
    return open_prepare();
  }
  if (needs_resum_) return open_step(true);
  const Order order = *order_;
  std::visit(Overloaded{
                 [&](const BeginOrder&) { finish(Begun{}); },
                 [&](const PassOrder&) { train(); },
                 [&](const EvaluateOrder& evaluate) { open_evaluate(evaluate); },
                 [&](const SwitchOrder& change) { open_switch(change); },
                 [&](const SaveOrder& to) { open_save(to); },
                 [&](const ProbeOrder&) {},
             },
             order);
}

void Trainer::open(Kind kind, const std::vector<WorkerId>& members,
                   const std::function<void(WorkerId, proto::ToWorker&)>& fill) {
  SURETY_CHECK(!members.empty());
  barrier_ = Barrier{.kind = kind,
                     .sequence = ++sequence_,
                     .waiting = {members.begin(), members.end()},
                     .answers = {},
                     .work = {},
                     .retry_s = {},
                     .began_s = now_s_};
  for (const WorkerId worker : members) {
    proto::ToWorker message;
    message.set_sequence(sequence_);
    message.set_model_iteration(model_iteration_);
    fill(worker, message);
    outcome_.commands.push_back({worker, std::move(message)});
  }
}

void Trainer::receive(WorkerId from, const proto::FromWorker& message, double now_s) {
  now_s_ = now_s;
  // A late answer, from a void barrier.
  if (!barrier_ || message.sequence() != barrier_->sequence) return;
  if (!barrier_->waiting.contains(from)) return;  // A duplicate answer, or one without a command.
  if (message.has_failed()) return fail_on(from, message.failed(), now_s);
  barrier_->waiting.erase(from);
  barrier_->answers[from] = message;
  if (barrier_->waiting.empty()) close();
}

void Trainer::fail_on(WorkerId worker, const proto::Failed& failure, double now_s) {
  reason_ = fmt::format("worker {}: {}", worker, failure.message());
  const bool reads = barrier_->kind == Kind::kPrepare && reads_checkpoint();
  if (failure.fatal() && reads && failure.fault() == proto::FAULT_DAMAGE) {
    return finish(CheckpointUnreadable{{ErrorCode::kCorrupt, reason_}});
  }
  if (failure.fatal()) {
    return finish(Trouble{{protocol::code_of(failure.fault()), reason_}});
  }
  if (!barrier_->retry_s && ++retries_ > kRetriesMax) {
    return finish(Trouble{{ErrorCode::kUnavailable, reason_}});
  }
  barrier_->retry_s = now_s + kRetryAfterS;
}

// Whether the current barrier makes a worker read a checkpoint: the model, or the solver's state
// for the samples of a chunk that no worker hands over.
bool Trainer::reads_checkpoint() const {
  const auto reads_state = [this](const elastic::Grant& grant) {
    return !grant.from && spec_->state_files.contains(range_of(grant.chunk).id.value);
  };
  return (!has_model_ && !spec_->checkpoint.empty()) ||
         std::any_of(grants_.begin(), grants_.end(), reads_state);
}

std::optional<Waiting> Trainer::waits_for() const {
  if (!barrier_) return std::nullopt;
  if (barrier_->kind == Kind::kStep || barrier_->kind == Kind::kResum) {
    return Waiting{fmt::format("pass {} is {:.0f} % complete", pass_ + 1, 100 * pass_done()),
                   order_began_s_};
  }
  const std::size_t answered = barrier_->answers.size();
  const std::size_t commanded = answered + barrier_->waiting.size();
  const char* done = "";
  switch (barrier_->kind) {
    case Kind::kPrepare:
      done = "have received their samples and the model";
      break;
    case Kind::kEvaluate:
      done = "have evaluated the model";
      break;
    case Kind::kSave:
      done = "have written the checkpoint";
      break;
    case Kind::kSwitch:
      done = "have changed the version of the model";
      break;
    case Kind::kProbe:
    case Kind::kStep:
    case Kind::kResum:
      done = "have measured the network";
      break;
  }
  return Waiting{fmt::format("{} of {} {}", answered, counted(commanded, "worker"), done),
                 barrier_->began_s};
}

void Trainer::tick(double now_s) {
  now_s_ = now_s;
  if (!barrier_ || !barrier_->retry_s || now_s < *barrier_->retry_s) return;
  abort_barrier();
  advance();
}

// Grants of a void Prepare are still pending, so they are issued again.
void Trainer::abort_barrier() {
  needs_prepare_ = needs_prepare_ || (barrier_ && barrier_->kind == Kind::kPrepare);
  if (barrier_ && barrier_->kind == Kind::kStep) {
    ++totals_.again;
    if (!spec_->cocoa) begun_ = std::move(barrier_->work);
  }
  barrier_.reset();
}

void Trainer::close() {
  const Barrier barrier = std::move(*barrier_);
  barrier_.reset();
  retries_ = 0;
  switch (barrier.kind) {
    case Kind::kPrepare:
      close_prepare(barrier);
      break;
    case Kind::kStep:
    case Kind::kResum:
      close_step(barrier);
      break;
    case Kind::kEvaluate:
      close_evaluate(barrier);
      break;
    case Kind::kSave:
      close_save(barrier);
      break;
    case Kind::kSwitch:
      if (!same_checksum(barrier)) return;
      sizes_.parameters = barrier.answers.begin()->second.switched().parameters();
      sizes_.parent = barrier.answers.begin()->second.switched().parent();
      sizes_.average = barrier.answers.begin()->second.switched().average();
      version_ = std::get<SwitchOrder>(*order_).version;
      pace_.on_model_changed();
      ++model_iteration_;
      return finish(SwitchFinished{now_s_ - order_began_s_});
    case Kind::kProbe: {
      const ProbeOrder order = std::get<ProbeOrder>(*order_);
      const double rate = barrier.answers.at(order.to).probed().bytes_per_s();
      return finish(ProbeFinished{order.from, order.to, rate});
    }
  }
  advance();
}

std::vector<WorkerId> Trainer::members() const {
  std::vector<WorkerId> result;
  for (const auto& [worker, member] : members_) {
    if (member.is_synced && !directory_->has_departed(worker)) result.push_back(worker);
  }
  return result;
}

const data::ChunkRange& Trainer::range_of(ChunkId dense) const {
  return spec_->chunks[dense.value];
}

// All members must hold the same bytes; otherwise one of them has faulty memory, a faulty network
// or a faulty library. Nobody can tell which one is right, so nothing is committed.
bool Trainer::same_checksum(const Barrier& barrier) {
  const auto checksum = [](const proto::FromWorker& m) {
    if (m.has_prepared()) return m.prepared().model_checksum();
    return m.has_switched() ? m.switched().model_checksum() : m.step_done().model_checksum();
  };
  const auto& [first, answer] = *barrier.answers.begin();
  for (const auto& [worker, other] : barrier.answers) {
    if (checksum(other) == checksum(answer)) continue;
    finish(
        Trouble{{ErrorCode::kCorrupt,
                 fmt::format("workers {} and {} hold different models after iteration {} ({:016x} "
                             "and {:016x}); the result was not committed",
                             first, worker, model_iteration_, checksum(answer), checksum(other))}});
    return false;
  }
  model_checksum_ = checksum(answer);
  return true;
}

}  // namespace surety::orchestrator
