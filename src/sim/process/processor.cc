#include "sim/process/processor.h"

#include <atomic>
#include <cmath>
#include <utility>

namespace surety::sim {

using worker::Work;

Processor::Processor(EventQueue& queue, Lifecycle& lifecycle, const ProcessorOptions& options,
                     Random random, Owner owner)
    : queue_(queue),
      lifecycle_(lifecycle),
      options_(options),
      random_(random),
      owner_(std::move(owner)) {}

double Processor::computing_s(double seconds) {
  const double noise = std::exp(options_.noise * random_.normal());
  return seconds * slowness_ * noise / options_.speed;
}

void Processor::start(Work work) {
  const std::atomic<bool> never{false};
  const bool reads = work.kind == Work::Kind::kLoad || work.kind == Work::Kind::kEvaluate;
  UnderWay under_way{
      .number = ++last_work_, .began_s = queue_.now_s(), .work = {}, .cost = {}, .outcome = {}};
  if (reads) under_way.outcome = work.run({.stop = never});
  if (!reads || *under_way.outcome) {
    under_way.cost = owner_.cost_of(work, [this](double seconds) { return computing_s(seconds); });
  }
  under_way.work = std::move(work);
  work_ = std::move(under_way);
  end_after(work_->cost.seconds);
}

void Processor::stop() {
  UnderWay& stopped = *work_;
  stopped.number = ++last_work_;
  double seconds = 0;
  if (stopped.work.keeps_part) {
    stopped.cost = cost_of_stopping(stopped.cost, queue_.now_s() - stopped.began_s, options_.batch);
    seconds = stopped.cost.seconds;
  } else if (stopped.work.kind != Work::Kind::kLoad) {
    stopped.outcome = fail(ErrorCode::kUnavailable, "stopped");
  }
  end_after(seconds);
}

void Processor::end_after(double seconds) {
  lifecycle_.after(seconds, [this, number = last_work_] { end(number); });
}

void Processor::end(std::uint64_t number) {
  if (!work_ || work_->number != number) return;
  const UnderWay done = *std::exchange(work_, std::nullopt);
  const std::atomic<bool> never{false};
  const Result<void> outcome =
      done.outcome ? *done.outcome : done.work.run({.stop = never, .samples = done.cost.samples});
  owner_.on_done(done.work, outcome);
}

}  // namespace surety::sim
