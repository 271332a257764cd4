// What a worker does between iterations: the model, chunks and links that it needs.
#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

#include "base/check.h"
#include "base/posix/clock.h"
#include "base/posix/thread_team.h"
#include "model/zoo.h"
#include "orchestrator/messages.h"
#include "runtime/model_files.h"
#include "runtime/worker_session.h"
#include "worker/model_values.h"
#include "worker/task_options.h"

namespace surety::runtime {
namespace {

using orchestrator::from_proto;

// A chunk's state is small, but whoever sends it may have files to read before. Who is asked again
// sends again.
constexpr Duration kBlobTakes = std::chrono::minutes(1);

// Looking at the port twice costs a hundredth of that at most; shorter rounds may as well be slow.
constexpr Duration kWorthWatching = std::chrono::milliseconds(20);

learn::TaskOptions task_options(const proto::TaskOptions& task,
                                const WorkerSessionOptions& options) {
  learn::TaskOptions all = worker::task_options(task);
  all.threads = options.threads;
  // libtorch has threads of its own.
  if (options.threads > 1 && model::is_linear(task.model())) {
    all.team = std::make_shared<posix::ThreadTeam>(options.threads);
  }
  all.streams = options.memory != std::pmr::get_default_resource();
  return all;
}

std::vector<WorkerId> workers_of(const google::protobuf::RepeatedField<std::uint32_t>& values) {
  std::vector<WorkerId> workers;
  for (const std::uint32_t value : values) workers.push_back(WorkerId{value});
  return workers;
}

// A checkpoint that is gone or unreadable is no fault of the user's input: an older one may do.
template <typename T>
Result<T> of_ours(Result<T> read) {
  if (read || read.error().code != ErrorCode::kInvalidInput) return read;
  return fail(ErrorCode::kCorrupt, "{}", read.error().message);
}

// Each file is read once, however many chunks it has states of.
Result<ChunkStates> saved_states(const proto::Prepare& order) {
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
  ChunkStates states;
  for (const auto& [file, of_file] : wanted) {
    SURETY_TRY(ChunkStates found,
               of_ours(load_chunk_states(file, of_file.checksum, of_file.chunks)));
    states.merge(found);
  }
  return states;
}

}  // namespace

Result<proto::Prepared> WorkerSession::prepare(std::uint64_t sequence,
                                               const proto::Prepare& order) {
  for (const proto::Peer& peer : order.peers()) know(peer);
  holdings_.take_back();
  if (order.session() != session_) SURETY_TRY(begin_session(order));
  SURETY_TRY(hand_over(sequence, order));
  SURETY_TRY(obtain_model(sequence, order.model()));
  SURETY_TRY(receive_chunks(sequence, order));
  while (rounds_.sends_in_flight() > 0) SURETY_TRY(go_on());
  SURETY_TRY(check_receivers(order));
  holdings_.hand_over(order);
  proto::Prepared prepared;
  prepared.set_version(model_.version);
  prepared.set_parameters(model_.parameters.size());
  prepared.set_parent(model_.parent.size());
  prepared.set_model_checksum(model_checksum(model_));
  return prepared;
}

Result<void> WorkerSession::begin_session(const proto::Prepare& order) {
  task_.reset();
  tentative_.reset();
  learned_.reset();
  holdings_.forget_states();
  model_ = {};
  SURETY_TRY(task_, options_.factory(task_options(order.task(), options_)));
  has_velocity_ = order.task().outer_momentum() > 0;
  session_ = order.session();
  return {};
}

// ---- the model ----------------------------------------------------------------------------------

Result<void> WorkerSession::obtain_model(std::uint64_t sequence, const proto::ModelSource& source) {
  switch (source.from_case()) {
    case proto::ModelSource::kFresh:
      model_ = task_->initial_model();
      return {};
    case proto::ModelSource::kCheckpoint: {
      SURETY_TRY(model_, of_ours(load_model(source.checkpoint())));
      model_.velocity.resize(has_velocity_ ? model_.parameters.size() : 0);
      return {};
    }
    case proto::ModelSource::kTransfer:
      return transfer_model(sequence, source.transfer());
    case proto::ModelSource::kKeep:
    case proto::ModelSource::FROM_NOT_SET:
      return {};
  }
  return {};
}

Result<void> WorkerSession::transfer_model(std::uint64_t sequence,
                                           const proto::Transfer& transfer) {
  const std::vector<WorkerId> holders = workers_of(transfer.holders());
  const std::vector<WorkerId> receivers = workers_of(transfer.receivers());
  std::vector<float> values = worker::to_values(transfer, model_);
  const fabric::Schedule schedule = fabric::distribute(holders, receivers, values.size());
  SURETY_TRY(
      run_round(sequence, schedule, std::vector<float>(schedule.members.size(), 1.0f), values));
  model_ = worker::from_values(transfer, values);
  return {};
}

// ---- chunks -------------------------------------------------------------------------------------

Result<void> WorkerSession::hand_over(std::uint64_t sequence, const proto::Prepare& order) {
  SURETY_TRY(holdings_.check(order));
  for (const proto::HandOver& out : order.hand_overs()) {
    SURETY_TRY(const fabric::PeerId peer, connection_to(WorkerId{out.to()}));
    const auto bytes = std::as_bytes(std::span(holdings_.chunks().at(ChunkId{out.chunk()}).state));
    SURETY_TRY(rounds_.send_blob(peer, {.round = sequence, .sender = 0, .step = out.chunk()},
                                 {bytes.begin(), bytes.end()}));
  }
  return {};
}

// What was on its way over a connection that was lost may have come or not: its receiver may wait
// for it over a new one.
Result<void> WorkerSession::check_receivers(const proto::Prepare& order) {
  for (const proto::HandOver& out : order.hand_overs()) {
    const WorkerId to{out.to()};
    if (!connections_.contains(to)) return blame(to, "the connection was lost");
  }
  return {};
}

Result<std::vector<data::Chunk>> WorkerSession::read_chunks(
    const std::vector<data::ChunkRange>& ranges) {
  SURETY_TRY(std::vector<data::Chunk> chunks,
             data::load_chunks(sources_, ranges, options_.open, options_.memory));
  for (const data::Chunk& chunk : chunks) {
    const Result<void> checked = task_->check(chunk.samples, chunk.range.first);
    if (checked) continue;
    return fail_in(checked.error(), "{}", data::place_of(sources_[chunk.range.source]));
  }
  return chunks;
}

Result<void> WorkerSession::receive_chunks(std::uint64_t sequence, const proto::Prepare& order) {
  holdings_.free(order);
  SURETY_TRY(std::vector<data::Chunk> loaded, read_chunks(holdings_.missing(order)));
  for (data::Chunk& chunk : loaded) {
    // Assigning one would move it out of that memory.
    const ChunkId id = chunk.range.id;
    holdings_.chunks().emplace(id, std::move(chunk));
  }
  SURETY_TRY(ChunkStates saved, saved_states(order));
  for (const proto::ChunkGrant& grant : order.grants()) {
    std::vector<float> state = std::move(saved[ChunkId{grant.range().id()}]);
    if (grant.has_from()) {
      SURETY_TRY(state, receive_state(sequence, grant));
    }
    if (!state.empty() && state.size() != grant.range().count()) {
      return fail(ErrorCode::kCorrupt, "chunk {}: state of {} samples, found {}",
                  grant.range().id(), grant.range().count(), state.size());
    }
    holdings_.chunks()[ChunkId{grant.range().id()}].state = std::move(state);
  }
  rounds_.discard_blobs_before(sequence);
  return {};
}

Result<std::vector<float>> WorkerSession::receive_state(std::uint64_t sequence,
                                                        const proto::ChunkGrant& grant) {
  SURETY_TRY(const std::vector<std::byte> bytes,
             receive_blob({.round = sequence, .sender = grant.from(), .step = grant.range().id()}));
  std::vector<float> state(bytes.size() / sizeof(float));
  if (!state.empty()) std::memcpy(state.data(), bytes.data(), state.size() * sizeof(float));
  return state;
}

// ---- links --------------------------------------------------------------------------------------

Result<fabric::PeerId> WorkerSession::connection_to(WorkerId worker) {
  const auto known = connections_.find(worker);
  if (known != connections_.end()) return known->second;
  const auto address = addresses_.find(worker);
  if (address == addresses_.end()) {
    return fail(ErrorCode::kDefect, "worker {} has no known address", worker);
  }
  Result<fabric::PeerId> peer = transport_.connect(address->second);
  if (!peer) {
    blamed_ = worker;
    return fail_in(peer.error(), "worker {} at {}", worker, address->second);
  }
  connections_[worker] = *peer;
  return *peer;
}

tl::unexpected<Error> WorkerSession::blame(WorkerId worker, const char* why) {
  blamed_ = worker;
  return fail(ErrorCode::kUnavailable, "worker {}: {}", worker, why);
}

// Our own connection to the sender shows when it cannot be reached any more. What it sent may be
// lost without that: after a cut, with the connection over which it sent.
Result<std::vector<std::byte>> WorkerSession::receive_blob(const fabric::Tag& tag) {
  const WorkerId from{tag.sender};
  SURETY_TRY(connection_to(from));
  const Time until = posix::now() + kBlobTakes;
  while (true) {
    if (auto bytes = rounds_.take_blob(tag)) return *std::move(bytes);
    if (!connections_.contains(from)) return blame(from, "the connection was lost");
    if (posix::now() > until) return blame(from, "what it sent has not come");
    SURETY_TRY(go_on());
  }
}

void WorkerSession::look_at_port(void (fabric::SumWatch::*look)(Time, const fabric::PortBytes&)) {
  if (const auto passed = rounds_.port_bytes()) (sum_watch_.*look)(posix::now(), *passed);
}

Result<void> WorkerSession::run_round(std::uint64_t round, const fabric::Schedule& schedule,
                                      std::vector<float> weights, std::span<float> values) {
  std::map<WorkerId, fabric::PeerId> peers;
  for (const WorkerId member : schedule.members) {
    if (member == self_) continue;
    SURETY_TRY(peers[member], connection_to(member));
  }
  const auto executor =
      std::make_shared<fabric::RoundExecutor>(schedule, self_, std::move(weights), values);
  Result<void> begun = rounds_.begin(round, executor, std::move(peers));
  Result<bool> finished = begun ? Result<bool>(false) : tl::unexpected(begun.error());
  const Time began = posix::now();
  const bool watches = last_round_ >= kWorthWatching;
  if (watches) look_at_port(&fabric::SumWatch::begin);
  for (Time looked = began; finished && !*finished;) {
    if (*superseded_) {
      rounds_.abandon();
      return fail(ErrorCode::kTimeout, "superseded");
    }
    finished = rounds_.advance(kLook);
    if (!watches || posix::now() - looked < kLook) continue;
    look_at_port(&fabric::SumWatch::look);
    looked = posix::now();
  }
  if (watches) look_at_port(&fabric::SumWatch::end);
  last_round_ = posix::now() - began;
  for (const fabric::LostPeer& lost : rounds_.take_lost()) {
    std::erase_if(connections_, [&](const auto& entry) { return entry.second == lost.peer; });
    if (lost.worker) blamed_ = lost.worker;
  }
  if (!finished) {
    // Whoever it was, the coordinator knows better than a broken connection: it decides.
    if (!blamed_) blamed_ = self_;
    return tl::unexpected(finished.error());
  }
  return {};
}

// The receiver times a large message from the arrival of a small one before it, so that neither
// side's start counts.
Result<proto::Probed> WorkerSession::probe(std::uint64_t sequence, const proto::Probe& order) {
  know(order.from());
  know(order.to());
  proto::Probed probed;
  if (WorkerId{order.from().worker()} == self_) {
    SURETY_TRY(const fabric::PeerId peer, connection_to(WorkerId{order.to().worker()}));
    SURETY_TRY(rounds_.send_blob(peer, {.round = sequence, .sender = 0, .step = 0},
                                 std::vector<std::byte>(1)));
    SURETY_TRY(rounds_.send_blob(peer, {.round = sequence, .sender = 0, .step = 1},
                                 std::vector<std::byte>(order.bytes())));
    while (rounds_.sends_in_flight() > 0) SURETY_TRY(go_on());
    return probed;
  }
  fabric::Tag tag{.round = sequence, .sender = order.from().worker(), .step = 0};
  SURETY_TRY(receive_blob(tag));
  const Time began = posix::now();
  tag.step = 1;
  SURETY_TRY(receive_blob(tag));
  probed.set_bytes_per_s(static_cast<double>(order.bytes()) / to_seconds(posix::now() - began));
  return probed;
}

}  // namespace surety::runtime
