#include "worker/operations/probe.h"

#include <algorithm>
#include <chrono>

namespace surety::worker {
namespace {

constexpr Duration kProbeTakes = std::chrono::minutes(1);

// The numbers of the blobs of each worker.
constexpr std::uint32_t kReady = 0;
constexpr std::uint32_t kSmall = 0;
constexpr std::uint32_t kLarge = 1;

}  // namespace

void Probe::begin() {
  network().know(order().from());
  network().know(order().to());
  if (const Result<void> connected = network().connect(other()); !connected) {
    return blame(other(), connected.error().message);
  }
  timer_ = context().wake_after(kProbeTakes);
  if (sends() || send(kReady, 1)) on_blob();
}

bool Probe::send(std::uint32_t step, std::uint64_t bytes) {
  const Result<void> sent = network().send_blob(other(), tag({}, step), {}, bytes);
  if (!sent) blame(other(), sent.error().message);
  return sent.has_value();
}

void Probe::on_blob_sent(WorkerId) {
  if (!sends() || --sends_left_ > 0) return;
  proto::FromWorker answer;
  answer.mutable_probed();
  context().answer(std::move(answer));
}

void Probe::on_blob() {
  if (sends()) {
    if (sends_left_ > 0 || !network().take_blob(tag(other(), kReady))) return;
    sends_left_ = 2;
    if (send(kSmall, 1)) static_cast<void>(send(kLarge, order().bytes()));
    return;
  }
  if (!first_came_ && network().take_blob(tag(other(), kSmall))) first_came_ = host().now();
  if (!first_came_ || !network().take_blob(tag(other(), kLarge))) return;
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
