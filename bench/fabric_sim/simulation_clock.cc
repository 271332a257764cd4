#include "bench/fabric_sim/simulation_clock.h"

#include <algorithm>

namespace surety::bench::sim {

using namespace surety::sim;

SimulationClock::SimulationClock(World& world)
    : world_(world), network_(world.hosts(), world.racks()) {
  follow_capacity_changes();
}

void SimulationClock::after(double seconds, Callback callback) {
  queue_.push({now_s_ + seconds, ++callbacks_, std::move(callback)});
}

void SimulationClock::follow_capacity_changes() {
  auto change = world_.next_change();
  while (change && change->at_s <= now_s_) {
    network_.set_capacity(change->link, change->bytes_per_s);
    change = world_.next_change();
  }
  if (!change) return;
  after(change->at_s - now_s_, [this, change = *change] {
    network_.set_capacity(change.link, change.bytes_per_s);
    follow_capacity_changes();
  });
}

void SimulationClock::run(double until_s, const std::function<void(JobId)>& ended) {
  after(until_s - now_s_, [] {});  // This ensures that the queue is never empty in the loop.
  while (now_s_ < until_s) {
    const double callback_s = queue_.top().at_s - now_s_;
    const auto job_s = network_.next_end_s();
    if (job_s && *job_s < callback_s) {
      const auto jobs = network_.advance(*job_s);
      now_s_ += *job_s;
      for (const JobId job : jobs) ended(job);
      continue;
    }
    const auto jobs = network_.advance(std::max(0.0, callback_s));
    const TimedCallback next = queue_.top();
    queue_.pop();
    now_s_ = std::max(now_s_, next.at_s);
    for (const JobId job : jobs) ended(job);
    next.callback();
  }
}

}  // namespace surety::bench::sim
