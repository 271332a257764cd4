#include "bench/fabric_sim/clockwork.h"

#include <algorithm>

namespace surety::bench::sim {

using namespace fabric;
using namespace fabric::sim;

Clockwork::Clockwork(World& world) : world_(world), network_(world.hosts(), world.racks().size()) {
  weather();
}

void Clockwork::after(double seconds, Deed deed) {
  later_.push({now_s_ + seconds, ++deeds_, std::move(deed)});
}

void Clockwork::weather() {
  auto change = world_.next_change();
  while (change && change->at_s <= now_s_) {
    network_.set_capacity(change->resource, change->bytes_per_s);
    change = world_.next_change();
  }
  if (!change) return;
  after(change->at_s - now_s_, [this, change = *change] {
    network_.set_capacity(change.resource, change.bytes_per_s);
    weather();
  });
}

void Clockwork::run(double until_s, const std::function<void(JobId)>& ended) {
  after(until_s - now_s_, [] {});  // This ensures that the queue is never empty in the loop.
  while (now_s_ < until_s) {
    const double deed_s = later_.top().at_s - now_s_;
    const auto job_s = network_.next_end_s();
    if (job_s && *job_s < deed_s) {
      const auto jobs = network_.advance(*job_s);
      now_s_ += *job_s;
      for (const JobId job : jobs) ended(job);
      continue;
    }
    const auto jobs = network_.advance(std::max(0.0, deed_s));
    const Later next = later_.top();
    later_.pop();
    now_s_ = std::max(now_s_, next.at_s);
    for (const JobId job : jobs) ended(job);
    next.deed();
  }
}

}  // namespace surety::bench::sim
