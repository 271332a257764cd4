#include "bench/fabric_sim/scenario.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace surety::bench::sim {
namespace {

using surety::sim::Link;

constexpr std::uint32_t kRackHosts = 10;
constexpr double kOversubscription = 4;
constexpr double kVariation = 0.1;

}  // namespace

World::World(const WorldOptions& options) : options_(options) {
  const Random random(options.seed);
  for (std::uint32_t w = 0; w < options.workers; ++w) {
    steps_.push_back(random.fork("steps", w));
    Random slow = random.fork("slowness", w);
    const bool straggler = options.scenario.stragglers && w % 10 == 0;
    slowness_.push_back(straggler ? 2 + 2 * slow.uniform() : 1);
  }
  for (std::uint32_t h = 0; h < hosts(); ++h) {
    sides_.push_back({0, {Link::Kind::kOut, h}, random.fork("out", h)});
    sides_.push_back({0, {Link::Kind::kIn, h}, random.fork("in", h)});
  }
  for (std::uint32_t r = 0; r < racks(); ++r) {
    sides_.push_back({0, {Link::Kind::kRackOut, r}, random.fork("rack out", r)});
    sides_.push_back({0, {Link::Kind::kRackIn, r}, random.fork("rack in", r)});
  }
}

std::uint32_t World::racks() const {
  return options_.scenario.oversubscribed ? (hosts() + kRackHosts - 1) / kRackHosts : 0;
}

std::uint32_t World::rack_of(std::uint32_t host) const {
  return options_.scenario.oversubscribed ? host / kRackHosts : 0;
}

double World::step_s(std::uint32_t worker) {
  Random& random = steps_[worker];
  const double variance = std::log(1 + kVariation * kVariation);
  const double noise = std::exp(std::sqrt(variance) * random.normal() - variance / 2);
  double spike = 1;
  if (options_.scenario.stragglers && random.uniform() < 0.05) spike = 2 + 2 * random.uniform();
  return options_.compute_s * noise * slowness_[worker] * spike;
}

std::optional<CapacityChange> World::next_change() {
  const auto first =
      std::min_element(sides_.begin(), sides_.end(),
                       [](const Side& a, const Side& b) { return a.next_s < b.next_s; });
  if (first->next_s == std::numeric_limits<double>::infinity()) return std::nullopt;
  const bool rack = is_of_rack(first->link);
  CapacityChange change{first->next_s, first->link, options_.bytes_per_s};
  if (rack) change.bytes_per_s *= kRackHosts / kOversubscription;
  if (options_.scenario.fluctuating && !rack) {
    change.bytes_per_s *= std::pow(10, -first->random.uniform());
    first->next_s += 2 + 3 * first->random.uniform();
  } else {
    first->next_s = std::numeric_limits<double>::infinity();
  }
  return change;
}

}  // namespace surety::bench::sim
