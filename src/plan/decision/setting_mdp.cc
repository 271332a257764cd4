#include "plan/decision/setting_mdp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

#include "base/check.h"
#include "base/statistics.h"
#include "plan/laws/time_model.h"

namespace surety::plan {
namespace {

constexpr double kHeadroom = 1.3;  // A jump or a bad first pass may raise the metric this high.
// At this distance below the target, certification fails once in 1,400.
constexpr double kCertainSds = 3.2;
constexpr double kLevelsBelow = 0.2;  // Share of the levels below a noisy target.
constexpr std::size_t kVersionsAhead = 3;

// Point i of an even division into `count` steps, both ends included.
double between(double low, double high, std::size_t i, std::size_t count) {
  return low + (high - low) * static_cast<double>(i) / static_cast<double>(count);
}

std::uint32_t to_ticks(double seconds, double tick_s) {
  return static_cast<std::uint32_t>(std::min(std::round(seconds / tick_s), 1e6));
}

void set_window(const Variant& variant, const PassDuration& pass, double tick_s,
                MdpVariant& result) {
  result.first_tick = static_cast<std::uint32_t>(std::min(std::ceil(variant.from_s / tick_s), 1e9));
  const double last_s =
      variant.until_s ? *variant.until_s - pass.mean_s() : std::numeric_limits<double>::infinity();
  // If not even one pass fits, the variant never runs.
  if (last_s < variant.from_s) result.first_tick = std::numeric_limits<std::uint32_t>::max();
  result.last_tick = static_cast<std::uint32_t>(std::clamp(std::floor(last_s / tick_s), 0.0, 1e9));
}

// Laws of the same version on other numbers of nodes have their own curves, so a jump leads from
// law to law.
void add_switches(const Setting& setting, const std::vector<double>& levels, double tick_s,
                  Mdp& mdp) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
  for (std::size_t v = 0; v < setting.variants.size(); ++v) {
    auto& switches = mdp.switches.emplace_back();
    for (const std::size_t to : allowed_switches(setting, v)) {
      const double seconds = switch_seconds(setting, v, to);
      MdpSwitch change{
          to, to_ticks(seconds, tick_s), seconds * setting.variants[to].price_per_s, {}};
      const std::pair laws(setting.variants[v].version, setting.variants[to].version);
      if (laws.first != laws.second) {
        const auto [it, fresh] = known.try_emplace(laws, mdp.jumps.size());
        if (fresh) mdp.jumps.push_back(switch_kernel(levels, setting, laws.first, laws.second));
        change.jump = it->second;
      }
      switches.push_back(change);
    }
  }
}

}  // namespace

std::vector<double> metric_levels(const Setting& setting, std::size_t levels) {
  SURETY_CHECK(levels >= 10);
  double floor = setting.target;
  double start = setting.target;
  for (const VersionLaw& law : setting.laws.versions) {
    floor = std::min(floor, law.curve.floor);
    start = std::max(start, law.curve.at(0));
  }
  const double top = setting.target + std::max(start - setting.target, 1e-9) * kHeadroom;
  const double margin = kCertainSds * std::numbers::sqrt2 * setting.evaluation_se;
  std::vector<double> grid;
  const auto below =
      margin > 0 ? static_cast<std::size_t>(kLevelsBelow * static_cast<double>(levels)) : 0;
  for (std::size_t i = 0; i < below; ++i) {
    grid.push_back(between(setting.target - margin, setting.target, i, below));
  }
  // Without this, if the target is at the floor, nearly all levels would be there.
  const double base = std::min(floor, setting.target - 1e-3 * (top - setting.target));
  const double span = std::log((top - base) / (setting.target - base));
  const std::size_t above = levels - below - 1;
  grid.push_back(setting.target);
  for (std::size_t i = 1; i <= above; ++i) {
    grid.push_back(base + (setting.target - base) * std::exp(between(0, span, i, above)));
  }
  return grid;
}

double certified_chance(const Setting& setting, double metric) {
  if (!(setting.evaluation_se > 0)) return metric <= setting.target ? 1 : 0;
  return normal_probability((setting.target - metric) /
                            (std::numbers::sqrt2 * setting.evaluation_se));
}

double tick_seconds(const Setting& setting, const MdpOptions& options) {
  return std::max(setting.deadline_s - setting.certify_s, 1e-9) / options.ticks;
}

