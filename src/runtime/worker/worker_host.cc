#include "runtime/worker/worker_host.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>

#include "base/posix/clock.h"
#include "base/posix/thread_team.h"
#include "fabric/allreduce/schedule.h"
#include "fabric/ports/port_message.h"
#include "model/zoo.h"

namespace surety::runtime {
namespace {

// How often our port is sampled during a round.
constexpr Duration kSampleEvery = std::chrono::milliseconds(50);
// Sampling the port twice costs a hundredth of that at most; shorter rounds may as well be slow.
constexpr Duration kWorthWatching = std::chrono::milliseconds(20);

learn::TaskFactory on_this_machine(const WorkerHostOptions& options) {
  return [factory = options.factory, threads = options.threads,
          streams = options.memory != std::pmr::get_default_resource()](
             learn::TaskOptions task) -> Result<std::unique_ptr<learn::Task>> {
    task.threads = threads;
    // libtorch has threads of its own.
    if (threads > 1 && model::is_linear(task.model)) {
      task.team = std::make_shared<posix::ThreadTeam>(threads);
    }
    task.streams = streams;
    return factory(task);
  };
}

}  // namespace

WorkerHost::WorkerHost(WorkerHostOptions options, fabric::WakeableTransport& transport)
    : options_(std::move(options)),
      transport_(transport),
      rounds_(transport, self_),
      files_(options_.open, options_.memory),
      session_(on_this_machine(options_), *this, files_),
      compute_([&transport] { transport.wake(); }) {}

Time WorkerHost::now() const { return posix::now(); }

// Libraries below throw (out of memory); this is the edge.
template <typename Call>
void WorkerHost::guarded(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    session_.on_exception({ErrorCode::kUnavailable, error.what()});
  }
}

void WorkerHost::on_welcome(const proto::Welcome& welcome, bool keeps_samples) {
  guarded([&] { session_.on_welcome(welcome, keeps_samples); });
}

void WorkerHost::on_command(const proto::ToWorker& command) {
  guarded([&] { session_.on_command(command); });
}

void WorkerHost::on_coordinator_lost() { session_.on_coordinator_lost(); }

// ---- what has happened --------------------------------------------------------------------------

void WorkerHost::poll(Duration wait) {
  if (const auto outcome = compute_.take_outcome()) {
    return guarded([&] { session_.on_work_done(*outcome); });
  }
  if (sum_ && sum_->failure) {
    const Sum failed = *std::exchange(sum_, std::nullopt);
    return session_.on_round_failed(failed.sequence, failed.failure->first, failed.failure->second);
  }
  if (!lost_.empty()) wait = Duration::zero();
  if (sum_ && sum_->is_watched) wait = std::min(wait, kSampleEvery);
  advance(std::min(wait, until_timer()));
}

void WorkerHost::advance(Duration wait) {
  const Result<bool> finished = rounds_.advance(wait);
  guarded([&] { on_advanced(finished); });
}

void WorkerHost::on_advanced(const Result<bool>& finished) {
  const std::vector<Failure> lost = take_lost();
  if (sum_) {
    finish_round(finished, lost.empty() ? std::nullopt : std::optional(lost.back().worker));
  }
  for (const Failure& failure : lost) session_.on_lost(failure.worker, failure.why);
  pass_on_exchange();
  pass_on_blobs();
  pass_on_timers();
}

void WorkerHost::finish_round(const Result<bool>& finished, std::optional<WorkerId> lost) {
  if (finished && !*finished) {
    if (sum_->is_watched && now() - sum_->sampled >= kSampleEvery) {
      sample_port(&fabric::SumWatch::add_sample);
      sum_->sampled = now();
    }
    return;
  }
  if (sum_->is_watched) sample_port(&fabric::SumWatch::end);
  last_round_ = now() - sum_->began;
  Sum sum = *std::exchange(sum_, std::nullopt);
  if (!finished) {
    // The coordinator knows better than a broken connection who has crashed: it decides.
    return session_.on_round_failed(sum.sequence, finished.error(), lost.value_or(self_));
  }
  worker::RoundResult result{.values = std::move(sum.values), .bytes_sent = sum.bytes_sent};
  if (const auto seen = sum_watch_.rates()) result.port = fabric::to_proto(*seen);
  session_.on_round_done(sum.sequence, std::move(result));
}

