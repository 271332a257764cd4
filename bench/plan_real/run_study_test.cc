#include "run_study.h"

#include <gtest/gtest.h>

#include "measure_profile.h"

namespace surety::bench {
namespace run_study_test {

plan::Profile profile_of(const std::vector<std::vector<double>>& seeds) {
  plan::Profile profile;
  for (std::uint32_t seed = 0; seed < seeds.size(); ++seed) {
    for (std::uint32_t pass = 0; pass < seeds[seed].size(); ++pass) {
      profile.curves.push_back({"full", seed, 1, pass, seeds[seed][pass], 0, 1, 0, 1});
    }
  }
  return profile;
}

TEST(MedianPassesTo, IsWhereTheMiddleSeedCrosses) {
  const plan::Profile profile = profile_of({{3, 2, 1, 0.5}, {3, 1, 0.5, 0}, {3, 2.5, 2, 2}});
  // The seeds need 0.75 and 1.5 passes, and one never reaches the metric.
  EXPECT_DOUBLE_EQ(*median_passes_to(1.5, "full", profile), 1.5);
  // Only one seed of three reaches the metric.
  EXPECT_FALSE(median_passes_to(0.4, "full", profile));
}

}  // namespace run_study_test
}  // namespace surety::bench
