#include "plan/certify.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/random.h"
#include "plan/calibrate.h"

namespace surety::plan {

double lower_probability(const Problem& problem, const Goal& goal, double confidence,
                         const Solution& solution) {
  const DataLaws& choice = problem.choices[solution.choice];
  const PlanOptions& options = problem.options;
  const std::uint32_t draws = std::clamp<std::uint32_t>(options.simulated_runs / 50, 10, 60);
  const std::uint32_t runs = std::max<std::uint32_t>(options.simulated_runs / 8, 50);
  Setting setting = make_setting(problem, choice, goal);
  std::vector<double> probabilities;
  for (Laws& laws : draw_laws(problem, choice, draws, mix64(options.seed ^ 0x64726177ull))) {
    setting.laws = std::move(laws);
    probabilities.push_back(
        simulate(setting, solution.schedule, {.seed = mix64(options.seed), .runs = runs})
            .probability);
  }
  return std::min({percentile_of(std::move(probabilities), confidence),
                   solution.outcome.probability, most_supported(fewest_seeds(choice.laws))});
}

std::uint32_t fewest_seeds(const Laws& laws) {
  return std::ranges::min_element(laws.versions, {}, &VersionLaw::seeds)->seeds;
}

double most_supported(std::uint32_t seeds) { return seeds > 0 ? std::pow(0.5, 1.0 / seeds) : 0; }

std::uint32_t seeds_to_support(double probability) { return seeds_needed(probability, 0.5); }

std::uint32_t seeds_needed(double probability, double confidence) {
  SURETY_CHECK(probability > 0 && probability < 1 && confidence > 0 && confidence < 1);
  const double seeds = std::ceil(std::log(1 - confidence) / std::log(probability) - 1e-9);
  return static_cast<std::uint32_t>(std::clamp(seeds, 1.0, 1e9));
}

}  // namespace surety::plan
