#include "plan/closed_loop/calibrate.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "base/random.h"
#include "base/statistics.h"

namespace surety::plan {
namespace {

constexpr double kStep = 4;  // Factor between rungs of the ladder.
constexpr int kRungs = 6;    // The highest rung is 16 times the cost of the most expensive run.
constexpr double kLowest = 1.0 / 64;

// Each world has its own random numbers, so that chance averages out over the worlds.
Outcome in_world(std::span<const Setting> worlds, std::size_t world, const ClosedLoop& policy,
                 const CalibrateOptions& options, std::uint32_t first, std::uint32_t runs) {
  return simulate(worlds[world], policy,
                  {.seed = mix64(options.seed + world), .runs = runs, .first_run = first});
}

// Policies by lambda; each is solved and simulated once.
class Ladder {
 public:
  Ladder(const std::shared_ptr<const ClosedLoopModel>& model, double omega,
         std::span<const Setting> worlds, const CalibrateOptions& options)
      : model_(model), omega_(omega), worlds_(worlds), options_(options) {}

  struct Rung {
    std::shared_ptr<const ClosedLoop> policy;
    Outcome outcome;
    std::optional<bool> supported;
    std::optional<Outcome> again;
  };

  Rung& at(double lambda) {
    auto [it, fresh] = rungs_.try_emplace(lambda);
    if (fresh) {
      it->second.policy = std::make_shared<ClosedLoop>(model_, lambda);
      it->second.outcome = simulate(model_->setting(), *it->second.policy,
                                    {.seed = options_.seed, .runs = options_.runs});
    }
    return it->second;
  }

  bool keeps(double lambda) { return at(lambda).outcome.probability >= omega_; }

  // Stops as soon as too many worlds have failed.
  bool is_supported(double lambda) {
    if (!keeps(lambda)) return false;
    Rung& rung = at(lambda);
    if (!rung.supported) {
      const std::size_t most = may_fail(worlds_.size(), options_.confidence);
      std::size_t failed = 0;
      for (std::size_t i = 0; i < worlds_.size() && failed <= most; ++i) {
        failed += keeps_in_world(*rung.policy, i) ? 0 : 1;
      }
      rung.supported = failed <= most;
    }
    return *rung.supported;
  }

  const Outcome& again(double lambda) {
    Rung& rung = at(lambda);
    if (!rung.again) {
      rung.again = simulate(model_->setting(), *rung.policy,
                            {.seed = options_.again->seed, .runs = options_.again->runs});
    }
    return *rung.again;
  }

  bool keeps_again(double lambda) { return !options_.again || again(lambda).probability >= omega_; }

  // The least multiplier among those tried, from this one on, whose policy keeps the promise in the
  // second simulation. Returns `lambda` if there is none.
  double climb(double lambda) {
    for (auto it = rungs_.find(lambda); it != rungs_.end(); ++it) {
      if (keeps_again(it->first)) return it->first;
    }
    return lambda;
  }

  [[nodiscard]] std::vector<Calibration::Tried> tried() const {
    std::vector<Calibration::Tried> result;
    for (const auto& [lambda, rung] : rungs_) {
      result.push_back({lambda, rung.outcome.probability, rung.outcome.cost_mean});
    }
    return result;
  }

 private:
  // Simulates in stages, because most worlds are clear after a few runs.
  [[nodiscard]] bool keeps_in_world(const ClosedLoop& policy, std::size_t world) const {
    static constexpr double kClearSds = 3;
    double successes = 0;
    std::uint32_t runs = 0;
    while (runs < options_.world_runs) {
      const std::uint32_t more = std::min(std::max(runs, 50u), options_.world_runs - runs);
      successes += in_world(worlds_, world, policy, options_, runs, more).probability * more;
      runs += more;
      const double off = successes / runs - omega_;
      if (std::abs(off) > kClearSds * std::sqrt(omega_ * (1 - omega_) / runs)) return off > 0;
    }
    return successes / runs >= omega_;
  }

