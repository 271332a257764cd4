#include "bench/studies/world.h"

#include <algorithm>

#include "base/check.h"
#include "base/statistics.h"

namespace surety::bench {
namespace {

constexpr std::uint64_t kClockSeed = 5;
// Price on demand. Any price could be used, because only ratios matter.
constexpr double kPricePerS = 0.01;
constexpr double kSpotPrice = 0.35;  // Share of the price on demand.
constexpr double kSpotSlower = 1.25;
// A full pass of every study takes a hundred seconds. In this unit, the figures are those of the
// spot market of our reference instance (test/support/plan/reference_instance.h), whose full pass
// takes ten ticks.
constexpr double kPreemptionsPerS = 0.0012;
constexpr double kRestartS = 100;
constexpr double kStartS = 10;

}  // namespace

World::World(const Study& study) : study_(study) {
  plan::NodeType on_demand;
  on_demand.name = "on-demand";
  on_demand.count = 1;
  on_demand.price_per_s = kPricePerS;
  on_demand.start_s = kStartS;
  plan::NodeType spot = on_demand;
  spot.name = "spot";
  spot.price_per_s *= kSpotPrice;
  spot.speed_factor = 1 / kSpotSlower;
  spot.preemptions_per_s = kPreemptionsPerS;
  spot.restart_s = kRestartS;
  nodes_ = {on_demand, spot};
}

const plan::NodeType& World::node(const std::string& name) const {
  const auto found = std::ranges::find(nodes_, name, &plan::NodeType::name);
  SURETY_CHECK(found != nodes_.end());
  return *found;
}

double World::price_per_s(const std::string& name) const { return node(name).price_per_s; }

plan::PassDuration World::duration(const Place& place) const {
  const auto version = std::ranges::find(study_.versions, place.version, &StudyVersion::name);
  SURETY_CHECK(version != study_.versions.end());
  const plan::NodeType& type = node(place.node);
  plan::PassDuration duration;
  duration.median_s = version->pass_s / type.speed_factor;
  duration.eval_s = study_.eval_s;
  duration.log_sd = study_.time_log_sd;
  duration.straggle_sd = type.straggle_sd;
  duration.preemptions_per_s = type.preemptions_per_s;
  duration.restart_s = type.restart_s;
  return duration;
}

double World::pass_s(const Place& place, std::uint32_t seed, std::uint32_t pass) const {
  const surety::CounterNormal numbers(kClockSeed, seed);
  return plan::draw_s(duration(place), {.pass = numbers.uniform(pass, 0),
                                        .slowest = numbers.uniform(pass, 1),
                                        .preemptions = numbers.uniform(pass, 2)});
}

double World::switch_s(const Place& from, const Place& to) const {
  double seconds = 0;
  if (from.version != to.version) seconds += study_.switch_s;
  if (from.node != to.node) seconds += node(to.node).start_s;
  return seconds;
}

}  // namespace surety::bench
