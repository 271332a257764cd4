#include "plan/belief/earlier_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace surety::plan {
namespace {

// Least correlation that is assumed between attempts of similar jobs.
constexpr double kAlike = 0.1;
constexpr std::uint32_t kJobsMin = 2;  // One job does not show how jobs differ.

}  // namespace

EarlierCounts::EarlierCounts(std::vector<CountedAttempt> attempts,
                             std::vector<AllottedPasses> allotted, double confidence)
    : attempts_(std::move(attempts)), allotted_(std::move(allotted)), confidence_(confidence) {}

bool EarlierCounts::covers(const OngoingAttempt& current) const {
  return current.version < allotted_.size() && current.passes < allotted_[current.version].passes;
}

Counts EarlierCounts::counts(const OngoingAttempt& current) const {
  const AllottedPasses& allotted = allotted_[current.version];
  return count(attempts_, allotted.version, {current.target, current.probability}, current.passes,
               allotted.passes);
}

std::uint32_t EarlierCounts::room(const OngoingAttempt& current) const {
  const std::uint32_t passes = allotted_[current.version].passes;
  const double rest_s = current.seconds_left - (passes - current.passes) * current.pass_s;
  if (rest_s < 0) return 0;
  const double more = rest_s / (current.start_s + passes * current.pass_s);
  return 1 + static_cast<std::uint32_t>(std::min(more, 1e6));
}

std::optional<CountedPromise> EarlierCounts::promise(const OngoingAttempt& current,
                                                     double probability) const {
  if (!covers(current) || current.passes != 1) return std::nullopt;
  const Counts found = counts(current);
  const std::uint32_t all = found.good + found.failed;
  if (all < kJobsMin) return std::nullopt;
  const double share = good_share(found.good, found.failed, confidence_);
  const std::uint32_t attempts = room(current);
  const double kept = one_is_good(share, attempts, kAlike);
  if (kept < probability) return std::nullopt;
  const AllottedPasses& allotted = allotted_[current.version];
  return CountedPromise{
      kept, fmt::format(
                "by counts: of the first attempts with {} of {} earlier jobs on these data, with "
                "different seeds, {} reached the target within {} passes; so at least {:.1f} % of "
                "such attempts reach it (confidence {:.0f} %), and with the time for {} attempts "
                "at least one reaches it with a probability of {:.1f} %, if attempts are "
                "correlated by {}; not covered: a slower machine, and another division of the data",
                allotted.version, all, found.good, allotted.passes, 100 * share, 100 * confidence_,
                attempts, 100 * kept, kAlike)};
}

bool EarlierCounts::forbids(const OngoingAttempt& current, double probability) const {
  if (!covers(current)) return false;
  const Counts found = counts(current);
  const double most = 1 - good_share(found.hopeless, found.good, confidence_);
  return one_is_good(most, room(current), 0) < probability;
}

}  // namespace surety::plan
