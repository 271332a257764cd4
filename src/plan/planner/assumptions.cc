#include "plan/planner/assumptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/words.h"
#include "plan/problem/problem.h"
#include "plan/support.h"
#include "plan/words.h"

namespace surety::plan {
namespace {

constexpr double kCrossingMin = 0.1;  // Share of the measured drop; less is noise.
constexpr double kSlowerMax = 0.1;  // How much slower learning may be on more data; less is noise.
constexpr double kLabelDistanceMax = 0.1;  // Total variation distance.

// An example is "full on 4 nodes".
std::string name_of(const VersionLaw& law) {
  return fmt::format("{} on {} {}", law.version, law.workers, law.workers == 1 ? "node" : "nodes");
}

// The runs of a law. If there are two fractions of the data, they are those on less data.
Runs runs_of_law(const Problem& problem, const DataLaws& choice, const VersionLaw& law) {
  return runs_by_workers(problem.runs, law.version, choice.data.profiled_fraction).at(law.workers);
}

std::set<std::uint32_t> seeds_of(const Runs& runs) {
  std::set<std::uint32_t> seeds;
  for (const ProfileRun* run : runs) seeds.insert(run->seed);
  return seeds;
}

Assumption enough_seeds(const Laws& laws) {
  const auto fewest = std::ranges::min_element(laws.versions, {}, &VersionLaw::seeds);
  return {std::string(kEnoughSeeds),
          fmt::format("each version on each number of nodes has at least {} seeds", kLawSeedsMin),
          fewest->seeds >= kLawSeedsMin,
          fmt::format("the fewest are {} ({})", fewest->seeds, name_of(*fewest))};
}

Assumption paired_seeds(const Problem& problem, const DataLaws& choice) {
  const Laws& laws = choice.laws;
  const std::set<std::uint32_t> first = seeds_of(runs_of_law(problem, choice, laws.versions[0]));
  std::string odd;
  for (const VersionLaw& law : laws.versions) {
    if (seeds_of(runs_of_law(problem, choice, law)) != first) odd = name_of(law);
  }
  return {"seeds are paired", "all versions were trained with the same seeds", odd.empty(),
          odd.empty() ? "they were"
                      : fmt::format("{} and {} were not", name_of(laws.versions[0]), odd)};
}

// Without a stuck seed the plan assumes no stuck runs. The plan states this assumption, because S
// seeds without a stuck one are compatible with a share of 1 / S.
Assumption nothing_stuck(const Setting& setting, const Schedule& schedule) {
  std::string found;
  bool passed = true;
  for (const Leg& leg : schedule) {
    const VersionLaw& law = setting.law_of(leg.variant);
    passed = passed && law.stuck_seeds == 0;
    found += fmt::format("{}{} of {} seeds of {} were stuck", found.empty() ? "" : ", ",
                         law.stuck_seeds, law.seeds, name_of(law));
    if (law.stuck_seeds > 0) {
      found += fmt::format(": the plan assumes that {:.1f} % of the runs never learn",
                           100 * law.stuck_share);
    }
  }
  return {"training does not get stuck", "no seed of the plan's versions failed to learn", passed,
          found};
}

// Whether the order of two seeds reverses, by more than noise, between a third of the passes and
// the end.
bool do_cross(const ProfileRun& a, const ProfileRun& b, double limit) {
  const std::uint32_t last = std::min(a.points.back().pass, b.points.back().pass);
  const auto gap = [&](std::uint32_t pass) {
    const auto x = std::ranges::find(a.points, pass, &CurvePoint::pass);
    const auto y = std::ranges::find(b.points, pass, &CurvePoint::pass);
    return x == a.points.end() || y == b.points.end() ? 0 : x->metric - y->metric;
  };
  const double early = gap((last + 2) / 3);
  const double late = gap(last);
  return early * late < 0 && std::min(std::abs(early), std::abs(late)) > limit;
}

Assumption curves_keep_order(const Problem& problem, const DataLaws& choice) {
  std::size_t pairs = 0;
  std::size_t crossed = 0;
  for (const VersionLaw& law : choice.laws.versions) {
    const Runs runs = not_stuck(runs_of_law(problem, choice, law));
    double top = law.metric_min;
    for (const ProfileRun* run : runs) {
      for (const CurvePoint& point : run->points) top = std::max(top, point.metric);
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (std::size_t j = i + 1; j < runs.size(); ++j) {
        pairs += 1;
        crossed += do_cross(*runs[i], *runs[j], kCrossingMin * (top - law.metric_min));
      }
    }
  }
  return {"curves do not cross",
          "a seed that is ahead after a third of the passes is also ahead at the end", crossed == 0,
          fmt::format("{} of {} pairs of seeds cross", crossed, pairs)};
}

Assumption curves_fit(const Laws& laws) {
  const auto worst = std::ranges::max_element(laws.versions, {}, &VersionLaw::fit_error);
  return {std::string(kCurvesFollowALaw),
          fmt::format("residual at most {:.0f} % of the drop", 100 * kFitErrorMax),
          worst->fit_error <= kFitErrorMax,
          fmt::format("{:.1f} % for {}", 100 * worst->fit_error, name_of(*worst))};
}

Assumption target_profiled(const Setting& setting, const Schedule& schedule, Metric metric) {
  const VersionLaw& last = setting.law_of(schedule.back().variant);
  const bool passed = last.metric_min <= setting.stop_metric;
  std::string found = fmt::format(
      "the best was {:.4g} ({} after {}), needed {:.4g}", shown_metric(metric, last.metric_min),
      name_of(last), counted(last.passes, "pass"), shown_metric(metric, setting.stop_metric));
  if (!passed) {
    const double passes = last.curve.progress(setting.stop_metric) / last.rate;
    found +=
        std::isfinite(passes)
            ? fmt::format(": extrapolated to about {:.0f} passes", std::ceil(passes))
            : ": its mean curve does not reach it, so only runs and passes that are better than "
              "the mean do";
  }
  return {"target was profiled", "some profiled run of the last version reached the stop metric",
          passed, found};
}

Assumption switches_measured(const Setting& setting, const Schedule& schedule) {
  std::string guessed;
  for (std::size_t i = 1; i < schedule.size(); ++i) {
    const VersionLaw& from = setting.law_of(schedule[i - 1].variant);
    const VersionLaw& to = setting.law_of(schedule[i].variant);
    if (from.rank == to.rank || setting.laws.switches[from.rank][to.rank].measured) continue;
    guessed =
        fmt::format("{} to {} was not: a conservative jump was used", from.version, to.version);
  }
  return {"switches were measured", "each switch of the plan is in the profile", guessed.empty(),
          guessed.empty() ? "they are" : guessed};
}

bool counts_are_profiled(const Setting& setting, const Schedule& schedule) {
  return std::ranges::all_of(schedule, [&](const Leg& leg) {
    return setting.variants[leg.variant].nodes == setting.law_of(leg.variant).workers;
  });
}

Assumption counts_missing(const Setting& setting, const Schedule& schedule) {
  const Variant& variant = setting.variants[schedule.back().variant];
  return {"number of nodes was profiled", "each block runs on as many nodes as were profiled",
          false,
          fmt::format("a block runs on {}, fewer than any profiled run: the plan uses the curve of "
                      "{}, with longer passes",
                      counted(variant.nodes, "node"),
                      name_of(setting.law_of(schedule.back().variant)))};
}

std::uint32_t fewest_seeds(const Setting& setting, const Schedule& schedule) {
  std::uint32_t fewest = UINT32_MAX;
  for (const Leg& leg : schedule) fewest = std::min(fewest, setting.law_of(leg.variant).seeds);
  return fewest;
}

Assumption support(double lower, double probability, double confidence, std::size_t seeds) {
  return {std::string(kProfileSupportsThePromise),
          fmt::format("with confidence {:.4g} the probability is at least {:.4g} %", confidence,
                      100 * probability),
          lower >= probability,
          fmt::format("at least {:.1f} % from {}", 100 * lower, counted(seeds, "seed"))};
}

Assumption between_profiled(const DataLaws& choice) {
  const Laws& less = choice.measured.front();
  const Laws& more = choice.measured.back();
  std::string slower;
  for (const VersionLaw& law : more.versions) {
    const auto same = std::ranges::find_if(less.versions, [&](const VersionLaw& other) {
      return other.version == law.version && other.workers == law.workers;
    });
    if (same == less.versions.end()) continue;
    const double level = std::max(law.metric_supported, same->metric_supported);
    const double passes = law.curve.progress(level) / law.rate;
    if (passes > (1 + kSlowerMax) * same->curve.progress(level) / same->rate) {
      slower = name_of(law);
    }
  }
  return {"learning changes evenly with data", "more data need no more passes", slower.empty(),
          fmt::format(
              "the plan uses {:.0f} % of the samples, and the profile measured {:.0f} % and "
              "{:.0f} % of them{}",
              100 * choice.data.fraction, 100 * less.data_fraction, 100 * more.data_fraction,
              slower.empty() ? "" : fmt::format("; {} needs more passes with more data", slower))};
}

Assumption rest_is_alike(const DataChoice& data) {
  return {"data that are left out are like the rest",
          fmt::format("labels differ by at most {:g} (total variation)", kLabelDistanceMax),
          data.label_distance <= kLabelDistanceMax, fmt::format("{:.3f}", data.label_distance)};
}

}  // namespace

std::vector<Assumption> check_assumptions(const Problem& problem, const Setting& setting,
                                          const DataLaws& choice, const Schedule& schedule,
                                          double probability_lower, const Promise& promise) {
  std::vector<Assumption> result;
  result.push_back(enough_seeds(setting.laws));
  if (setting.laws.versions.size() > 1) result.push_back(paired_seeds(problem, choice));
  result.push_back(nothing_stuck(setting, schedule));
  result.push_back(curves_keep_order(problem, choice));
  result.push_back(curves_fit(setting.laws));
  if (!schedule.empty()) result.push_back(target_profiled(setting, schedule, promise.metric));
  if (schedule.size() > 1) {
    result.push_back(switches_measured(setting, schedule));
  }
  if (!counts_are_profiled(setting, schedule)) {
    result.push_back(counts_missing(setting, schedule));
  }
  if (choice.measured.size() > 1) result.push_back(between_profiled(choice));
  if (choice.data.fraction < 1) result.push_back(rest_is_alike(choice.data));
  result.push_back(support(probability_lower, setting.probability, promise.confidence,
                           schedule.empty() ? 0 : fewest_seeds(setting, schedule)));
  return result;
}

}  // namespace surety::plan
