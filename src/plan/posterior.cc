#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.h"
#include "plan/profile_fit.h"

namespace surety::plan {
namespace {

// The drawn seeds' curves under new numbers, so that a seed drawn twice counts twice.
Profile redraw(const Profile& profile, const std::vector<std::uint32_t>& drawn) {
  Profile result;
  result.nodes = profile.nodes;
  result.links = profile.links;
  result.switches = profile.switches;
  for (std::uint32_t i = 0; i < drawn.size(); ++i) {
    for (CurvePoint point : profile.curves) {
      if (point.seed != drawn[i]) continue;
      point.seed = i;
      result.curves.push_back(point);
    }
  }
  return result;
}

// Sum of squares of `degrees` standard normals.
double draw_chi_square(std::size_t degrees, Random& random) {
  double sum = 0;
  for (std::size_t i = 0; i < degrees; ++i) sum += std::pow(random.normal(), 2);
  return sum;
}

void draw_run_effect(const Laws& laws, double drawn_mean, Laws& draw, Random& random) {
  static constexpr double kRunEffectMax = 1;
  const std::size_t seeds = laws.seed_effects.size();
  double spread = laws.effect_variance;
  if (seeds >= 2) {
    const double degrees = static_cast<double>(seeds - 1);
    spread *= degrees / std::max(draw_chi_square(seeds - 1, random), 1e-3 * degrees);
  }
  spread = std::min(spread, kRunEffectMax * kRunEffectMax);
  draw.run_effect = std::sqrt(std::max(spread - laws.effect_error, 0.0));
  const double shift =
      std::sqrt(spread / static_cast<double>(seeds)) * random.normal() - drawn_mean;
  for (VersionLaw& law : draw.versions) law.rate *= std::exp(shift);
}

// A version that the drawn seeds did not train keeps its law: an unpaired profile.
bool covers(const std::vector<std::string>& versions, const Profile& profile, double fraction) {
  const std::vector<double> fractions = data_fractions(versions, profile);
  return std::binary_search(fractions.begin(), fractions.end(), fraction);
}

}  // namespace

std::vector<Laws> posterior_draws(const std::vector<std::string>& versions, const Profile& profile,
                                  const Laws& laws, const FitOptions& options, std::uint32_t draws,
                                  std::uint64_t seed) {
  std::vector<std::uint32_t> seeds;
  double centre = 0;
  for (const auto& [number, effect] : laws.seed_effects) {
    seeds.push_back(number);
    centre += effect / static_cast<double>(laws.seed_effects.size());
  }
  std::vector<Laws> result;
  const Random parent(seed);
  for (std::uint32_t i = 0; i < draws; ++i) {
    Random random = parent.fork("posterior", i);
    std::vector<std::uint32_t> drawn;
    double drawn_mean = -centre;
    for (std::size_t s = 0; s < seeds.size(); ++s) {
      drawn.push_back(seeds[random.below(seeds.size())]);
      drawn_mean += laws.seed_effects.at(drawn.back()) / static_cast<double>(seeds.size());
    }
    const Profile again = redraw(profile, drawn);
    Laws draw = laws;
    if (covers(versions, again, laws.data_fraction)) {
      draw = fit_laws(versions, again, laws.data_fraction, options);
    } else {
      drawn_mean = 0;
    }
    draw_run_effect(laws, drawn_mean, draw, random);
    result.push_back(std::move(draw));
  }
  return result;
}

}  // namespace surety::plan
