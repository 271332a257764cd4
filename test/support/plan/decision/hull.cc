#include "test/support/plan/decision/hull.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "test/support/plan/decision/sweep.h"

namespace surety::plan {
namespace {

// Relative distance below which a policy is on the line through the two others.
constexpr double kSameLine = 1e-9;
constexpr std::uint32_t kSweepsMax = 60;

double expect(const std::vector<double>& chances, const Table& table, std::size_t variant) {
  double sum = 0;
  for (std::size_t l = 0; l < chances.size(); ++l) {
    if (chances[l] > 0) sum += chances[l] * table.at(0, variant, l);
  }
  return sum;
}

// Finds the frontier by its supporting lines.
class Frontier {
 public:
  Frontier(const Mdp& mdp, const std::vector<MdpStart>& starts, const MaxSuccess* mask,
           const MaskOptions& options)
      : mdp_(mdp), starts_(starts), mask_(mask), options_(options) {
    SURETY_CHECK(!starts.empty());
  }

  [[nodiscard]] FrontierPoint at(double lambda) {
    ++sweeps_;
    const Sweep best = sweep(mdp_, lambda, mask_, options_);
    FrontierPoint point{lambda, 0, std::numeric_limits<double>::infinity()};
    double value = std::numeric_limits<double>::infinity();
    for (const MdpStart& start : starts_) {
      if (!can_run(mdp_, start.variant, 0) || !is_admissible(start)) continue;
      const double p = expect(start.levels, best.next_pass_probability, start.variant);
      const double cost = start.cost + expect(start.levels, best.next_pass_cost, start.variant);
      if (cost - lambda * p >= value) continue;
      value = cost - lambda * p;
      point.probability = p;
      point.cost = cost;
    }
    return point;
  }

  // More than any success can cost here, but so small that costs are not lost in rounding.
  [[nodiscard]] double lambda_max() const {
    double cost = 0;
    for (const MdpVariant& variant : mdp_.variants) {
      cost = std::max(cost, variant.cost * mdp_.ticks);
    }
    return 1e4 * std::max(cost, 1e-9);
  }

  [[nodiscard]] std::uint32_t sweeps() const { return sweeps_; }

 private:
  // Beginning with a variant that cannot reach the target is also sabotage.
  [[nodiscard]] bool is_admissible(const MdpStart& start) const {
    if (mask_ == nullptr) return true;
    double most = 0;
    for (const MdpStart& other : starts_) {
      most = std::max(most, expect(other.levels, mask_->next_pass_probability, other.variant));
    }
    return expect(start.levels, mask_->next_pass_probability, start.variant) >=
           options_.kappa * most;
  }

  const Mdp& mdp_;
  const std::vector<MdpStart>& starts_;
  const MaxSuccess* mask_;
  const MaskOptions& options_;
  std::uint32_t sweeps_ = 0;
};

}  // namespace

Hull hull(const Mdp& mdp, const std::vector<MdpStart>& starts, double omega, const MaxSuccess* mask,
          const MaskOptions& options) {
  Frontier frontier(mdp, starts, mask, options);
  Hull result;
  result.high = frontier.at(frontier.lambda_max());
  result.low = frontier.at(0);
  result.is_feasible = result.high.probability >= omega;
  result.cost_at_omega = result.high.cost;
  if (result.low.probability >= omega) {
    result.high = result.low;
    result.cost_at_omega = result.low.cost;
  } else if (result.is_feasible) {
    // The slope of the line through both ends is the next multiplier. A policy below the line
    // replaces the end on its side of omega. When there is none, the line is an edge of the hull.
    while (frontier.sweeps() < kSweepsMax) {
      const double lambda =
          (result.high.cost - result.low.cost) / (result.high.probability - result.low.probability);
      const FrontierPoint point = frontier.at(lambda);
      const double line = result.low.cost - lambda * result.low.probability;
      if (point.cost - lambda * point.probability >= line - kSameLine * (1 + std::abs(line))) break;
      (point.probability >= omega ? result.high : result.low) = point;
    }
    const double span = result.high.probability - result.low.probability;
    const double share = span > 0 ? (omega - result.low.probability) / span : 1;
    result.cost_at_omega = result.low.cost + share * (result.high.cost - result.low.cost);
  }
  result.sweeps = frontier.sweeps();
  return result;
}

}  // namespace surety::plan
