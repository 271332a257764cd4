#include "orchestrator/stages/time_reserve.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace surety::orchestrator {
namespace {

// A start takes longer if the machine has other work or if libraries are read from the disk. One
// measurement does not show how much longer.
constexpr double kStartFactor = 2;

// Loading takes hardly more than a second. But if the deadline is as short as that, or the budget
// pays for hardly more, something must remain for training.
constexpr double kLoadS = 1;
constexpr double kLoadShare = 0.1;

// Evaluations that are reserved for the only one at the end.
constexpr double kEvaluations = 3;

double load_reserve_s(double deadline_s) { return std::min(kLoadS, kLoadShare * deadline_s); }

}  // namespace

double certify_reserve_s(double evaluation_s, double deadline_s) {
  return load_reserve_s(deadline_s) + kEvaluations * evaluation_s;
}

double certify_reserve_cost(double evaluation_s, double deadline_s, double price_per_s,
                            double budget) {
  return std::min(load_reserve_s(deadline_s) * price_per_s, kLoadShare * budget) +
         kEvaluations * evaluation_s * price_per_s;
}

double budget_for_training(double training_cost, double evaluation_s, double deadline_s,
                           double price_per_s) {
  const double needed = training_cost + kEvaluations * evaluation_s * price_per_s;
  return needed +
         std::min(load_reserve_s(deadline_s) * price_per_s, kLoadShare / (1 - kLoadShare) * needed);
}

double start_cost(const plan::Profile& profile, double price_per_s) {
  double paid_s = 0;
  for (const plan::StartTime& start : profile.starts) paid_s = std::max(paid_s, start.paid_seconds);
  return kStartFactor * paid_s * price_per_s;
}

double longest_evaluation_s(const plan::Profile& profile) {
  double longest = 0;
  for (const plan::CurvePoint& point : profile.curves) {
    longest = std::max(longest, point.eval_seconds);
  }
  return longest;
}

double outside_training_s(const plan::Profile& profile, double deadline_s) {
  double start_s = 0;
  for (const plan::StartTime& start : profile.starts) start_s = std::max(start_s, start.seconds);
  return kStartFactor * start_s + certify_reserve_s(longest_evaluation_s(profile), deadline_s);
}

double lowest_price(const plan::Instance& instance, const plan::Profile& profile) {
  std::uint32_t left = 1;
  for (const plan::StartTime& start : profile.starts) left = std::max(left, start.workers);
  for (const plan::CurvePoint& point : profile.curves) left = std::max(left, point.workers);
  std::vector<plan::NodeType> types = instance.nodes;
  std::ranges::sort(types, std::less(), &plan::NodeType::price_per_s);
  double sum = 0;
  for (const plan::NodeType& type : types) {
    const std::uint32_t taken = std::min(left, type.count);
    sum += taken * type.price_per_s;
    left -= taken;
  }
  return sum;
}

}  // namespace surety::orchestrator