std::vector<std::size_t> allowed_switches(const Setting& setting, std::size_t variant) {
  std::vector<std::size_t> result;
  const std::size_t rank = setting.rank_of(variant);
  for (std::size_t to = 0; to < setting.variants.size(); ++to) {
    const std::size_t other = setting.rank_of(to);
    if (to != variant && other <= rank && rank - other <= kVersionsAhead) result.push_back(to);
  }
  return result;
}

double switch_seconds(const Setting& setting, std::size_t from, std::size_t to) {
  double seconds = 0;
  const std::size_t from_rank = setting.rank_of(from);
  const std::size_t to_rank = setting.rank_of(to);
  if (from_rank != to_rank) seconds += setting.laws.switches[from_rank][to_rank].seconds;
  if (setting.variants[from].counts != setting.variants[to].counts) {
    seconds += setting.variants[to].start_s;
  }
  return seconds;
}

Mdp make_mdp(const Setting& setting, const std::vector<double>& levels, const MdpOptions& options,
             const RunClass& run) {
  Mdp mdp;
  mdp.ticks = options.ticks;
  const double tick_s = tick_seconds(setting, options);
  for (const double metric : levels) mdp.success.push_back(certified_chance(setting, metric));
  for (std::size_t v = 0; v < setting.variants.size(); ++v) {
    const Variant& variant = setting.variants[v];
    const PassDuration pass = pass_duration(setting.law_of(v), variant);
    MdpVariant result;
    result.pass = run.is_stuck(setting.law_of(v))
                      ? identity_kernel(levels.size())
                      : class_pass_kernel(levels, setting.law_of(v), std::exp(run.effect));
    result.duration = duration_pmf(pass, tick_s, options.ticks);
    result.cost = pass.mean_s() * variant.price_per_s;
    set_window(variant, pass, tick_s, result);
    mdp.variants.push_back(std::move(result));
  }
  add_switches(setting, levels, tick_s, mdp);
  return mdp;
}

std::vector<MdpStart> make_starts(const Setting& setting, const std::vector<double>& levels) {
  std::vector<MdpStart> starts;
  for (std::size_t v = 0; v < setting.variants.size(); ++v) {
    starts.push_back(
        {v, setting.data_price, start_pmf(levels, setting, setting.variants[v].version)});
  }
  return starts;
}

namespace {

std::vector<RunClass> effect_classes(double run_effect, std::uint32_t effects) {
  SURETY_CHECK(effects >= 1);
  if (!(run_effect > 0) || effects == 1) return {{0, 1, 1}};
  static constexpr double kReachSds = 2;
  std::vector<RunClass> result;
  double sum = 0;
  double squares = 0;
  for (std::uint32_t j = 0; j < effects; ++j) {
    const double z = between(-kReachSds, kReachSds, j, effects - 1);
    result.push_back({z, 1, std::exp(-z * z / 2)});
    sum += result.back().probability;
    squares += result.back().probability * z * z;
  }
  const double scale = run_effect / std::sqrt(squares / sum);
  for (RunClass& one : result) {
    one.effect *= scale;
    one.probability /= sum;
  }
  return result;
}

// The distinct shares of stuck runs, ascending. If there are too many, lower shares count as the
// next higher one.
std::vector<double> stuck_shares(const Laws& laws) {
  std::vector<double> shares;
  for (const VersionLaw& law : laws.versions) {
    if (law.stuck_share > 0) shares.push_back(law.stuck_share);
  }
  std::sort(shares.begin(), shares.end());
  shares.erase(std::unique(shares.begin(), shares.end()), shares.end());
  while (shares.size() >= kStuckQuantilesMax) shares.erase(shares.begin());
  return shares;
}

}  // namespace

std::vector<RunClass> run_classes(const Laws& laws, std::uint32_t effects) {
  const std::vector<RunClass> by_effect = effect_classes(laws.run_effect, effects);
  std::vector<RunClass> result;
  double below = 0;
  const auto add = [&](double stuck_quantile, double until) {
    for (RunClass one : by_effect) {
      one.stuck_quantile = stuck_quantile;
      one.probability *= until - below;
      result.push_back(one);
    }
    below = until;
  };
  // A run with a stuck quantile below the lowest share is stuck with all versions that ever get
  // stuck. A run with a quantile above the highest share is never stuck.
  for (const double share : stuck_shares(laws)) add(below, share);
  add(below, 1);
  return result;
}

}  // namespace surety::plan
