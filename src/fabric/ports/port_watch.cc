#include "fabric/ports/port_watch.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace surety::fabric {
namespace {

constexpr Duration kMemory = std::chrono::seconds(1);
constexpr double kTypicalPart = 0.5;  // Part of the typical rate.
// A rate is steady if the median of disjoint windows is at least this part of the maximum.
constexpr double kSteady = 0.5;
// At a port that is always busy, bursts are at most this factor above the sustained rate.
constexpr double kBurst = 2;

}  // namespace

void PortWatch::add_sample(Time now, const PortBytes& passed) {
  if (!samples_.empty()) {
    const Sample& last = samples_.back();
    SURETY_CHECK(passed.out >= last.passed.out && passed.in >= last.passed.in);
    if (now <= last.at) return;
  }
  samples_.push_back({now, passed});
  while (samples_.size() > 2 && samples_[1].at + kMemory <= now) samples_.pop_front();
}

std::optional<PortWatch::Rates> PortWatch::rates() const {
  if (samples_.empty() || samples_.back().at - samples_.front().at < kMemory) return std::nullopt;
  if (samples_.size() <= kSustained) return std::nullopt;
  const auto direction = [&](std::uint64_t PortBytes::*side) {
    const auto rate = [&](std::size_t from, std::size_t to) {
      const auto bytes =
          static_cast<double>(samples_[to].passed.*side - samples_[from].passed.*side);
      return bytes / to_seconds(samples_[to].at - samples_[from].at);
    };
    CarriedRate carried;
    std::vector<double> disjoint;
    for (std::size_t i = 1; i < samples_.size(); ++i) {
      carried.burst_bytes_per_s = std::max(carried.burst_bytes_per_s, rate(i - 1, i));
      if (i < kSustained) continue;
      const double sustained = rate(i - kSustained, i);
      carried.sustained_bytes_per_s = std::max(carried.sustained_bytes_per_s, sustained);
      if (i % kSustained == 0) disjoint.push_back(sustained);
    }
    const auto middle = disjoint.begin() + static_cast<std::ptrdiff_t>(disjoint.size() / 2);
    std::ranges::nth_element(disjoint, middle);
    carried.is_steady = *middle > 0 && *middle >= kSteady * carried.sustained_bytes_per_s;
    return carried;
  };
  return Rates{.out = direction(&PortBytes::out), .in = direction(&PortBytes::in)};
}

std::optional<double> capacity_of(const CarriedRate& carried, double typical) {
  if (carried.burst_bytes_per_s >= kTypicalPart * typical) return typical;
  const bool is_busy =
      carried.is_steady && carried.burst_bytes_per_s <= kBurst * carried.sustained_bytes_per_s;
  if (!is_busy) return std::nullopt;
  // After a pause a shaper lets one burst pass, once in a window of any length. So the additional
  // bytes of a longer window have passed at the port's own rate.
  constexpr double kLonger = PortWatch::kSustained;
  return (kLonger * carried.sustained_bytes_per_s - carried.burst_bytes_per_s) / (kLonger - 1);
}

}  // namespace surety::fabric
