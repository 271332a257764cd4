// An asynchronous iteration of a simulated worker: what runtime/worker_exchange.cc does for real.
#include <algorithm>
#include <functional>

#include "base/check.h"
#include "model/zoo.h"
#include "sim/worker.h"
#include "worker/iteration_sums.h"

namespace surety::sim {
namespace {

constexpr double kTickS = 0.05;  // fabric::ExchangeLinkOptions::tick
// As a worker that has not been a scheduler believes.
constexpr double kPortBytesPerS = 1.25e8;

}  // namespace

// Its model has few values, which stand for many: messages take as much of the network as those
// would, and the exchange, which counts bytes itself, is told of a network that is as much slower.
void Worker::exchange_step() {
  const proto::Step& order = order_.step();
  host_.learning(held(), order_);
  begin_work();
  for (const proto::WorkItem& item : order.items()) {
    if (holdings_.chunks().contains(ChunkId{item.chunk()})) continue;
    return fail_with(
        {ErrorCode::kDefect, fmt::format("work on chunk {}, which is not here", item.chunk())});
  }
  const std::size_t elements = learn::shared_vector(model_.parameters, order.line_search()).size();
  const double scale = wire_scale();
  const fabric::KnownPorts unknown{.typical_bytes_per_s = kPortBytesPerS / scale};
  auto options = fabric::exchange_of(order, elements, known_ports_.value_or(unknown));
  if (!options) return fail_with(options.error());
  const auto real = static_cast<std::uint64_t>(learner_.model_bytes(model_.version) / 4);
  options->blocks = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(fabric::blocks_for(real, options->hosts.size()), elements));
  const Time now{from_seconds(host_.now_s())};
  async_.emplace(order, *options, self_, model_,
                 learned_.value_or(worker::LearnedWork::begin(order)), batch(), now);
  host_.join_exchange(order_.sequence(), options->hosts);
  early_.erase(early_.begin(), early_.lower_bound(order_.sequence()));
  Result<void> so_far;
  if (auto early = early_.extract(order_.sequence()); !early.empty()) {
    for (const auto& [from, bytes] : early.mapped()) {
      if (so_far) so_far = async_->on_message(now, from, bytes);
    }
  }
  tick_later();
  computed_s_ = host_.now_s();
  look(so_far);
}

std::uint32_t Worker::batch() const {
  return model::is_linear(options_.model()) ? 1 : options_.batch();
}

double Worker::wire_scale() const {
  return learner_.model_bytes(model_.version) / static_cast<double>(4 * model_.parameters.size());
}

void Worker::tick_later() { host_.wake_after(kTickS, kTick | order_.sequence()); }

void Worker::tick(std::uint64_t exchange) {
  if (!async_ || exchange != order_.sequence()) return;
  // In the bytes that the exchange counts, whose model has few values.
  const double scale = wire_scale();
  const fabric::PortBytes passed = host_.port_bytes();
  async_->tick(Time{from_seconds(host_.now_s())},
               {.out = static_cast<std::uint64_t>(static_cast<double>(passed.out) / scale),
                .in = static_cast<std::uint64_t>(static_cast<double>(passed.in) / scale)});
  tick_later();
  look({});
}

void Worker::leave_async_iteration() {
  if (!async_) return;
  host_.leave_exchange(order_.sequence());
  if (order_.step().averages()) {
    learned_ = async_->learned_work();
    learned_->compute_s += (async_->has_learned_all() ? computed_s_ : host_.now_s()) - began_s_;
  }
  async_.reset();
}

void Worker::learn_piece() {
  if (async_->has_learned_all()) return;
  const proto::Step& order = order_.step();
  const double share = host_.computing_s(1);
  const data::ChunkRange& any = holdings_.chunks().begin()->second.range;
  const double sample_s = share * learner_.sample_s(any, model_.version);
  const double late_s = began_s_ + order.compute_s_max() - host_.now_s();
  auto piece = async_->next_piece(sample_s * batch(), late_s);
  if (!piece) return;
  double samples = 0;
  for (const learn::WorkItem& item : piece->items) samples += item.count;
  wait(samples * sample_s, [this, piece = std::move(*piece)] {
    const proto::Step& of = order_.step();
    const learn::LocalWork work{.iteration = of.iteration(),
                                .pass = of.pass(),
                                .workers = of.tasks(),
                                .tasks = of.tasks_per_node(),
                                .items = piece.items,
                                .line_search = of.line_search(),
                                .asynchronous = true,
                                .rate = of.rate(),
                                .continues = async_->result().samples > 0};
    std::vector<float> update(model_.parameters.size(), 0.0f);
    learn::LocalResult result;
    if (!piece.items.empty()) {
      const std::atomic<bool> never{false};
      const auto computed =
          task_->compute(work, async_->model(), holdings_.chunks(), update, never);
      if (!computed) return fail_with(computed.error());
      result = *computed;
    }
    if (piece.last) computed_s_ = host_.now_s();
    async_->on_learned(piece, update, result);
    look({});
  });
}

// Whatever has happened: what is to be sent, learned, or the end of it.
void Worker::look(Result<void> so_far) {
  if (!so_far) return fail_with(so_far.error());
  const auto sends = async_->next_sends(Time{from_seconds(host_.now_s())});
  if (!sends) return fail_with(sends.error());
  const double scale = wire_scale();
  for (const worker::AsyncIteration::Send& send : *sends) {
    const auto bytes = static_cast<double>(send.message.bytes.size());
    host_.send_in_exchange(order_.sequence(), send.to,
                           {send.message.bytes, send.message.data ? scale * bytes : bytes});
  }
  if (async_->has_ended()) return end_async_iteration();
  learn_piece();
}

void Worker::heard(std::uint64_t exchange, WorkerId from, std::vector<std::byte> bytes) {
  if (async_ && exchange == order_.sequence()) {
    return look(async_->on_message(Time{from_seconds(host_.now_s())}, from, bytes));
  }
  if (exchange >= order_.sequence()) early_[exchange].emplace_back(from, std::move(bytes));
}

void Worker::left(std::uint64_t exchange, WorkerId to) {
  if (!async_ || exchange != order_.sequence()) return;
  async_->on_sent(to);
  look({});
}

void Worker::end_async_iteration() {
  const proto::Step& order = order_.step();
  std::vector<float> update = async_->take_shared();
  const std::vector<float> before = learn::shared_vector(model_.parameters, order.line_search());
  host_.exchanged({order_.sequence(), before, update, async_->sum()});
  std::ranges::transform(update, before, update.begin(), std::minus<>());
  Tentative next{.iteration = order.iteration(),
                 .model = worker::next_model(order, holdings_.chunks(), model_, *task_, update),
                 .from_task = true};
  if (std::exchange(spoils_, false)) next.model.parameters[0] += 1;
  proto::FromWorker answer;
  proto::StepDone& done = *answer.mutable_step_done();
  done.set_samples(async_->result().samples);
  done.set_loss_sum(async_->result().loss_sum);
  done.set_compute_s(computed_s_ - began_s_ + (learned_ ? learned_->compute_s : 0));
  done.set_reduce_s(host_.now_s() - computed_s_);
  done.set_model_checksum(checksum_of_model(next.model));
  if (const auto* scheduler = async_->exchange().scheduler()) {
    done.set_updates_dropped(scheduler->counts().dropped);
    done.set_placements(static_cast<std::uint32_t>(scheduler->counts().placements));
    done.set_placed_why(scheduler->counts().placed_why);
    known_ports_ = scheduler->known_ports();
  }
  tentative_ = std::move(next);
  leave_async_iteration();
  reply(std::move(answer));
}

}  // namespace surety::sim
