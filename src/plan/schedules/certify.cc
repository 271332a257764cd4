#include "plan/schedules/certify.h"

#include <algorithm>

#include "base/random.h"
#include "base/statistics.h"
#include "plan/decision/simulate.h"
#include "plan/plan_options.h"
#include "plan/problem/problem.h"
#include "plan/support.h"

namespace surety::plan {

double percentile_probability(const Problem& problem, const Goal& goal, double confidence,
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
  return std::min(percentile_of(std::move(probabilities), confidence),
                  solution.outcome.probability);
}

double supported_probability(double percentile, const Laws& laws) {
  return std::min(percentile, most_supported(fewest_seeds(laws)));
}

}  // namespace surety::plan
