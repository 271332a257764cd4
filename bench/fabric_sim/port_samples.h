// The measurements of hosts about their ports while rounds pass: the true capacity with noise, at
// limited frequency.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

#include "base/random.h"
#include "fabric/scheduler/events.h"
#include "sim/network/link.h"

namespace surety::bench::sim {

class PortSamples {
 public:
  explicit PortSamples(std::uint64_t seed) : noise_(Random(seed).fork("noise")) {}

  // The sample of this link, or nullopt if it is not a port or was measured a moment ago.
  [[nodiscard]] std::optional<fabric::RateMeasured> take(const surety::sim::Link& link,
                                                         double bytes_per_s, double now_s) {
    if (is_of_rack(link)) return std::nullopt;
    const bool is_out = link.kind == surety::sim::Link::Kind::kOut;
    double& last_s = sampled_s_.try_emplace(link, -1).first->second;
    if (now_s - last_s < kEvery_s) return std::nullopt;
    last_s = now_s;
    return fabric::RateMeasured{WorkerId{link.index},
                                is_out ? fabric::PortSide::kOut : fabric::PortSide::kIn,
                                bytes_per_s * std::exp(kNoise * noise_.normal())};
  }

 private:
  static constexpr double kEvery_s = 0.02;
  static constexpr double kNoise = 0.15;

  Random noise_;
  std::map<surety::sim::Link, double> sampled_s_;
};

}  // namespace surety::bench::sim
