// The commands of each trainer barrier, and what the answers mean.
#include <algorithm>
#include <functional>
#include <utility>

#include "base/check.h"
#include "base/words.h"
#include "orchestrator/training/asynchronous.h"
#include "orchestrator/training/trainer.h"
#include "protocol/messages.h"

namespace surety::orchestrator {
namespace {

std::uint64_t samples_of(const std::vector<elastic::Work>& work) {
  std::uint64_t samples = 0;
  for (const elastic::Work& piece : work) samples += piece.count;
  return samples;
}

// The number of tasks is at most the number of chunks.
std::uint32_t tasks_of(const std::vector<elastic::Work>& work, std::uint32_t most) {
  std::set<ChunkId> chunks;
  for (const elastic::Work& piece : work) chunks.insert(piece.chunk);
  return std::min(most, static_cast<std::uint32_t>(chunks.size()));
}

}  // namespace

// ---- prepare ------------------------------------------------------------------------------------

// Grants of a barrier that a crash made void are issued again before new ones are decided: the
// directory requires that each hand-over is confirmed or ended.
void Trainer::open_prepare() {
  needs_prepare_ = !grants_.empty();
  if (grants_.empty()) decide_grants();
  send_prepare();
}

void Trainer::decide_grants() {
  balanced_at_ = model_iteration_;
  const bool shuffles = has_model_ && directory_->samples_left() == pass_samples_;
  elastic::BoundaryPolicy policy =
      pace_.boundary(directory_->workers(), spec_->chunks.size(), shuffles, pass_);
  policy.working = working_;
  elastic::Boundary boundary = directory_->boundary(policy);
  resting_ = std::move(boundary.resting);
  grants_ = std::move(boundary.grants);
  reason_ = std::move(boundary.reason);
  const std::size_t moved = grants_.size() - boundary.shuffled;
  if (has_model_ && moved > 0) {
    outcome_.remarks.push_back(
        fmt::format("pass {}: {} moved: {}", pass_ + 1, counted(moved, "chunk"), reason_));
  }
}

void Trainer::send_prepare() {
  std::vector<WorkerId> everyone;
  for (const auto& [worker, member] : members_) {
    if (member.is_enlisted && !directory_->has_departed(worker)) everyone.push_back(worker);
  }
  open(Kind::kPrepare, everyone, [&](WorkerId worker, proto::ToWorker& message) {
    fill_prepare(worker, *message.mutable_prepare());
  });
}

void Trainer::fill_prepare(WorkerId worker, proto::Prepare& prepare) const {
  prepare.set_session(session_);
  *prepare.mutable_task() = spec_->task;
  fill_model_source(*prepare.mutable_model());
  for (const elastic::Grant& grant : grants_) {
    const data::ChunkRange& range = range_of(grant.chunk);
    if (grant.to == worker) {
      proto::ChunkGrant& out = *prepare.add_grants();
      *out.mutable_range() = protocol::to_proto(range);
      out.set_version(grant.version);
      out.set_has_from(grant.from.has_value());
      out.set_from(grant.from.value_or(WorkerId{}).value);
      const auto file = spec_->state_files.find(range.id.value);
      if (!grant.from && file != spec_->state_files.end()) {
        out.set_state_file(file->second.path);
        out.set_state_checksum(file->second.checksum);
      }
    }
    if (grant.from == worker) {
      proto::HandOver& out = *prepare.add_hand_overs();
      out.set_chunk(range.id.value);
      out.set_version(grant.version);
      out.set_to(grant.to.value);
    }
  }
  const auto& entries = directory_->entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].state != elastic::Ownership::kOrphan && entries[i].owner == worker) {
      prepare.add_owned(spec_->chunks[i].id.value);
    }
  }
  for (const auto& [peer, member] : members_)
    *prepare.add_peers() = protocol::peer_proto(peer, member.address);
}

void Trainer::fill_model_source(proto::ModelSource& source) const {
  if (!has_model_) {
    if (spec_->checkpoint.empty()) {
      source.set_fresh(true);
    } else {
      source.set_checkpoint(spec_->checkpoint);
    }
    return;
  }
  std::vector<WorkerId> receivers;
  for (const auto& [peer, member] : members_) {
    const bool takes_part = member.is_enlisted && !directory_->has_departed(peer);
    if (takes_part && !member.is_synced) receivers.push_back(peer);
  }
  if (receivers.empty()) return source.set_keep(true);
  proto::Transfer& transfer = *source.mutable_transfer();
  for (const WorkerId holder : members()) transfer.add_holders(holder.value);
  for (const WorkerId receiver : receivers) transfer.add_receivers(receiver.value);
  transfer.set_version(version_);
  transfer.set_parameters(sizes_.parameters);
  transfer.set_parent(sizes_.parent);
  transfer.set_average(sizes_.average);
  transfer.set_velocity(spec_->task.outer_momentum() > 0 ? sizes_.parameters : 0);
}