std::vector<WorkerHost::Failure> WorkerHost::take_lost() {
  std::vector<Failure> lost = std::exchange(lost_, {});
  for (const fabric::LostPeer& peer : rounds_.take_lost()) {
    std::optional<WorkerId> worker = peer.worker;
    std::erase_if(connections_, [&](const auto& entry) {
      if (entry.second != peer.peer) return false;
      worker = entry.first;
      return true;
    });
    if (worker) lost.push_back({*worker, fmt::format("worker {}: {}", *worker, peer.reason)});
  }
  return lost;
}

void WorkerHost::pass_on_exchange() {
  if (!exchange_) return;
  const std::uint64_t sequence = exchange_->sequence;
  for (const auto& [tag, bytes] : rounds_.take_blobs(sequence)) {
    session_.on_exchange_message(sequence, WorkerId{tag.sender}, bytes);
  }
  if (!exchange_) return;  // A message was invalid, and the session has left.
  std::vector<WorkerId> sent;
  for (auto& [worker, channel] : exchange_->channels) {
    const auto connection = connections_.find(worker);
    if (connection == connections_.end()) continue;
    const std::size_t in_flight = rounds_.sends_in_flight(connection->second);
    for (; channel.in_flight > in_flight; --channel.in_flight) sent.push_back(worker);
  }
  for (const WorkerId worker : sent) session_.on_exchange_sent(sequence, worker);
}

void WorkerHost::pass_on_blobs() {
  if (!blobs_sent_.empty() && rounds_.sends_in_flight() == 0) {
    for (const auto& [sequence, to] : std::exchange(blobs_sent_, {})) {
      session_.on_blob_sent(sequence, to);
    }
  }
  if (!exchange_ && !sum_) session_.on_blob();
}

void WorkerHost::pass_on_timers() {
  std::vector<std::uint64_t> due;
  const auto end = timers_.upper_bound(now());
  for (auto timer = timers_.begin(); timer != end; ++timer) due.push_back(timer->second);
  timers_.erase(timers_.begin(), end);
  for (const std::uint64_t timer : due) session_.on_time(timer);
}

Duration WorkerHost::until_timer() const {
  if (timers_.empty()) return Duration::max();
  return std::max(Duration::zero(), timers_.begin()->first - now());
}

void WorkerHost::wake_after(Duration delay, std::uint64_t timer) {
  timers_.emplace(now() + delay, timer);
}

// ---- connections --------------------------------------------------------------------------------

void WorkerHost::rejoin(WorkerId self) {
  self_ = self;
  for (const auto& [worker, peer] : connections_) transport_.disconnect(peer);
  connections_.clear();
  addresses_.clear();
  sum_.reset();
  exchange_.reset();
  blobs_sent_.clear();
  timers_.clear();
  lost_.clear();
  rounds_.restart(self);
}

void WorkerHost::know(const proto::Peer& peer) {
  addresses_[WorkerId{peer.worker()}] = peer.address();
}

Result<void> WorkerHost::connect(WorkerId worker) {
  SURETY_TRY([[maybe_unused]] const fabric::PeerId peer, connection_to(worker));
  return {};
}

Result<fabric::PeerId> WorkerHost::connection_to(WorkerId worker) {
  const auto known = connections_.find(worker);
  if (known != connections_.end()) return known->second;
  const auto address = addresses_.find(worker);
  if (address == addresses_.end()) {
    return fail(ErrorCode::kDefect, "worker {} has no known address", worker);
  }
  Result<fabric::PeerId> peer = transport_.connect(address->second);
  if (!peer) return fail_in(peer.error(), "worker {} at {}", worker, address->second);
  connections_[worker] = *peer;
  return *peer;
}

// ---- rounds -------------------------------------------------------------------------------------

