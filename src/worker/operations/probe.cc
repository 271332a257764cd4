#include "worker/operations/probe.h"

#include <algorithm>
#include <chrono>

namespace surety::worker {
namespace {

constexpr Duration kProbeTakes = std::chrono::minutes(1);

}  // namespace

void Probe::begin() {
  network().know(order().from());
  network().know(order().to());
  if (const Result<void> connected = network().connect(other()); !connected) {
    return blame(other(), connected.error().message);
  }
  timer_ = context().wake_after(kProbeTakes);
  if (sends()) return send();
  on_blob();
}

void Probe::send() {
  for (const std::uint32_t step : {0u, 1u}) {
    const std::uint64_t bytes = step == 0 ? 1 : order().bytes();
    ++sends_left_;
    const fabric::Tag tag{.round = sequence(), .sender = 0, .step = step};
    if (const Result<void> sent = network().send_blob(other(), tag, {}, bytes); !sent) {
      return blame(other(), sent.error().message);
    }
  }
}

void Probe::on_blob_sent(WorkerId) {
  if (--sends_left_ > 0) return;
  proto::FromWorker answer;
  answer.mutable_probed();
  context().answer(std::move(answer));
}

void Probe::on_blob() {
  if (sends()) return;
  fabric::Tag tag{.round = sequence(), .sender = order().from().worker(), .step = 0};
  if (!first_came_ && network().take_blob(tag)) first_came_ = host().now();
  tag.step = 1;
  if (!first_came_ || !network().take_blob(tag)) return;
  const double seconds = std::max(to_seconds(host().now() - *first_came_), 1e-9);
  proto::FromWorker answer;
  answer.mutable_probed()->set_bytes_per_s(static_cast<double>(order().bytes()) / seconds);
  context().answer(std::move(answer));
}

void Probe::on_lost(WorkerId worker, const std::string& why) {
  if (worker == other()) blame(worker, why);
}

void Probe::on_time(std::uint64_t timer) {
  if (timer != timer_) return;
  blame(other(), fmt::format("worker {}: the probe has not arrived in time", other()));
}

}  // namespace surety::worker