void Trainer::close_prepare(const Barrier& barrier) {
  if (!same_checksum(barrier)) return;
  const std::uint64_t saved = has_model_ ? 0 : spec_->checkpoint_checksum;
  if (saved != 0 && model_checksum_ != saved) {
    return finish(CheckpointUnreadable{
        {ErrorCode::kCorrupt,
         fmt::format("{} contains another model than the one that was saved", spec_->checkpoint)}});
  }
  for (const auto& [worker, answer] : barrier.answers) {
    // A worker without chunks may have left since it answered.
    if (const auto member = members_.find(worker); member != members_.end()) {
      member->second.is_synced = true;
      member->second.samples_of.clear();  // From now on the directory knows its chunks.
    }
    sizes_.parameters = answer.prepared().parameters();
    sizes_.parent = answer.prepared().parent();
    sizes_.average = answer.prepared().average();
  }
  for (const elastic::Grant& grant : grants_) {
    const auto& lost = barrier.answers.at(grant.to).prepared().state_lost();
    const std::uint32_t id = range_of(grant.chunk).id.value;
    const bool state_lost = std::find(lost.begin(), lost.end(), id) != lost.end();
    directory_->confirm(grant, state_lost);
    needs_resum_ = needs_resum_ || (state_lost && spec_->cocoa && has_model_);
  }
  grants_.clear();
  has_model_ = true;
}

// ---- step ---------------------------------------------------------------------------------------

// Chunks may move before each iteration, even if membership has not changed.
void Trainer::train() {
  const bool is_over = directory_->is_pass_finished() || (spec_->cocoa && totals_.samples > 0);
  if (is_over) return finish_pass(totals_.workers);
  const bool too_many_work = working_ > 0 && directory_->staying() > resting_.size() + working_;
  if ((pace_.moves_chunks() || too_many_work) && balanced_at_ != model_iteration_) {
    decide_grants();
    if (!grants_.empty()) return send_prepare();
  }
  open_step(false);
}

// A worker that had work in an aborted iteration gets the same work again, if it still owns all of
// it and all of it is still to be done: it has learned all or part of it
// (worker/state/learned_work.h).
std::map<WorkerId, std::vector<elastic::Work>> Trainer::work_of_step() {
  auto work = directory_->work(pace_.quotas(members()));
  for (const auto& [worker, begun] : begun_) {
    const auto is_current = [&, of = worker](const elastic::Work& piece) {
      return directory_->is_current(of, piece);
    };
    if (work.contains(worker) && std::ranges::all_of(begun, is_current)) work[worker] = begun;
  }
  return work;
}

void Trainer::open_step(bool resum) {
  std::map<WorkerId, std::vector<elastic::Work>> work;
  if (!resum) work = work_of_step();
  std::map<WorkerId, double> samples;
  double all_samples = 0;
  for (const auto& [worker, items] : work) {
    for (const elastic::Work& item : items) samples[worker] += item.count;
  }
  for (const auto& [worker, count] : samples) all_samples += count;
  proto::Step step;
  step.set_iteration(model_iteration_ + 1);
  step.set_pass(pass_);
  step.set_resum(resum);
  step.set_averages(!resum && !spec_->cocoa);
  step.set_rate(pace_.rate());
  if (auto remarks = pace_.take_remark()) remark({*std::move(remarks)});
  for (const auto& [worker, items] : work)
    step.set_tasks(step.tasks() + tasks_of(items, spec_->tasks_per_node));
  step.set_tasks_per_node(spec_->tasks_per_node);
  step.set_line_search(!resum && spec_->line_search && step.tasks() > 1);
  if (!resum) step.set_compute_s_max(pace_.cut_off_s(work).value_or(0));
  if (!resum && is_asynchronous(spec_->mode, members().size())) {
    *step.mutable_asynchronous() =
        spec_->cocoa ? asynchronous_pass_of(spec_->mode, members().size(),
                                            static_cast<std::uint64_t>(all_samples))
                     : asynchronous_of(spec_->mode, members().size(), spec_->task.local_steps());
  }
  if (!resum && spec_->average_passes > 0) {
    const double begin = pass_ + pass_done();
    const double all = static_cast<double>(pass_samples_);
    step.mutable_average()->set_passes(spec_->average_passes);
    step.mutable_average()->set_begin(begin);
    step.mutable_average()->set_end(begin + all_samples / all);
  }
  if (!resum && !step.has_asynchronous()) {
    for (const double share : fabric_.shares_of_sum(members())) step.add_shares(share);
    remark(fabric_.take_remarks());
  }
  for (const WorkerId worker : members()) {
    *step.add_members() = protocol::peer_proto(worker, members_.at(worker).address);
    // Local SGD averages by samples. CoCoA adds, because each task assumes a sigma' for that.
    const auto given = samples.find(worker);
    const bool adds = resum || (spec_->cocoa && given != samples.end());
    const double average = given != samples.end() ? given->second / all_samples : 0;
    step.add_weights(static_cast<float>(adds ? 1.0 : spec_->cocoa ? 0.0 : average));
  }
  open(resum ? Kind::kResum : Kind::kStep, members(),
       [&](WorkerId worker, proto::ToWorker& message) {
         *message.mutable_step() = step;
         for (const elastic::Work& item : work[worker]) {
           proto::WorkItem& out = *message.mutable_step()->add_items();
           out.set_chunk(range_of(item.chunk).id.value);
           out.set_first(item.first);
           out.set_count(item.count);
         }
       });
  std::erase_if(work, [](const auto& entry) { return entry.second.empty(); });
  barrier_->work = std::move(work);
}

