#include "worker/operations/preparation.h"

#include <chrono>
#include <cstring>
#include <map>
#include <utility>

#include "learn/model_checksum.h"
#include "protocol/learning.h"
#include "worker/state/model_values.h"

namespace surety::worker {
namespace {

// How long to wait for the states of chunks. They are small, and a sender sends them before it
// reads anything. But a sender may still be busy with an older command, whose background
// computation cannot always be stopped (Host::stop_work()). After this time, the command fails and
// the coordinator sends it again. Then each sender sends its states again.
constexpr Duration kStatesTake = std::chrono::minutes(1);

std::vector<WorkerId> ids_of(const google::protobuf::RepeatedField<std::uint32_t>& values) {
  std::vector<WorkerId> ids;
  for (const std::uint32_t value : values) ids.push_back(WorkerId{value});
  return ids;
}

fabric::Tag tag_of(std::uint64_t sequence, const proto::ChunkGrant& grant) {
  return {.round = sequence, .sender = grant.from(), .step = grant.range().id()};
}

// A grant whose state has not arrived from its sender; null if all states have arrived.
const proto::ChunkGrant* find_missing(const proto::Prepare& order,
                                      const std::set<ChunkId>& received) {
  for (const proto::ChunkGrant& grant : order.grants()) {
    if (grant.has_from() && !received.contains(ChunkId{grant.range().id()})) return &grant;
  }
  return nullptr;
}

// Each file is read once, however many chunks it has states of.
Result<data::ChunkStates> saved_states(const proto::Prepare& order, Files& files) {
  struct Wanted {
    std::uint64_t checksum = 0;
    std::vector<ChunkId> chunks;
  };
  std::map<std::string, Wanted> wanted;  // The key is the file.
  for (const proto::ChunkGrant& grant : order.grants()) {
    if (grant.has_from() || grant.state_file().empty()) continue;
    Wanted& in = wanted[grant.state_file()];
    in.checksum = grant.state_checksum();
    in.chunks.push_back(ChunkId{grant.range().id()});
  }
  data::ChunkStates states;
  for (const auto& [file, of_file] : wanted) {
    SURETY_TRY(data::ChunkStates found, files.load_states(file, of_file.checksum, of_file.chunks));
    states.merge(found);
  }
  return states;
}

}  // namespace

void Preparation::begin() {
  for (const proto::Peer& peer : order().peers()) network().know(peer);
  state().chunks.take_back();
  if (order().session() != state().session) {
    state().begin_session(order());
    state().iteration = command().model_iteration();
  }
  if (const Result<void> checked = state().chunks.check(order()); !checked) {
    return fail_with(checked.error());
  }
  if (send_states() && connect_to_senders()) receive_model();
}

bool Preparation::send_states() {
  for (const proto::HandOver& out : order().hand_overs()) {
    const WorkerId to{out.to()};
    const auto bytes =
        std::as_bytes(std::span(state().chunks.own().at(ChunkId{out.chunk()}).state));
    ++sends_;
    const fabric::Tag tag{.round = sequence(), .sender = 0, .step = out.chunk()};
    const Result<void> sent = network().send_blob(to, tag, {bytes.begin(), bytes.end()}, 0);
    if (sent) continue;
    blame(to, sent.error().message);
    return false;
  }
  return true;
}

// Without a connection to the sender, this worker would not notice that the sender crashes.
bool Preparation::connect_to_senders() {
  for (const proto::ChunkGrant& grant : order().grants()) {
    if (!grant.has_from()) continue;
    const Result<void> connected = network().connect(WorkerId{grant.from()});
    if (connected) continue;
    blame(WorkerId{grant.from()}, connected.error().message);
    return false;
  }
  return true;
}

// ---- the model ----------------------------------------------------------------------------------

void Preparation::receive_model() {
  if (!order().model().has_transfer()) return load();
  const proto::Transfer& transfer = order().model().transfer();
  Round round{.sequence = sequence(),
              .members = ids_of(transfer.receivers()),
              .kind = RoundCopy{.holders = ids_of(transfer.holders())},
              .version = transfer.version()};
  if (const auto checked = check(round, state().self); !checked) return fail_with(checked.error());
  round_.join(std::move(round), to_values(transfer, state().model));
}

void Preparation::on_round_done(RoundResult result) {
  round_.on_done();
  state().model = from_values(order().model().transfer(), result.values);
  state().iteration = command().model_iteration();
  load();
}

// ---- reading ------------------------------------------------------------------------------------

void Preparation::load() {
  state().chunks.free(order());
  std::vector<data::ChunkRange> ranges = state().chunks.missing(order());
  loading_ = std::make_shared<Loaded>();
  Work work{.kind = Work::Kind::kLoad, .ranges = ranges, .run = {}};
  work.run = [&context = context(), loaded = loading_, ranges = std::move(ranges)](
                 const WorkLimits&) { return load(context, ranges, *loaded); };
  context().start(std::move(work));
}

Result<void> Preparation::load(const OperationContext& context,
                               const std::vector<data::ChunkRange>& ranges, Loaded& loaded) {
  const proto::Prepare& order = context.command.prepare();
  if (!context.state.task) {
    SURETY_TRY(loaded.task, context.factory(protocol::from_proto(order.task())));
  }
  const learn::Task& task = loaded.task ? *loaded.task : *context.state.task;
  if (order.model().has_fresh()) loaded.model = task.initial_model();
  if (order.model().has_checkpoint()) {
    SURETY_TRY(loaded.model, context.files.load_model(order.model().checkpoint()));
    const bool has_velocity = order.task().outer_momentum() > 0;
    loaded.model->velocity.resize(has_velocity ? loaded.model->parameters.size() : 0);
  }
  SURETY_TRY(loaded.chunks, context.files.read_chunks(ranges));
  for (const data::Chunk& chunk : loaded.chunks) {
    const Result<void> checked = task.check(chunk.samples, chunk.range.first);
    if (!checked) return fail_in(checked.error(), "{}", context.files.place_of(chunk.range));
  }
  SURETY_TRY(loaded.states, saved_states(order, context.files));
  loaded.checksum = learn::model_checksum(loaded.model ? *loaded.model : context.state.model);
  return {};
}

void Preparation::on_work_done(const Result<void>& outcome) {
  const std::shared_ptr<Loaded> loaded = std::exchange(loading_, nullptr);
  if (!outcome) return fail_with(outcome.error());
  keep(std::move(*loaded));
  is_loaded_ = true;
  await_states();
}

// The samples are kept, so that they need not be read again.
void Preparation::on_work_stopped(const Result<void>& outcome) {
  if (outcome) keep_samples(*loading_);
}

void Preparation::keep_samples(Loaded& loaded) {
  for (data::Chunk& chunk : loaded.chunks) {
    state().chunks.add(std::move(chunk));
  }
}

void Preparation::keep(Loaded loaded) {
  checksum_ = loaded.checksum;
  if (loaded.task) state().task = std::move(loaded.task);
  if (loaded.model) state().model = std::move(*loaded.model);
  keep_samples(loaded);
  for (const proto::ChunkGrant& grant : order().grants()) {
    const ChunkId id{grant.range().id()};
    if (!grant.has_from()) state().chunks.set_state(id, std::move(loaded.states[id]));
  }
}

// ---- the states of chunks -----------------------------------------------------------------------

void Preparation::on_blob_sent(WorkerId) {
  --sends_;
  await_states();
}

// A state that was sent over a lost connection may not have arrived. The recipient may then wait
// for it over a new connection. So the command fails, and the state is sent again.
void Preparation::on_lost(WorkerId worker, const std::string& why) {
  for (const proto::HandOver& out : order().hand_overs()) {
    if (WorkerId{out.to()} == worker) return blame(worker, why);
  }
  lost_.insert(worker);
  await_states();
}

void Preparation::on_time(std::uint64_t timer) {
  round_.on_time(timer);
  const proto::ChunkGrant* missing = find_missing(order(), received_);
  if (timer != timer_ || missing == nullptr) return;
  blame(WorkerId{missing->from()},
        fmt::format("worker {}: the state of its chunks has not arrived in time", missing->from()));
}

void Preparation::await_states() {
  if (!is_loaded_) return;
  take_states();
  const proto::ChunkGrant* missing = find_missing(order(), received_);
  if (missing == nullptr) {
    if (sends_ == 0) finish();
    return;
  }
  if (const WorkerId from{missing->from()}; lost_.contains(from)) {
    return blame(from, fmt::format("worker {}: the connection was lost", from));
  }
  if (!timer_) timer_ = context().wake_after(kStatesTake);
}

void Preparation::take_states() {
  for (const proto::ChunkGrant& grant : order().grants()) {
    const ChunkId id{grant.range().id()};
    if (!grant.has_from() || received_.contains(id)) continue;
    const auto bytes = network().take_blob(tag_of(sequence(), grant));
    if (!bytes) continue;
    std::vector<float> values(bytes->size() / sizeof(float));
    if (!values.empty()) std::memcpy(values.data(), bytes->data(), values.size() * sizeof(float));
    state().chunks.set_state(id, std::move(values));
    received_.insert(id);
  }
}

void Preparation::finish() {
  for (const proto::ChunkGrant& grant : order().grants()) {
    const data::Chunk& chunk = state().chunks.own().at(ChunkId{grant.range().id()});
    if (chunk.state.empty() || chunk.state.size() == grant.range().count()) continue;
    const std::string found =
        fmt::format("found a state of {} values for chunk {}, expected {}, one for each sample",
                    chunk.state.size(), grant.range().id(), grant.range().count());
    if (grant.has_from()) {
      return blame(WorkerId{grant.from()}, fmt::format("worker {}: {}", grant.from(), found));
    }
    return fail_with({ErrorCode::kCorrupt, fmt::format("{}: {}", grant.state_file(), found)});
  }
  state().chunks.hand_over(order());
  proto::FromWorker answer;
  proto::Prepared& prepared = *answer.mutable_prepared();
  prepared.set_version(state().model.version);
  prepared.set_parameters(state().model.parameters.size());
  prepared.set_parent(state().model.parent.size());
  prepared.set_average(state().model.average.size());
  prepared.set_model_checksum(checksum_);
  context().answer(std::move(answer));
}

}  // namespace surety::worker
