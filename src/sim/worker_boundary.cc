// What a simulated worker does between iterations: the model, chunks and links that it needs.
#include <algorithm>

#include "base/check.h"
#include "orchestrator/messages.h"
#include "sim/worker.h"
#include "worker/model_values.h"
#include "worker/task_options.h"

namespace surety::sim {
namespace {

constexpr double kReadBytesPerS = 200e6;
constexpr double kReadS = 2e-3;  // To open a source.

std::vector<WorkerId> ids_of(const google::protobuf::RepeatedField<std::uint32_t>& values) {
  std::vector<WorkerId> ids;
  for (const std::uint32_t value : values) ids.push_back(WorkerId{value});
  return ids;
}

}  // namespace

void Worker::prepare() {
  const proto::Prepare& order = order_.prepare();
  holdings_.take_back();
  if (order.session() != session_) {
    if (const auto begun = begin_session(order); !begun) return fail_with(begun.error());
  }
  if (const auto blamed = hand_over(order)) {
    return fail_with({ErrorCode::kUnavailable, fmt::format("worker {} cannot be reached", *blamed)},
                     blamed);
  }
  obtain_model();
}

Result<void> Worker::begin_session(const proto::Prepare& order) {
  task_.reset();
  tentative_.reset();
  learned_.reset();
  holdings_.forget_states();
  model_ = {};
  options_ = order.task();
  SURETY_TRY(task_, learner_.factory(worker::task_options(options_)));
  session_ = order.session();
  iteration_ = order_.model_iteration();
  return {};
}

// Who could not be reached, if anybody.
std::optional<WorkerId> Worker::hand_over(const proto::Prepare& order) {
  if (!holdings_.check(order)) return self_;
  for (const proto::HandOver& out : order.hand_overs()) {
    const std::vector<float>& state = holdings_.chunks().at(ChunkId{out.chunk()}).state;
    const WorkerId to{out.to()};
    const double bytes = 64 + 4.0 * static_cast<double>(state.size());
    ++sends_;
    if (!host_.send_blob(to, {order_.sequence(), self_, out.chunk()}, state, bytes)) return to;
  }
  return std::nullopt;
}

void Worker::obtain_model() {
  const proto::ModelSource& source = order_.prepare().model();
  if (source.has_fresh()) model_ = task_->initial_model();
  if (source.has_checkpoint()) {
    auto loaded = host_.checkpoints().model(source.checkpoint());
    if (!loaded) return fail_with(loaded.error());
    model_ = std::move(*loaded);
    const bool has_velocity = options_.outer_momentum() > 0;
    model_.velocity.resize(has_velocity ? model_.parameters.size() : 0);
  }
  if (!source.has_transfer()) return receive_chunks();
  const proto::Transfer& transfer = source.transfer();
  Round round{.sequence = order_.sequence(),
              .holders = ids_of(transfer.holders()),
              .members = ids_of(transfer.receivers()),
              .weights = {},
              .bytes = learner_.model_bytes(transfer.version())};
  in_round_ = true;
  merge_ = [this](std::span<const float> values) {
    model_ = worker::from_values(order_.prepare().model().transfer(), values);
    iteration_ = order_.model_iteration();
    receive_chunks();
  };
  host_.join_round(round, worker::to_values(transfer, model_));
}

// Seconds that reading what is missing takes.
Result<double> Worker::load_chunks(const proto::Prepare& order) {
  holdings_.free(order);
  double bytes = 0;
  for (const data::ChunkRange& range : holdings_.missing(order)) {
    SURETY_TRY(data::Chunk chunk, host_.load(range));
    bytes += static_cast<double>(range.bytes);
    host_.has_read(range.id);
    holdings_.chunks().emplace(range.id, std::move(chunk));
  }
  return bytes > 0 ? kReadS + bytes / kReadBytesPerS : 0;
}

Result<void> Worker::restore_states(const proto::Prepare& order) {
  for (const proto::ChunkGrant& grant : order.grants()) {
    const ChunkId id{grant.range().id()};
    if (grant.has_from()) continue;
    holdings_.chunks().at(id).state.clear();
    if (grant.state_file().empty()) continue;
    SURETY_TRY(ChunkStates states, host_.checkpoints().states(grant.state_file()));
    holdings_.chunks().at(id).state = std::move(states[id]);
  }
  return {};
}

void Worker::receive_chunks() {
  const proto::Prepare& order = order_.prepare();
  const auto seconds = load_chunks(order);
  if (!seconds) return fail_with(seconds.error());
  if (const auto restored = restore_states(order); !restored) return fail_with(restored.error());
  wait(*seconds, [this] {
    awaits_states_ = true;
    await_states();
  });
}

void Worker::blob(const BlobTag& tag, std::vector<float> content) {
  blobs_[tag] = std::move(content);
  blob_arrived_s_[tag] = host_.now_s();
  if (!busy_ || tag.round != order_.sequence()) return;
  if (awaits_states_) await_states();
  if (order_.has_probe()) probe();
}

void Worker::sent(std::uint64_t sequence, bool arrived, WorkerId to) {
  if (!busy_ || sequence != order_.sequence()) return;
  if (!arrived) {
    return fail_with(
        {ErrorCode::kUnavailable, fmt::format("the connection to worker {} is lost", to)}, to);
  }
  --sends_;
  if (awaits_states_) await_states();
  if (order_.has_probe() && sends_ == 0)
    reply([] {
      proto::FromWorker answer;
      answer.mutable_probed();
      return answer;
    }());
}

void Worker::await_states() {
  const proto::Prepare& order = order_.prepare();
  if (sends_ > 0) return;
  for (const proto::ChunkGrant& grant : order.grants()) {
    const BlobTag tag{order_.sequence(), WorkerId{grant.from()}, grant.range().id()};
    if (grant.has_from() && !blobs_.contains(tag)) return;
  }
  awaits_states_ = false;
  for (const proto::ChunkGrant& grant : order.grants()) {
    if (!grant.has_from()) continue;
    const BlobTag tag{order_.sequence(), WorkerId{grant.from()}, grant.range().id()};
    std::vector<float> state = std::move(blobs_.at(tag));
    if (!state.empty() && state.size() != grant.range().count()) {
      return fail_with({ErrorCode::kCorrupt, fmt::format("chunk {}: state of {} samples",
                                                         grant.range().id(), state.size())});
    }
    holdings_.chunks().at(ChunkId{grant.range().id()}).state = std::move(state);
  }
  prepared();
}

void Worker::prepared() {
  const std::uint64_t sequence = order_.sequence();
  std::erase_if(blobs_, [&](const auto& entry) { return entry.first.round <= sequence; });
  blob_arrived_s_.clear();
  holdings_.hand_over(order_.prepare());
  proto::FromWorker answer;
  proto::Prepared& done = *answer.mutable_prepared();
  done.set_version(model_.version);
  done.set_parameters(model_.parameters.size());
  done.set_parent(model_.parent.size());
  done.set_model_checksum(checksum_of_model(model_));
  reply(std::move(answer));
}

// The receiver times a large message from the arrival of a small one before it.
void Worker::probe() {
  const proto::Probe& order = order_.probe();
  const WorkerId from{order.from().worker()}, to{order.to().worker()};
  if (from == self_) {
    if (sends_ > 0) return;
    for (const std::uint32_t step : {0u, 1u}) {
      ++sends_;
      const double bytes = step == 0 ? 1.0 : static_cast<double>(order.bytes());
      if (host_.send_blob(to, {order_.sequence(), self_, step}, {}, bytes)) continue;
      return fail_with({ErrorCode::kUnavailable, fmt::format("worker {} cannot be reached", to)},
                       to);
    }
    return;
  }
  const BlobTag first{order_.sequence(), from, 0}, second{order_.sequence(), from, 1};
  if (!blobs_.contains(first) || !blobs_.contains(second)) return;
  const double seconds = blob_arrived_s_.at(second) - blob_arrived_s_.at(first);
  proto::FromWorker answer;
  answer.mutable_probed()->set_bytes_per_s(static_cast<double>(order.bytes()) /
                                           std::max(seconds, 1e-9));
  reply(std::move(answer));
}

}  // namespace surety::sim