void Trainer::close_step(const Barrier& barrier) {
  for (const auto& [worker, work] : barrier.work) {
    const std::uint64_t done = barrier.answers.at(worker).step_done().samples();
    if (done <= samples_of(work)) continue;
    return finish(Trouble{
        {ErrorCode::kCorrupt, fmt::format("worker {} has trained on {} samples, but was given {}",
                                          worker, done, samples_of(work))}});
  }
  if (!same_checksum(barrier)) return;
  ++model_iteration_;
  if (barrier.kind == Kind::kResum) {
    needs_resum_ = false;
    return;
  }
  sizes_.average = spec_->average_passes > 0 ? sizes_.parameters : 0;
  commit(barrier);
  begun_.clear();
  note_limits(barrier);
  totals_.iteration_s.push_back(now_s_ - std::exchange(iteration_began_s_, now_s_));
  for (const auto& [worker, answer] : barrier.answers) {
    const proto::StepDone& done = answer.step_done();
    totals_.samples += done.samples();
    totals_.loss_sum += done.loss_sum();
    fabric_.observe(worker, done);
    computed_[worker] += static_cast<double>(done.samples());
    compute_s_[worker] += done.compute_s();
  }
  remark(fabric_.take_remarks());
  const auto rests = [this](const auto& answer) { return resting_.contains(answer.first); };
  totals_.workers = static_cast<std::uint32_t>(
      std::count_if(barrier.answers.begin(), barrier.answers.end(), std::not_fn(rests)));
}

// Samples that a worker did not reach stay for a later iteration. CoCoA, which can use any part of
// a worker's samples, begins the next pass instead.
void Trainer::commit(const Barrier& barrier) {
  std::map<WorkerId, std::vector<elastic::Work>> done;
  std::uint64_t given = 0;
  std::uint64_t left = 0;
  for (const auto& [worker, work] : barrier.work) {
    const proto::StepDone& answer = barrier.answers.at(worker).step_done();
    done[worker] = elastic::first_of(work, answer.samples());
    pace_.observe(worker, samples_of(work), answer.samples(), answer.compute_s());
    given += samples_of(work);
    left += samples_of(work) - answer.samples();
  }
  directory_->commit(done);
  pace_.on_committed();
  if (left > 0) {
    outcome_.remarks.push_back(fmt::format(
        "pass {}: late workers were stopped with {} of {} samples left", pass_ + 1, left, given));
  }
}

// The worker that waits least in the sum is the slowest one; its waiting time is the time of the
// sum itself.
void Trainer::note_limits(const Barrier& barrier) {
  elastic::IterationTimes seen{.workers = barrier.work.size(), .chunks = spec_->chunks.size()};
  seen.sync_s = barrier.answers.begin()->second.step_done().reduce_s();
  for (const auto& [worker, answer] : barrier.answers) {
    seen.compute_s = std::max(seen.compute_s, answer.step_done().compute_s());
    seen.sync_s = std::min(seen.sync_s, answer.step_done().reduce_s());
  }
  if (const auto limit = limits_.observe(seen)) outcome_.remarks.push_back(*limit);
}