  const std::shared_ptr<const ClosedLoopModel>& model_;
  double omega_;
  std::span<const Setting> worlds_;
  const CalibrateOptions& options_;
  std::map<double, Rung> rungs_;  // Filled by at().
};

// The rungs in ascending order.
std::vector<double> rungs_of(const ClosedLoopModel& model) {
  std::vector<double> lambdas{0};
  double lambda = std::max(model.cost_max(), 1e-9) * kLowest;
  for (int i = 0; i < kRungs; ++i, lambda *= kStep) lambdas.push_back(lambda);
  return lambdas;
}

}  // namespace

Calibration calibrate(const std::shared_ptr<const ClosedLoopModel>& model, double omega,
                      std::span<const Setting> worlds, const CalibrateOptions& options) {
  Ladder ladder(model, omega, worlds, options);
  const std::vector<double> lambdas = rungs_of(*model);
  // Moves from the most dependable policy to less dependable ones while the promise is kept. So all
  // policies above the chosen one keep it.
  std::size_t lowest = lambdas.size();
  while (lowest > 0 && ladder.is_supported(lambdas[lowest - 1])) --lowest;
  double chosen = lambdas.back();
  if (lowest < lambdas.size()) {
    chosen = lambdas[lowest];
    double failing = lowest > 0 ? lambdas[lowest - 1] : chosen;
    for (std::uint32_t i = 0; i < options.refinements && lowest > 1; ++i) {
      const double middle = std::sqrt(failing * chosen);
      (ladder.is_supported(middle) ? chosen : failing) = middle;
    }
    chosen = ladder.climb(chosen);
  }  // Otherwise the most dependable policy comes closest.
  Calibration result;
  result.policy = ladder.at(chosen).policy;
  result.outcome = ladder.at(chosen).outcome;
  result.keeps = ladder.keeps(chosen);
  result.supported = ladder.is_supported(chosen);
  if (options.again) result.again = ladder.again(chosen);
  result.tried = ladder.tried();
  return result;
}

bool can_calibrate(const std::shared_ptr<const ClosedLoopModel>& model, double omega,
                   std::span<const Setting> worlds, const CalibrateOptions& options) {
  Ladder ladder(model, omega, worlds, options);
  const double most = rungs_of(*model).back();
  return ladder.is_supported(most) && ladder.keeps_again(most);
}

double percentile_of_worlds(const ClosedLoop& policy, std::span<const Setting> worlds,
                            const CalibrateOptions& options) {
  std::vector<double> probabilities;
  for (std::size_t i = 0; i < worlds.size(); ++i) {
    probabilities.push_back(
        in_world(worlds, i, policy, options, 0, options.world_runs).probability);
  }
  return percentile_of(std::move(probabilities), options.confidence);
}

Recalibration recalibrate(const std::shared_ptr<const ClosedLoopModel>& model, double lambda,
                          const MidRunState& here) {
  static constexpr std::uint32_t kRuns = 400;
  static constexpr double kMore = kStep * kStep;
  const auto try_it = [&](double trial) {
    Recalibration recalibrated{std::make_shared<const ClosedLoop>(model, trial), 0};
    recalibrated.probability =
        simulate(model->setting(), *recalibrated.policy, {.seed = 1, .runs = kRuns, .from = here})
            .probability;
    return recalibrated;
  };
  const auto keeps = [&](const Recalibration& recalibrated) {
    return recalibrated.probability >= model->setting().probability;
  };
  Recalibration least = try_it(lambda);
  if (keeps(least)) return least;
  // The largest lambda is tried first: if it is not enough, no smaller one is.
  Recalibration most = try_it(lambda * kMore * kMore);
  if (!keeps(most)) return most.probability > least.probability ? most : least;
  Recalibration middle = try_it(lambda * kMore);
  return keeps(middle) ? middle : most;
}

}  // namespace surety::plan
