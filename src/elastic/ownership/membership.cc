#include "elastic/ownership/membership.h"

#include <algorithm>

#include "base/check.h"

namespace surety::elastic {

Membership::Membership(LivenessOptions options, std::uint32_t last)
    : options_(options), last_(last) {
  SURETY_CHECK(options_.silence_min > Duration::zero());
  SURETY_CHECK(options_.silence_factor >= 1);
  SURETY_CHECK(options_.memory > Duration::zero());
}

WorkerId Membership::join(Time now) {
  advance_clock(now);
  const WorkerId worker{++last_};
  members_[worker] = {.joined = now, .last_message = now, .period_began = now};
  return worker;
}

void Membership::on_message(WorkerId worker, Time now) {
  const auto it = members_.find(worker);
  if (it == members_.end()) return;
  advance_clock(now);
  if (now >= it->second.last_message) remember(it->second, now);
}

// After a time in which the coordinator itself was suspended, it cannot judge which workers were
// silent.
void Membership::advance_clock(Time now) {
  const Duration since = now - last_call_.value_or(now);
  last_call_ = std::max(last_call_.value_or(now), now);
  if (since <= 3 * options_.tick_period) return;
  for (auto& [worker, member] : members_) member.last_message += since - options_.tick_period;
}

void Membership::remember(Member& member, Time now) const {
  const Duration gap = now - member.last_message;
  member.last_message = now;
  const Duration age = now - member.period_began;
  if (age >= options_.memory) {
    member.largest_gap_before = age < 2 * options_.memory ? member.largest_gap : Duration::zero();
    member.largest_gap = Duration::zero();
    member.period_began = now;
  }
  member.largest_gap = std::max(member.largest_gap, gap);
}

void Membership::on_gone(WorkerId worker) { members_.erase(worker); }

std::vector<Departure> Membership::tick(Time now) {
  advance_clock(now);
  std::vector<Departure> departures;
  for (const auto& [worker, member] : members_) {
    const Duration silence = now - member.last_message;
    const Duration bound = silence_bound(worker);
    if (silence < bound) continue;
    departures.push_back(
        {.worker = worker,
         .reason = fmt::format("it has sent nothing for {:.3g}s, and at most {:.3g}s is allowed",
                               to_seconds(silence), to_seconds(bound))});
  }
  for (const Departure& departure : departures) on_gone(departure.worker);
  return departures;
}

std::optional<Time> Membership::deadline() const {
  std::optional<Time> earliest;
  for (const auto& [worker, member] : members_) {
    const Time bound = member.last_message + silence_bound(worker);
    earliest = earliest ? std::min(*earliest, bound) : bound;
  }
  return earliest;
}

std::vector<WorkerId> Membership::present() const {
  std::vector<WorkerId> workers;
  for (const auto& [worker, member] : members_) workers.push_back(worker);
  return workers;
}

bool Membership::is_present(WorkerId worker) const { return members_.contains(worker); }

Duration Membership::silence_bound(WorkerId worker) const {
  const auto it = members_.find(worker);
  SURETY_CHECK(it != members_.end());
  const Member& member = it->second;
  const bool known = member.last_message - member.joined >= options_.silence_unknown;
  const Duration least =
      known ? options_.silence_min : std::max(options_.silence_min, options_.silence_unknown);
  const Duration largest = std::max(member.largest_gap, member.largest_gap_before);
  return std::max(least, from_seconds(options_.silence_factor * to_seconds(largest)));
}

}  // namespace surety::elastic
