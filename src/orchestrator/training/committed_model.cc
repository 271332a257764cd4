#include "orchestrator/training/committed_model.h"

#include <utility>

#include "base/check.h"

namespace surety::orchestrator {
namespace {

std::uint64_t checksum_of(const proto::FromWorker& answer) {
  if (answer.has_prepared()) return answer.prepared().model_checksum();
  return answer.has_switched() ? answer.switched().model_checksum()
                               : answer.step_done().model_checksum();
}

template <typename Made>
ModelSizes sizes_in(const Made& made) {
  ModelSizes sizes{.parameters = made.parameters(), .parent = made.parent()};
  if (made.average() > 0) sizes.average = made.average();
  return sizes;
}

}  // namespace

std::optional<ModelSizes> sizes_of(const proto::FromWorker& answer) {
  if (answer.has_prepared()) return sizes_in(answer.prepared());
  if (answer.has_switched()) return sizes_in(answer.switched());
  return std::nullopt;
}

std::vector<WorkerId> CommittedModel::holders(const std::vector<WorkerId>& workers) const {
  std::vector<WorkerId> result;
  for (const WorkerId worker : workers) {
    if (holders_.contains(worker)) result.push_back(worker);
  }
  return result;
}

Result<void> CommittedModel::agree(const Answers& answers) {
  SURETY_CHECK(!answers.empty());
  const auto& [first, answer] = *answers.begin();
  const std::uint64_t checksum = checksum_of(answer);
  for (const auto& [worker, other] : answers) {
    if (checksum_of(other) == checksum) continue;
    return fail(ErrorCode::kUnavailable,
                "workers {} and {} hold different models after iteration {} ({:016x} and {:016x}); "
                "the result was not committed",
                first, worker, iteration_, checksum, checksum_of(other));
  }
  const std::optional<ModelSizes> sizes = sizes_of(answer);
  for (const auto& [worker, other] : answers) {
    if (sizes_of(other) == sizes) continue;
    return fail(ErrorCode::kUnavailable,
                "workers {} and {} hold models of different sizes after iteration {}", first,
                worker, iteration_);
  }
  if (answer.has_prepared() && exists_ && checksum != checksum_) {
    return fail(ErrorCode::kUnavailable,
                "the workers hold another model than the one of iteration {} ({:016x}, and {:016x} "
                "was committed)",
                iteration_, checksum, checksum_);
  }
  checksum_ = checksum;
  return {};
}

void CommittedModel::begin(const ModelSizes& sizes) {
  exists_ = true;
  sizes_ = sizes;
}

void CommittedModel::commit_step(bool averages) {
  ++iteration_;
  has_learned_as_version_ = true;
  sizes_.average.reset();
  if (averages) sizes_.average = sizes_.parameters;
}

void CommittedModel::commit_sum() {
  ++iteration_;
  needs_sum_ = false;
}

void CommittedModel::commit_switch(std::string version, const ModelSizes& sizes) {
  ++iteration_;
  version_ = std::move(version);
  has_learned_as_version_ = false;
  sizes_ = sizes;
}

proto::ModelSource CommittedModel::source(const std::vector<WorkerId>& workers,
                                          const std::optional<SavedModel>& saved,
                                          bool has_velocity) const {
  proto::ModelSource source;
  if (!exists_ && saved) source.set_checkpoint(saved->path);
  if (!exists_ && !saved) source.set_fresh(true);
  if (!exists_) return source;
  const std::vector<WorkerId> holders = this->holders(workers);
  if (holders.size() == workers.size()) {
    source.set_keep(true);
    return source;
  }
  proto::Transfer& transfer = *source.mutable_transfer();
  for (const WorkerId worker : workers) {
    if (holders_.contains(worker)) {
      transfer.add_holders(worker.value);
    } else {
      transfer.add_receivers(worker.value);
    }
  }
  transfer.set_version(version_);
  transfer.set_parameters(sizes_.parameters);
  transfer.set_parent(sizes_.parent);
  transfer.set_average(sizes_.average.value_or(0));
  transfer.set_velocity(has_velocity ? sizes_.parameters : 0);
  return source;
}

}  // namespace surety::orchestrator
