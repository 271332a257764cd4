#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/units.h"
#include "plan/plan.h"
#include "plan/policy.h"

namespace surety::plan {
namespace {

constexpr std::uint32_t kPassesBehindMin = 3;  // One bad pass in twenty is no drift, three are.

std::string duration(double seconds) {
  return format_duration(from_seconds(std::max(seconds, 0.0)));
}

// Linear between the points; before the first and after the last it stays.
Band band_at(const std::vector<Band>& bands, double seconds) {
  const auto after = std::ranges::upper_bound(bands, seconds, {}, &Band::seconds);
  if (after == bands.begin()) return bands.front();
  if (after == bands.end()) return bands.back();
  const Band &a = *(after - 1), &b = *after;
  const double share = (seconds - a.seconds) / (b.seconds - a.seconds);
  const auto between = [&](double x, double y) { return x + share * (y - x); };
  return {seconds, between(a.q05, b.q05), between(a.q50, b.q50), between(a.q95, b.q95)};
}

std::string no_time(const Plan& plan, const Block& here, const Observation& observation) {
  std::string text = fmt::format(
      "no time is left for another pass: {} to the deadline, a pass of "
      "{} takes {}",
      duration(observation.seconds_left), here.version, duration(here.pass_s));
  if (plan.certify_s > 0) {
    text += fmt::format(" and the certification {}", duration(plan.certify_s));
  }
  return text;
}

std::string go_on(const Plan& plan, const Block& here, const Observation& observation) {
  std::string text;
  if (observation.pass_in_block < here.passes) {
    text = fmt::format("pass {} of {} of {}", observation.pass_in_block + 1, here.passes,
                       here.version);
  } else {
    text =
        fmt::format("metric {:.4g} is above {:.4g} and {} are left: {} goes on", observation.metric,
                    plan.stop_metric, duration(observation.seconds_left), here.version);
  }
  if (observation.passes_behind >= kPassesBehindMin) {
    const Band band = band_at(plan.bands, observation.seconds);
    text += fmt::format("; behind the plan for {} passes: {:.4g}, planned {:.4g} to {:.4g}",
                        observation.passes_behind, observation.metric, band.q05, band.q95);
  }
  return text;
}

}  // namespace

bool is_behind(const Plan& plan, double seconds, double metric) {
  return !plan.bands.empty() && metric > band_at(plan.bands, seconds).q95;
}

Step next_step(const Plan& plan, const Observation& observation) {
  SURETY_CHECK(observation.block < plan.blocks.size());
  SURETY_CHECK(observation.passes_behind == 0 || !plan.bands.empty());
  std::vector<BlockTime> blocks;
  for (const Block& block : plan.blocks) {
    blocks.push_back({block.passes, block.pass_s, block.switch_s});
  }
  const Block& here = plan.blocks[observation.block];
  const Choice choice = choose(blocks, {.metric = observation.metric,
                                        .stop_metric = plan.stop_metric,
                                        .seconds_left = observation.seconds_left,
                                        .certify_s = plan.certify_s,
                                        .block = observation.block,
                                        .pass_in_block = observation.pass_in_block});
  switch (choice) {
    case Choice::kStopMet:
      return {Stop{true}, fmt::format("metric {:.4g} is at or below {:.4g}", observation.metric,
                                      plan.stop_metric)};
    case Choice::kSwitch:
      return {SwitchTo{observation.block + 1},
              fmt::format("{} passes of {} are done: on to {}", observation.pass_in_block,
                          here.version, plan.blocks[observation.block + 1].version)};
    case Choice::kStopNoTime:
      return {Stop{false}, no_time(plan, here, observation)};
    case Choice::kGoOn:
      break;
  }
  return {GoOn{}, go_on(plan, here, observation)};
}

}  // namespace surety::plan
