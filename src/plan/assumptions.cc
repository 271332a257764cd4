#include "plan/assumptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "plan/certify.h"

namespace surety::plan {
namespace {

constexpr std::size_t kSeedsMin = 3;
constexpr double kFitErrorMax = 0.1;       // Of the drop that was measured.
constexpr double kCrossingMin = 0.1;       // Of that drop: less is noise.
constexpr double kLabelDistanceMax = 0.1;  // Total variation.

using SeedsByVersion = std::map<std::string, std::set<std::uint32_t>>;

SeedsByVersion seeds_by_version(const Problem& problem, double fraction) {
  SeedsByVersion seeds;
  for (const CurvePoint& point : problem.profile.curves) {
    if (point.data_fraction != fraction) continue;
    if (std::ranges::find(problem.versions, point.version) == problem.versions.end()) continue;
    seeds[point.version].insert(point.seed);
  }
  return seeds;
}

Assumption enough_seeds(const SeedsByVersion& seeds) {
  std::size_t fewest = SIZE_MAX;
  for (const auto& [version, set] : seeds) fewest = std::min(fewest, set.size());
  return {"enough seeds", fmt::format("each version has at least {} seeds", kSeedsMin),
          fewest >= kSeedsMin, fmt::format("the fewest are {}", fewest)};
}

Assumption paired_seeds(const SeedsByVersion& seeds) {
  std::string odd;
  for (const auto& [version, set] : seeds) {
    if (set != seeds.begin()->second) odd = version;
  }
  return {"seeds are paired", "all versions were trained with the same seeds", odd.empty(),
          odd.empty() ? "they were" : fmt::format("{} and {} were not", seeds.begin()->first, odd)};
}

// Two seeds whose order turns round by more than noise between a third of the passes and the end.
Assumption curves_keep_order(const Problem& problem, const Laws& laws) {
  std::size_t pairs = 0, crossed = 0;
  for (const VersionLaw& law : laws.versions) {
    std::map<std::uint32_t, std::map<std::uint32_t, double>> curves;  // By seed, by pass.
    double top = law.metric_min;
    for (const CurvePoint& point : problem.profile.curves) {
      if (point.version != law.version || point.data_fraction != laws.data_fraction) continue;
      curves[point.seed][point.pass] = point.metric;
      top = std::max(top, point.metric);
    }
    const double limit = kCrossingMin * (top - law.metric_min);
    for (auto a = curves.begin(); a != curves.end(); ++a) {
      for (auto b = std::next(a); b != curves.end(); ++b) {
        const std::uint32_t last = std::min(a->second.rbegin()->first, b->second.rbegin()->first);
        const auto gap = [&](std::uint32_t pass) {
          const auto x = a->second.find(pass), y = b->second.find(pass);
          return x == a->second.end() || y == b->second.end() ? 0 : x->second - y->second;
        };
        const double early = gap((last + 2) / 3), late = gap(last);
        pairs += 1;
        crossed += early * late < 0 && std::min(std::abs(early), std::abs(late)) > limit;
      }
    }
  }
  return {"curves do not cross", "a seed ahead after a third of the passes is ahead at the end",
          crossed == 0, fmt::format("{} of {} pairs of seeds cross", crossed, pairs)};
}

Assumption curves_fit(const Laws& laws) {
  const auto worst = std::ranges::max_element(laws.versions, {}, &VersionLaw::fit_error);
  return {"curves follow a law",
          fmt::format("residual at most {:.0f} % of the drop", 100 * kFitErrorMax),
          worst->fit_error <= kFitErrorMax,
          fmt::format("{:.1f} % for {}", 100 * worst->fit_error, worst->version)};
}

Assumption target_profiled(const Setting& setting) {
  const auto lowest = std::ranges::min_element(setting.laws.versions, {}, &VersionLaw::metric_min);
  const bool passed = lowest->metric_min <= setting.stop_metric;
  return {"target was profiled", "some profiled run got to the stop metric", passed,
          fmt::format("lowest {:.4g} ({}), needed {:.4g}{}", lowest->metric_min, lowest->version,
                      setting.stop_metric, passed ? "" : ": extrapolated")};
}

Assumption switches_measured(const Setting& setting, const Schedule& schedule) {
  std::string guessed;
  for (std::size_t i = 1; i < schedule.size(); ++i) {
    const std::size_t from = setting.variants[schedule[i - 1].variant].version;
    const std::size_t to = setting.variants[schedule[i].variant].version;
    if (from == to || setting.laws.switches[from][to].measured) continue;
    guessed = fmt::format("{} to {} was not: a conservative jump was used",
                          setting.laws.versions[from].version, setting.laws.versions[to].version);
  }
  return {"switches were measured", "each switch of the plan is in the profile", guessed.empty(),
          guessed.empty() ? "they are" : guessed};
}

Assumption speeds_measured(const Setting& setting, const Schedule& schedule) {
  bool passed = true;
  std::string found = "no more than profiled";
  for (const Leg& leg : schedule) {
    const Variant& variant = setting.variants[leg.variant];
    const VersionLaw& law = setting.laws.versions[variant.version];
    if (variant.speed <= law.time.speed_max * (1 + 1e-9)) continue;
    passed = false;
    found = fmt::format("{} on {} nodes, profiled on {:g}: planned without the gain", law.version,
                        variant.nodes, law.time.speed_max);
  }
  return {"speeds were measured", "no block uses more nodes than were profiled", passed, found};
}

Assumption support(double lower, double probability, double confidence, std::size_t seeds) {
  return {
      "profile supports the promise",
      fmt::format("with confidence {:g} the probability is at least {:g}", confidence, probability),
      lower >= probability,
      fmt::format("lower bound {:.3f} from {} seeds; without any law {} seeds would be needed",
                  lower, seeds, seeds_needed(probability, confidence))};
}

}  // namespace

std::vector<Assumption> check_assumptions(const Problem& problem, const Setting& setting,
                                          const Solution& solution, double probability_lower,
                                          double confidence) {
  const DataChoice& data = problem.choices[solution.choice].data;
  const SeedsByVersion seeds = seeds_by_version(problem, data.profiled_fraction);
  std::vector<Assumption> result;
  result.push_back(enough_seeds(seeds));
  if (seeds.size() > 1) result.push_back(paired_seeds(seeds));
  result.push_back(curves_keep_order(problem, setting.laws));
  result.push_back(curves_fit(setting.laws));
  result.push_back(target_profiled(setting));
  if (solution.schedule.size() > 1) {
    result.push_back(switches_measured(setting, solution.schedule));
  }
  result.push_back(speeds_measured(setting, solution.schedule));
  if (data.fraction < 1) {
    result.push_back(
        {"data left out is like the rest",
         fmt::format("labels differ by at most {:g} (total variation)", kLabelDistanceMax),
         data.label_distance <= kLabelDistanceMax, fmt::format("{:.3f}", data.label_distance)});
  }
  result.push_back(support(probability_lower, setting.probability, confidence,
                           setting.laws.seed_effects.size()));
  return result;
}

}  // namespace surety::plan