void Trainer::remark(const std::vector<std::string>& remarks) {
  for (const std::string& what : remarks) {
    outcome_.remarks.push_back(fmt::format("pass {}: {}", pass_ + 1, what));
  }
}

void Trainer::finish_pass(std::uint32_t workers) {
  PassFinished done = totals_;
  done.pass = ++pass_;
  done.workers = workers;
  done.present = static_cast<std::uint32_t>(directory_->staying());
  done.seconds = now_s_ - order_began_s_;
  for (const auto& [worker, seconds] : compute_s_) {
    if (seconds > 0 && computed_[worker] > 0)
      done.samples_per_s[worker] = computed_[worker] / seconds;
  }
  finish(done);
}

// ---- the others ---------------------------------------------------------------------------------

void Trainer::open_evaluate(const EvaluateOrder& order) {
  const std::vector<WorkerId> all = members();
  std::map<WorkerId, proto::Evaluate> parts;
  for (const WorkerId worker : all) {
    parts[worker].set_duality(order.duality);
    parts[worker].set_split(static_cast<std::uint32_t>(order.split));
  }
  for (std::size_t i = 0; i < order.ranges.size(); ++i) {
    *parts[all[i % all.size()]].add_ranges() = protocol::to_proto(order.ranges[i]);
  }
  open(Kind::kEvaluate, all, [&](WorkerId worker, proto::ToWorker& message) {
    *message.mutable_evaluate() = parts[worker];
  });
}

void Trainer::close_evaluate(const Barrier& barrier) {
  proto::Sums total;
  for (const auto& [worker, answer] : barrier.answers)
    protocol::add_to(total, answer.evaluated().sums());
  // A chunk that two workers hold, or none, would make the gap wrong.
  if (std::get<EvaluateOrder>(*order_).duality && total.samples() != pass_samples_) {
    return finish(
        Trouble{{ErrorCode::kCorrupt, fmt::format("the duality gap covers {} samples, expected {}: "
                                                  "the workers do not hold each chunk exactly once",
                                                  total.samples(), pass_samples_)}});
  }
  measured_ = model_checksum_;
  finish(EvaluationFinished{total, now_s_ - order_began_s_, model_checksum_});
}

void Trainer::open_switch(const SwitchOrder& order) {
  open(Kind::kSwitch, members(), [&](WorkerId, proto::ToWorker& message) {
    message.mutable_switch_()->set_version(order.version);
  });
}

// A checkpoint's metric must be measured on the model in it. If a worker of a linear model was lost
// since the measurement, its samples' part of the model was computed again from the checkpoint
// before, so the model is another one.
void Trainer::open_save(const SaveOrder& order) {
  if (measured_ && *measured_ != model_checksum_) {
    return finish(ModelLost{"a worker was lost before the measured model was saved"});
  }
  const std::vector<WorkerId> all = members();
  open(Kind::kSave, all, [&](WorkerId worker, proto::ToWorker& message) {
    message.mutable_save()->set_folder(order.folder);
    message.mutable_save()->set_model(worker == all.front());
    message.mutable_save()->set_chunk_state(spec_->cocoa);
  });
}

void Trainer::close_save(const Barrier& barrier) {
  SaveFinished saved{.folder = std::get<SaveOrder>(*order_).folder,
                     .files = {},
                     .model_iteration = model_iteration_,
                     .model_checksum = model_checksum_};
  for (const auto& [worker, answer] : barrier.answers) {
    for (const proto::SavedFile& file : answer.saved().files()) {
      saved.files.push_back(file);
      for (const std::uint32_t chunk : file.chunks()) {
        spec_->state_files[chunk] = {file.path(), file.checksum()};
      }
    }
  }
  finish(std::move(saved));
}

void Trainer::open_probe(const ProbeOrder& order) {
  if (!members_.contains(order.from) || !members_.contains(order.to)) {
    return finish(ProbeFinished{order.from, order.to, 0});
  }
  const ProbeOrder probe = order;
  open(Kind::kProbe, {probe.from, probe.to}, [&](WorkerId, proto::ToWorker& message) {
    *message.mutable_probe()->mutable_from() =
        protocol::peer_proto(probe.from, members_.at(probe.from).address);
    *message.mutable_probe()->mutable_to() =
        protocol::peer_proto(probe.to, members_.at(probe.to).address);
    message.mutable_probe()->set_bytes(probe.bytes);
  });
}

}  // namespace surety::orchestrator
