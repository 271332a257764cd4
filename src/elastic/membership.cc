#include "elastic/membership.h"

#include <algorithm>

#include "base/check.h"

namespace surety::elastic {
namespace {

// Heartbeats remembered per worker. Doubled, a single long gap keeps the bound high for twice as
// long; halved, a machine that stalls now and then is suspected more often.
constexpr std::size_t kGapsMax = 16;

}  // namespace

Membership::Membership(LivenessOptions options, std::uint32_t last)
    : options_(options), last_(last) {
  SURETY_CHECK(options_.silence_min > Duration::zero());
  SURETY_CHECK(options_.silence_factor >= 1);
}

WorkerId Membership::join(Time now) {
  const WorkerId worker{++last_};
  members_[worker].heard = now;
  return worker;
}

void Membership::heard(WorkerId worker, Time now) {
  const auto it = members_.find(worker);
  if (it == members_.end()) return;
  Member& member = it->second;
  if (now < member.heard) return;
  if (member.gaps.size() == kGapsMax) member.gaps.erase(member.gaps.begin());
  member.gaps.push_back(now - member.heard);
  member.heard = now;
}

void Membership::leaving(WorkerId worker) {
  const auto it = members_.find(worker);
  if (it != members_.end()) it->second.leaving = true;
}

void Membership::gone(WorkerId worker) { members_.erase(worker); }

std::vector<Departure> Membership::tick(Time now) {
  std::vector<Departure> departures;
  for (const auto& [worker, member] : members_) {
    const Duration silence = now - member.heard;
    const Duration bound = silence_bound(worker);
    if (silence < bound) continue;
    departures.push_back({.worker = worker,
                          .reason = fmt::format("silent for {:.3g}s (bound {:.3g}s)",
                                                to_seconds(silence), to_seconds(bound))});
  }
  for (const Departure& departure : departures) gone(departure.worker);
  return departures;
}

std::optional<Time> Membership::deadline() const {
  std::optional<Time> earliest;
  for (const auto& [worker, member] : members_) {
    const Time bound = member.heard + silence_bound(worker);
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

bool Membership::is_leaving(WorkerId worker) const {
  const auto it = members_.find(worker);
  return it != members_.end() && it->second.leaving;
}

Duration Membership::silence_bound(WorkerId worker) const {
  const auto it = members_.find(worker);
  SURETY_CHECK(it != members_.end());
  const auto& gaps = it->second.gaps;
  if (gaps.empty()) return options_.silence_min;
  const Duration largest = *std::max_element(gaps.begin(), gaps.end());
  return std::max(options_.silence_min,
                  from_seconds(options_.silence_factor * to_seconds(largest)));
}

}  // namespace surety::elastic
