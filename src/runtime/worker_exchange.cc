// An asynchronous iteration: one thread learns, this one moves updates and models.
#include <algorithm>
#include <functional>
#include <future>

#include "base/posix/clock.h"
#include "fabric/exchange/link.h"
#include "runtime/model_files.h"
#include "runtime/update_desk.h"
#include "runtime/worker_session.h"
#include "worker/iteration_sums.h"

namespace surety::runtime {

// The other thread's work.
struct WorkerSession::Learning {
  enum class Stage : std::uint8_t { kUnderWay, kDone, kFailed };
  std::atomic<Stage> stage = Stage::kUnderWay;
  std::future<Result<Computed>> result{};
};

// What the learning thread needs of the exchange.
Result<void> WorkerSession::serve(const Learning& learning, UpdateDesk& desk,
                                  fabric::Exchange& exchange, bool& retired) {
  if (auto pulled = exchange.take_pulled()) {
    UpdateDesk::Answer answer{.model = std::move(pulled->model), .dropped = {}};
    for (const fabric::Slice slice : pulled->dropped) {
      answer.dropped.emplace_back(slice.first, slice.count);
    }
    desk.answer(std::move(answer));
  }
  // Looked at before the desk: what was put there last is taken first.
  const Learning::Stage stage = learning.stage;
  if (stage == Learning::Stage::kFailed) return fail(ErrorCode::kUnavailable, "learning failed");
  if (retired || !exchange.idle()) return {};
  if (auto update = desk.take_update()) {
    SURETY_TRY(exchange.push(posix::now(), std::move(update->values), update->steps));
    return {};
  }
  if (stage == Learning::Stage::kDone) {
    retired = true;
    exchange.retire(posix::now());
  }
  return {};
}

// Until everybody has the last model.
Result<void> WorkerSession::run_exchange(std::uint64_t sequence, const Learning& learning,
                                         UpdateDesk& desk, fabric::Exchange& exchange,
                                         std::map<WorkerId, fabric::PeerId> peers) {
  fabric::ExchangeLink link({.id = sequence}, rounds_, exchange, std::move(peers), posix::now());
  bool retired = false;
  while (!link.ended()) {
    SURETY_TRY(serve(learning, desk, exchange, retired));
    const Result<void> advanced = link.advance(posix::now());
    if (link.lost()) {
      blamed_ = link.lost();
      connections_.erase(*link.lost());
    }
    if (!advanced) return advanced;
    if (*superseded_) return fail(ErrorCode::kTimeout, "superseded");
    (void)rounds_.advance(kLook);  // No round is under way; who is lost, the link will name.
  }
  return {};
}

Result<WorkerSession::Computed> WorkerSession::learn_and_exchange(std::uint64_t sequence,
                                                                  const proto::Step& order,
                                                                  fabric::Exchange& exchange) {
  std::map<WorkerId, fabric::PeerId> peers;
  for (const proto::Peer& peer : order.members()) {
    know(peer);
    const WorkerId member{peer.worker()};
    if (member == self_) continue;
    SURETY_TRY(peers[member], connection_to(member));
  }
  const learn::ReplicaOptions weights{
      .weight = order.asynchronous().weight(),
      .statistics_weight = 1.0f / static_cast<float>(order.members_size())};
  UpdateDesk desk(
      {.overlap = order.asynchronous().overlap()},
      learn::LocalReplica(learn::shared_vector(model_.parameters, order.line_search()), weights),
      [this] { transport_.wake(); });
  Learning learning;
  std::vector<float> update(model_.parameters.size());
  learning.result = std::async(std::launch::async, [&] {
    auto result = local_work(order, update,
                             [&](const learn::MergePoint& point) { return desk.merge(point); });
    learning.stage = result ? Learning::Stage::kDone : Learning::Stage::kFailed;
    transport_.wake();
    return result;
  });
  const Result<void> ran = run_exchange(sequence, learning, desk, exchange, std::move(peers));
  const bool failed = learning.stage == Learning::Stage::kFailed;
  desk.close();
  auto result = learning.result.get();
  if (learned_) {
    // What others have learned is in the local model, but not in the next attempt's.
    std::ranges::transform(update, model_.parameters, update.begin(), std::plus<>());
    learned_->change = desk.learned(update);
  }
  if (!ran && !failed) return tl::unexpected(ran.error());
  return result;
}

Result<proto::StepDone> WorkerSession::exchange_step(std::uint64_t sequence,
                                                     const proto::Step& order) {
  std::vector<float> shared = learn::shared_vector(model_.parameters, order.line_search());
  SURETY_TRY(const fabric::ExchangeOptions options,
             fabric::exchange_of(order, shared.size(), known_ports_));
  fabric::Exchange exchange(options, self_, std::move(shared), posix::now());
  SURETY_TRY(const Computed computed, learn_and_exchange(sequence, order, exchange));
  const learn::LocalResult& local = computed.sums;
  std::vector<float> update = exchange.take_model();
  std::ranges::transform(update, model_.parameters, update.begin(), std::minus<>());
  Tentative next{.iteration = order.iteration(),
                 .model = worker::next_model(order, holdings_.chunks(), model_, *task_, update),
                 .from_task = true};
  proto::StepDone done;
  done.set_samples(local.samples);
  done.set_loss_sum(local.loss_sum);
  done.set_compute_s(computed.seconds);
  done.set_reduce_s(to_seconds(posix::now() - computed.ended));
  done.set_bytes_sent(exchange.counts().data_bytes);
  done.set_model_checksum(model_checksum(next.model));
  if (const auto* scheduler = exchange.scheduler()) {
    done.set_updates_dropped(scheduler->counts().dropped);
    done.set_placements(static_cast<std::uint32_t>(scheduler->counts().placements));
    done.set_placed_why(scheduler->counts().placed_why);
    known_ports_ = scheduler->known_ports();
  }
  tentative_ = std::move(next);
  return done;
}

}  // namespace surety::runtime
