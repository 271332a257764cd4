#include "plan/laws/profile_check.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "plan/laws/profile_fit.h"

namespace surety::plan {
namespace {

bool is_time(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

Result<void> check_point(const CurvePoint& point) {
  const auto wrong = [&](const char* field, double found, const char* expected) {
    return fail(ErrorCode::kInvalidInput,
                "profile: {} seed {} pass {}: {}: found {:.4g}, expected {}", point.version,
                point.seed, point.pass, field, found, expected);
  };
  if (!std::isfinite(point.metric)) return wrong("metric", point.metric, "a finite number");
  if (!is_time(point.metric_se)) return wrong("metric_se", point.metric_se, "at least 0");
  if (!is_time(point.seconds)) return wrong("seconds", point.seconds, "at least 0");
  if (!is_time(point.eval_seconds)) return wrong("eval_seconds", point.eval_seconds, "at least 0");
  if (!(point.data_fraction > 0 && point.data_fraction <= 1)) {
    return wrong("data_fraction", point.data_fraction, "above 0 and at most 1");
  }
  if (point.pass > 0 && point.workers == 0) return wrong("workers", 0, "at least 1");
  return {};
}

constexpr std::uint32_t kPassesAfterMax = 1'000'000;
constexpr double kStartMaxS = 1e9;

Result<void> check_switch(const SwitchPoint& point) {
  if (std::isfinite(point.metric_before) && std::isfinite(point.metric_after) &&
      is_time(point.seconds) && point.passes_after <= kPassesAfterMax) {
    return {};
  }
  return fail(ErrorCode::kInvalidInput,
              "profile: switch {} to {} seed {}: found {:.4g} before, {:.4g} after {} passes, "
              "{:.4g} s, expected finite metrics, at most {} passes, and a time",
              point.from, point.to, point.seed, point.metric_before, point.metric_after,
              point.passes_after, point.seconds, kPassesAfterMax);
}

}  // namespace

Result<void> check_profile(const std::vector<std::string>& versions, const Profile& profile) {
  if (profile.curves.empty()) {
    return fail(
        ErrorCode::kInvalidInput,
        "profile: found no curve: measure every version for some passes first (surety profile)");
  }
  // A seed may have runs on several numbers of workers, but the same point twice is a mistake.
  std::set<
      std::tuple<std::string, double, std::uint32_t, std::uint32_t, std::uint32_t, double, double>>
      seen;
  for (const CurvePoint& point : profile.curves) {
    SURETY_TRY(check_point(point));
    if (point.pass == 0) continue;  // Untrained models are the same on any number of workers.
    if (!seen.emplace(point.version, point.data_fraction, point.seed, point.pass, point.workers,
                      point.metric, point.seconds)
             .second) {
      return fail(ErrorCode::kInvalidInput,
                  "profile: {} seed {} data fraction {}: pass {} is listed twice", point.version,
                  point.seed, point.data_fraction, point.pass);
    }
  }
  for (const SwitchPoint& point : profile.switches) SURETY_TRY(check_switch(point));
  for (const StartTime& start : profile.starts) {
    for (const auto& [name, seconds] :
         {std::pair{"seconds", start.seconds}, std::pair{"paid_seconds", start.paid_seconds}}) {
      if (seconds >= 0 && seconds <= kStartMaxS) continue;
      return fail(ErrorCode::kInvalidInput,
                  "profile: start with {} workers: {}: found {:.4g}, expected from 0 to {:.4g}",
                  start.workers, name, seconds, kStartMaxS);
    }
  }
  for (const std::string& version : versions) {
    std::set<std::uint32_t> passes;
    for (const CurvePoint& point : profile.curves) {
      if (point.version == version) passes.insert(point.pass);
    }
    if (passes.empty()) {
      return fail(ErrorCode::kInvalidInput,
                  "profile: found no curve for version {}: measure it, or remove it from the job",
                  version);
    }
    if (passes.size() < 2 || *passes.rbegin() == 0) {
      return fail(ErrorCode::kInvalidInput,
                  "profile: version {}: found 1 pass, expected at least 2 different ones: one "
                  "point does not show how it learns; raise profile.passes",
                  version);
    }
  }
  if (data_fractions(versions, runs_of(profile)).empty()) {
    return fail(ErrorCode::kInvalidInput,
                "profile: found no data fraction on which every version was measured for 2 passes");
  }
  return {};
}

std::vector<double> data_fractions(const std::vector<std::string>& versions,
                                   const std::vector<ProfileRun>& runs) {
  std::set<double> fractions;
  for (const ProfileRun& run : runs) fractions.insert(run.data_fraction);
  std::vector<double> complete;
  for (const double fraction : fractions) {
    const bool all = std::ranges::all_of(versions, [&](const std::string& version) {
      return !runs_by_workers(runs, version, fraction).empty();
    });
    if (all) complete.push_back(fraction);
  }
  return complete;
}

}  // namespace surety::plan