void WorkerHost::join_round(worker::Round round, std::vector<float> values) {
  sum_ =
      Sum{.sequence = round.sequence, .values = std::move(values), .began = now(), .failure = {}};
  const Result<void> begun = begin_round(round);
  if (!begun && !sum_->failure) sum_->failure = std::pair(begun.error(), self_);
}

Result<void> WorkerHost::begin_round(const worker::Round& round) {
  std::vector<float>& values = sum_->values;
  const bool is_copy = !round.holders.empty();
  const fabric::Schedule schedule =
      is_copy ? fabric::distribute(round.holders, round.members, values.size())
              : fabric::all_reduce(round.members, values.size(), round.shares);
  std::map<WorkerId, fabric::PeerId> peers;
  for (const WorkerId member : schedule.members) {
    if (member == self_) continue;
    const Result<fabric::PeerId> peer = connection_to(member);
    if (!peer) {
      sum_->failure = std::pair(peer.error(), member);
      return tl::unexpected(peer.error());
    }
    peers[member] = *peer;
  }
  for (const fabric::Transfer& transfer : schedule.transfers) {
    if (transfer.from == self_) sum_->bytes_sent += transfer.slice.count * sizeof(float);
  }
  std::vector<float> weights = round.weights;
  if (is_copy) weights.assign(schedule.members.size(), 1.0f);
  SURETY_TRY(rounds_.begin(
      round.sequence,
      std::make_shared<fabric::RoundExecutor>(schedule, self_, std::move(weights), values),
      std::move(peers)));
  sum_->is_watched = last_round_ >= kWorthWatching;
  sum_->sampled = sum_->began;
  if (sum_->is_watched) sample_port(&fabric::SumWatch::begin);
  return {};
}

void WorkerHost::leave_round(std::uint64_t sequence) {
  if (!sum_ || sum_->sequence != sequence) return;
  rounds_.abandon();
  sum_.reset();
}

void WorkerHost::sample_port(void (fabric::SumWatch::*sample)(Time, const fabric::PortBytes&)) {
  if (const auto passed = rounds_.port_bytes()) (sum_watch_.*sample)(now(), *passed);
}

// ---- blobs --------------------------------------------------------------------------------------

Result<void> WorkerHost::send_blob(WorkerId to, fabric::Tag tag, std::vector<std::byte> bytes,
                                   std::uint64_t zeros) {
  SURETY_TRY(const fabric::PeerId peer, connection_to(to));
  bytes.resize(bytes.size() + zeros);
  SURETY_TRY(rounds_.send_blob(peer, tag, std::move(bytes)));
  blobs_sent_.emplace_back(tag.round, to);
  return {};
}

// ---- exchanges ----------------------------------------------------------------------------------

void WorkerHost::join_exchange(std::uint64_t sequence, const std::vector<WorkerId>& members) {
  exchange_ = Exchange{.sequence = sequence, .channels = {}};
  for (const WorkerId member : members) {
    if (member == self_) continue;
    const Result<fabric::PeerId> peer = connection_to(member);
    if (!peer) {
      lost_.push_back({member, peer.error().message});
    } else {
      exchange_->channels[member];
    }
  }
}

void WorkerHost::leave_exchange(std::uint64_t sequence) {
  if (exchange_ && exchange_->sequence == sequence) exchange_.reset();
}

void WorkerHost::send_in_exchange(std::uint64_t sequence, WorkerId to,
                                  fabric::Exchange::Send message) {
  Channel& channel = exchange_->channels[to];
  const fabric::Tag tag{.round = sequence, .sender = 0, .step = channel.next++};
  const auto connection = connections_.find(to);
  Result<void> sent = fail(ErrorCode::kUnavailable, "worker {}: the connection was lost", to);
  if (connection != connections_.end()) {
    sent = rounds_.send_blob(connection->second, tag, std::move(message.bytes));
  }
  if (sent) {
    ++channel.in_flight;
  } else {
    lost_.push_back({to, sent.error().message});
  }
}

}  // namespace surety::runtime
