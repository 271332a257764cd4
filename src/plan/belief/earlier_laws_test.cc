#include "plan/belief/earlier_laws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace surety::plan {
namespace earlier_laws_test {

EarlierLaws two() { return {.mean = {1, -2}, .covariance = {0.04, 0.018, 0.018, 0.09}}; }

std::vector<std::vector<double>> draws_of(const LawPrior& prior, std::size_t count) {
  Random random(3);
  std::vector<std::vector<double>> draws(count, std::vector<double>(2));
  for (std::vector<double>& draw : draws) prior.draw(draw, random);
  return draws;
}

TEST(EarlierLaws, DrawsHaveTheMeanAndTheCovarianceOfTheLaw) {
  const EarlierLaws found = laws_of(draws_of(LawPrior(two(), 1 - 1e-9), 20000), 2);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(found.mean[i], two().mean[i], 0.01);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(found.covariance[i], two().covariance[i], 0.003) << i;
  }
}

TEST(EarlierLaws, AShareOfTheDrawsHasTheWidePrior) {
  std::size_t near = 0;
  for (const auto& draw : draws_of(LawPrior(two(), 0.7), 5000)) near += std::abs(draw[0] - 1) < 0.6;
  // 29 % of the draws from the wide prior lie there, too.
  EXPECT_NEAR(static_cast<double>(near) / 5000, 0.7 + 0.3 * 0.29, 0.03);
}

TEST(EarlierLaws, TheDensityIsThatOfTheMixture) {
  const LawPrior prior(two(), 0.9);
  const std::vector<double> at{1, -2};
  const std::vector<double> far{-1, 2};
  const double determinant = 0.04 * 0.09 - 0.018 * 0.018;
  const double near = 0.9 / std::sqrt(determinant) + 0.1 * std::exp(-2.5);
  EXPECT_NEAR(prior.log_density(at), std::log(near), 1e-9);
  // The narrow law adds nothing here.
  EXPECT_NEAR(prior.log_density(far), std::log(0.1) - 2.5, 1e-9);
}

TEST(EarlierLaws, TheWidePriorIsStandardNormal) {
  const LawPrior prior;
  EXPECT_FALSE(prior.knows_earlier());
  EXPECT_DOUBLE_EQ(prior.log_density(std::vector<double>{1, 2, 2}), -4.5);
}

TEST(EarlierLaws, OneJobTeachesLessThanMany) {
  EXPECT_DOUBLE_EQ(widened(two(), 1, 0.01).covariance[0], 0.09);
  EXPECT_DOUBLE_EQ(widened(two(), 4, 0.01).covariance[0], 0.06);
  EXPECT_DOUBLE_EQ(widened(two(), 4, 0.01).covariance[1], 0.0225);
  EXPECT_EQ(widened(two(), 4, 0.01).mean, two().mean);
}

TEST(EarlierLaws, InvalidLawsAreRecognised) {
  EXPECT_TRUE(is_law(two()));
  const auto broken = [](auto change) {
    EarlierLaws laws = two();
    change(laws);
    return !is_law(laws);
  };
  EXPECT_TRUE(broken([](EarlierLaws& laws) { laws.mean.push_back(0); }));
  EXPECT_TRUE(broken([](EarlierLaws& laws) { laws = {}; }));
  EXPECT_TRUE(broken([](EarlierLaws& laws) { laws.mean[0] = -11; }));
  EXPECT_TRUE(broken([](EarlierLaws& laws) { laws.covariance[0] = 26; }));
  EXPECT_TRUE(broken([](EarlierLaws& laws) { laws.covariance[0] = -1; }));
  EXPECT_TRUE(broken([](EarlierLaws& laws) { laws.covariance[1] = 0.5; }));
  EXPECT_TRUE(broken([](EarlierLaws& laws) { laws.covariance[1] = laws.covariance[2] = 0.5; }));
  EXPECT_TRUE(
      broken([](EarlierLaws& laws) { laws.mean[0] = std::numeric_limits<double>::quiet_NaN(); }));
}

TEST(EarlierLaws, LawsWithoutTheEffectOfWorkersGetTheWidePriorForIt) {
  const auto more = fitted(two(), 3);
  ASSERT_TRUE(more.has_value());
  EXPECT_EQ(more->mean, (std::vector<double>{1, -2, 0}));
  EXPECT_EQ(more->covariance, (std::vector<double>{0.04, 0.018, 0, 0.018, 0.09, 0, 0, 0, 1}));
}

TEST(EarlierLaws, TheEffectOfWorkersIsLeftOutWhereItDoesNotMatter) {
  const auto more = fitted(two(), 3);
  EXPECT_EQ(fitted(*more, 2)->mean, two().mean);
  EXPECT_EQ(fitted(*more, 2)->covariance, two().covariance);
  EXPECT_EQ(fitted(two(), 2)->covariance, two().covariance);
  EXPECT_FALSE(fitted(two(), 4).has_value());
  EXPECT_FALSE(fitted(two(), 0).has_value());
}

// A parameter that no job observes belongs to a version that no job has tried.
TEST(EarlierLaws, AnUnobservedParameterDoesNotBecomeLessCertain) {
  EarlierLaws laws{.mean = {0, 0}, .covariance = {0.9, 0.3, 0.3, 0.2}};
  for (std::uint32_t job = 1; job <= 100; ++job) {
    const double known = laws.covariance[3];
    laws = widened(laws, job, 0.01);
    ASSERT_TRUE(is_law(laws)) << job;
    EXPECT_LE(laws.covariance[0], 1 + 1e-9);
    laws.covariance[3] = known;  // Each job learns the same amount about the other parameter again.
    laws.covariance[1] = laws.covariance[2] = 0.3 * std::sqrt(laws.covariance[0]);
  }
}

}  // namespace earlier_laws_test
}  // namespace surety::plan
