#include "fabric/ports/port_watch.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace surety::fabric {
namespace {

constexpr Duration kMemory = std::chrono::seconds(1);
constexpr double kAsGoodAsAny = 0.5;  // Part of the typical rate.
// Steady means: the median of disjoint windows is at least this part of the maximum.
constexpr double kSteady = 0.5;
// At a port that is always busy, bursts are at most this factor above the sustained rate.
constexpr double kBurst = 2;

}  // namespace

void PortWatch::look(Time now, const PortBytes& passed) {
  if (!looks_.empty()) {
    const Look& last = looks_.back();
    SURETY_CHECK(passed.out >= last.passed.out && passed.in >= last.passed.in);
    if (now <= last.at) return;
  }
  looks_.push_back({now, passed});
  while (looks_.size() > 2 && looks_[1].at + kMemory <= now) looks_.pop_front();
}

std::optional<PortWatch::Seen> PortWatch::seen() const {
  if (looks_.empty() || looks_.back().at - looks_.front().at < kMemory) return std::nullopt;
  if (looks_.size() <= kSustained) return std::nullopt;
  const auto direction = [&](std::uint64_t PortBytes::*side) {
    const auto rate = [&](std::size_t from, std::size_t to) {
      const auto bytes = static_cast<double>(looks_[to].passed.*side - looks_[from].passed.*side);
      return bytes / to_seconds(looks_[to].at - looks_[from].at);
    };
    CarriedRate carried;
    std::vector<double> disjoint;
    for (std::size_t i = 1; i < looks_.size(); ++i) {
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
  return Seen{.out = direction(&PortBytes::out), .in = direction(&PortBytes::in)};
}

std::optional<double> capacity_of(const CarriedRate& carried, double typical) {
  if (carried.burst_bytes_per_s >= kAsGoodAsAny * typical) return typical;
  const bool is_busy =
      carried.is_steady && carried.burst_bytes_per_s <= kBurst * carried.sustained_bytes_per_s;
  if (!is_busy) return std::nullopt;
  // A shaper lets one burst pass after a rest, once in a window of any length. What a longer window
  // carries more than a short one has passed at the port's own rate.
  constexpr double kLonger = PortWatch::kSustained;
  return (kLonger * carried.sustained_bytes_per_s - carried.burst_bytes_per_s) / (kLonger - 1);
}

}  // namespace surety::fabric
