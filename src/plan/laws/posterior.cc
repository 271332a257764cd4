#include "plan/laws/posterior.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "base/statistics.h"

namespace surety::plan {
namespace {

// Sum of squares of `degrees` standard normals.
double draw_chi_square(std::size_t degrees, Random& random) {
  double sum = 0;
  for (std::size_t i = 0; i < degrees; ++i) sum += std::pow(random.normal(), 2);
  return sum;
}

// One draw: new seeds for each law, then the run effect.
class Draw {
 public:
  Draw(const std::vector<std::string>& versions, const std::vector<ProfileRun>& runs,
       const Laws& laws, std::uint32_t seeds_factor, Random random)
      : versions_(versions),
        runs_(runs),
        laws_(laws),
        seeds_factor_(seeds_factor),
        random_(random) {}

  Laws make(const std::vector<SwitchPoint>& switches, FitOptions options) {
    options.near = &laws_;
    std::vector<ProfileRun> again;
    for (const std::string& version : versions_) {
      for (const auto& [workers, all] : runs_by_workers(runs_, version, laws_.data_fraction)) {
        redraw(not_stuck(all), again);
      }
    }
    Laws draw = fit_laws(versions_, again, switches, laws_.data_fraction, options);
    draw_run_effect(draw);
    for (std::size_t i = 0; i < draw.versions.size(); ++i) {
      VersionLaw& law = draw.versions[i];
      const VersionLaw& fitted = laws_.versions[i];
      law.metric_supported = fitted.metric_supported;
      // Jitter that is caused only by drawing seeds twice does not occur in real runs. The policy
      // assumes no such jitter, and would be misled by it.
      if (!(fitted.jitter > 0)) law.jitter = 0;
      law.stuck_share = draw_stuck_share(fitted);
    }
    return draw;
  }

 private:
  // Gives the drawn runs new seeds, so that a seed drawn twice counts twice.
  void redraw(const Runs& runs, std::vector<ProfileRun>& again) {
    std::vector<std::uint32_t> seeds;
    for (const ProfileRun* run : runs) seeds.push_back(run->seed);
    auto [it, fresh] = drawn_.try_emplace(seeds);
    if (fresh) {
      for (std::size_t i = 0; i < seeds.size() * seeds_factor_; ++i)
        it->second.push_back(random_.below(seeds.size()));
    }
    double mean_shift = 0;  // Mean log rate of the drawn seeds; the pivot replaces it.
    for (std::size_t i = 0; i < it->second.size(); ++i) {
      const std::size_t pick = it->second[i];
      mean_shift +=
          laws_.seed_effects.at(seeds[pick]) - laws_.seed_effects.at(seeds[i % seeds.size()]);
      again.push_back(*runs[pick]);
      again.back().seed = static_cast<std::uint32_t>(i);
    }
    mean_shifts_.push_back(mean_shift / static_cast<double>(it->second.size()));
    seeds_.push_back(it->second.size());
  }

  void draw_run_effect(Laws& draw) {
    static constexpr double kRunEffectMax = 1;
    const std::size_t seeds = *std::max_element(seeds_.begin(), seeds_.end());
    double spread = laws_.effect_variance;
    if (seeds >= 2) {
      const auto degrees = static_cast<double>(seeds - 1);
      spread *= degrees / std::max(draw_chi_square(seeds - 1, random_), 1e-3 * degrees);
    }
    spread = std::min(spread, kRunEffectMax * kRunEffectMax);
    draw.run_effect = std::sqrt(std::max(spread - laws_.effect_error, 0.0));
    const double z = random_.normal();  // One number for all laws, because the seeds are paired.
    for (std::size_t i = 0; i < draw.versions.size(); ++i) {
      const double error = std::sqrt(spread / static_cast<double>(seeds_[i]));
      draw.versions[i].rate *= std::exp(error * z - mean_shifts_[i]);
    }
  }

  double draw_stuck_share(const VersionLaw& law) {
    if (law.stuck_seeds == 0) return 0;
    const std::uint32_t more = seeds_factor_;
    const double stuck = draw_chi_square(2 * more * law.stuck_seeds + 1, random_);
    const double well = draw_chi_square(2 * more * (law.seeds - law.stuck_seeds) + 1, random_);
    return stuck / (stuck + well);
  }

  const std::vector<std::string>& versions_;
  const std::vector<ProfileRun>& runs_;
  const Laws& laws_;
  std::uint32_t seeds_factor_;
  Random random_;
  std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> drawn_;  // Filled by redraw().
  std::vector<double> mean_shifts_;  // One entry for each law; filled by redraw().
  std::vector<std::size_t> seeds_;   // One entry for each law; filled by redraw().
};

}  // namespace

std::vector<Laws> posterior_draws(const std::vector<std::string>& versions,
                                  const std::vector<ProfileRun>& runs,
                                  const std::vector<SwitchPoint>& switches, const Laws& laws,
                                  const FitOptions& options, std::uint32_t draws,
                                  std::uint64_t seed, std::uint32_t seeds_factor) {
  SURETY_CHECK(seeds_factor >= 1);
  std::vector<Laws> result;
  const Random parent(seed);
  for (std::uint32_t i = 0; i < draws; ++i) {
    result.push_back(Draw(versions, runs, laws, seeds_factor, parent.fork("posterior", i))
                         .make(switches, options));
  }
  return result;
}

}  // namespace surety::plan
