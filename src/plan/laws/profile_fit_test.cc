#include "plan/laws/profile_fit.h"
#include "plan/laws/posterior.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/statistics.h"
#include "plan/laws/curve_fit.h"
#include "plan/laws/time_model.h"
#include "test/support/plan/synthetic_profile.h"

namespace surety::plan {
namespace profile_fit_test {

const std::vector<std::string> kFull{"full"};

Laws fit(const synthetic::Spec& spec, std::uint64_t seed) {
  std::vector<std::string> versions;
  for (const auto& version : spec.versions) versions.push_back(version.name);
  const Profile profile = synthetic::draw_profile(spec, seed);
  return fit_laws(versions, runs_of(profile), profile.switches, spec.data_fraction, {});
}

TEST(CurveFit, PowerLawIsFoundAgain) {
  const Curve truth{Shape::kPower, 0.4, 1.9, 0.75};
  std::vector<FitPoint> points;
  for (int k = 0; k <= 8; ++k) points.push_back({k * 1.0, truth.at(0.8 * k), 0});
  const CurveFit found = fit_curve(points);
  EXPECT_EQ(found.curve.shape, Shape::kPower);
  EXPECT_NEAR(found.curve.at(found.rate * 20), truth.at(0.8 * 20), 1e-3);
}

TEST(CurveFit, GapThatHalvesIsAGeometricDecay) {
  std::vector<FitPoint> points;
  for (int k = 0; k <= 5; ++k) points.push_back({k * 1.0, 8 * std::pow(0.5, k), 0});
  const CurveFit found = fit_curve(points, 0);
  EXPECT_EQ(found.curve.shape, Shape::kExponential);
  EXPECT_NEAR(found.rate, std::log(2.0), 1e-4);
  EXPECT_EQ(found.curve.floor, 0);
}

TEST(CurveFit, NoisyRisingAndFlatCurvesStayFinite) {
  const std::vector<std::vector<double>> curves = {{1, 1, 1, 1}, {1, 1.2, 0.9, 1.1},    {0, 0, 0},
                                                   {2, 1},       {1e-12, 1e-13, 1e-14}, {1, 5, 9}};
  for (const auto& metrics : curves) {
    std::vector<FitPoint> points;
    for (std::size_t k = 0; k < metrics.size(); ++k) points.push_back({k * 1.0, metrics[k], 0});
    const CurveFit found = fit_curve(points);
    EXPECT_TRUE(std::isfinite(found.curve.at(found.rate * 50)));
    EXPECT_GE(found.curve.floor, 0);
    EXPECT_GT(found.curve.scale, 0);
    EXPECT_TRUE(std::isfinite(fit_log_rate(found.curve, found.rate, points)));
  }
}

TEST(Curve, ProgressIsTheInverse) {
  for (const Shape shape : {Shape::kPower, Shape::kExponential}) {
    const Curve curve{shape, 0.4, 1.9, 0.75};
    for (const double u : {-0.5, 0.0, 1.0, 30.0}) EXPECT_NEAR(curve.progress(curve.at(u)), u, 1e-3);
    EXPECT_TRUE(std::isinf(curve.progress(0.4)));
  }
}

// One pass learns all that there is to learn, so later points say nothing about the progress.
TEST(ProfileFit, CurvesThatAreFlatAfterTheFirstPassHaveFiniteLaws) {
  // Wrong answers of 196, after each pass.
  const int wrong[][5] = {{98, 8, 8, 7, 7}, {98, 11, 7, 8, 8}, {98, 9, 8, 8, 8}, {98, 5, 8, 8, 8},
                          {98, 7, 9, 8, 8}, {98, 8, 9, 8, 7},  {98, 6, 9, 9, 7}, {98, 6, 6, 8, 8},
                          {98, 8, 7, 8, 9}, {98, 10, 8, 8, 8}, {98, 8, 8, 8, 8}, {98, 8, 7, 7, 7}};
  Profile profile;
  for (std::uint32_t seed = 0; seed < std::size(wrong); ++seed) {
    for (std::uint32_t pass = 0; pass < 5; ++pass) {
      const double share = wrong[seed][pass] / 196.0;
      profile.curves.push_back({"full", seed + 1, 1, pass, share,
                                std::sqrt(share * (1 - share) / 196), pass == 0 ? 0 : 0.001, 0.0001,
                                1});
    }
  }
  const Laws laws = fit_laws(kFull, runs_of(profile), profile.switches, 1, {});
  const VersionLaw& law = laws.versions.front();
  for (const double value : {law.rate, law.noise, law.jitter, law.curve.floor, law.curve.scale,
                             law.fit_error, laws.run_effect}) {
    EXPECT_TRUE(std::isfinite(value)) << value;
  }
}

TEST(ProfileFit, NoiseAndRunEffectAreToldApart) {
  synthetic::Spec spec;
  spec.versions = {{.name = "full", .noise = 0.3}, {.name = "prune:0.5", .noise = 0.3}};
  spec.seeds = 40;
  spec.passes = 20;
  spec.run_effect = 0.2;
  const Laws both = fit(spec, 3);
  EXPECT_NEAR(both.run_effect, 0.2, 0.06);
  EXPECT_NEAR(both.versions[0].noise, 0.3, 0.08);
  spec.run_effect = 0;
  EXPECT_LT(fit(spec, 3).run_effect, 0.08);
  for (auto& version : spec.versions) version.noise = 0;
  EXPECT_NEAR(fit(spec, 3).versions[0].noise, 0, 1e-3);
}

TEST(ProfileFit, NoiseOfPassesIsNotTakenForARunEffect) {
  synthetic::Spec spec = synthetic::three_versions();
  for (auto& version : spec.versions) version.noise = 0.35;
  spec.seeds = 20;
  const auto mean_effect = [&](double run_effect) {
    spec.run_effect = run_effect;
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) sum += fit(spec, seed).run_effect / 8;
    return sum;
  };
  EXPECT_LT(mean_effect(0), 0.03);  // noise / sqrt(passes) = 0.07 explains a fourth of the spread.
  EXPECT_NEAR(mean_effect(0.15), 0.15, 0.03);
}

TEST(ProfileFit, DrawsJitterOnlyWhereTheLawsDo) {
  synthetic::Spec spec = synthetic::three_versions();
  for (auto& version : spec.versions) version.noise = 0.35;
  spec.seeds = 10;
  const auto draws_that_jitter = [&] {
    const Profile profile = synthetic::draw_profile(spec, 3);
    const std::vector<std::string> full{"full"};
    const Laws laws = fit_laws(full, runs_of(profile), {}, 1, {});
    EXPECT_EQ(laws.versions[0].jitter > 0, spec.jitter > 0);
    const auto draws = posterior_draws(full, runs_of(profile), {}, laws, {}, 20, 1);
    return std::ranges::count_if(draws, [](const auto& d) { return d.versions[0].jitter > 0; });
  };
  EXPECT_EQ(draws_that_jitter(), 0);
  spec.jitter = 0.01;
  EXPECT_GT(draws_that_jitter(), 10);
}

TEST(ProfileFit, AJumpMeasuredAPassLaterIsTakenBackAlongTheNewVersionsCourse) {
  const synthetic::Spec spec = synthetic::three_versions();
  Profile profile = synthetic::draw_profile(spec, 1);
  const std::vector<std::string> versions{"full", "prune:0.5", "prune:0.75"};
  profile.switches.clear();
  const VersionLaw full = fit_laws(versions, runs_of(profile), {}, 1, {}).versions[0];
  const double before = full.curve.at(2 * full.rate);
  const double later = full.curve.at(3 * full.rate);
  profile.switches = {{"prune:0.5", "full", 1, 4, before, later, 1, 1}};
  Laws laws = fit_laws(versions, runs_of(profile), profile.switches, 1, {});
  EXPECT_NEAR(laws.switches[1][0].log_mean, 0, 1e-9);
  // A metric worse than after one pass from the start counts as a new start.
  profile.switches[0].metric_after = full.curve.at(0.5 * full.rate);
  laws = fit_laws(versions, runs_of(profile), profile.switches, 1, {});
  EXPECT_NEAR(laws.switches[1][0].log_mean, std::log(full.curve.at(0) / before), 1e-9);
}

TEST(ProfileFit, AnUnmeasuredSwitchCountsAsAJumpUp) {
  synthetic::Spec spec = synthetic::three_versions();
  spec.jump = 1.1;
  const Laws laws = fit(spec, 1);
  EXPECT_TRUE(laws.switches[1][0].measured);
  EXPECT_NEAR(laws.switches[1][0].log_mean, std::log(1.1), 1e-12);
  EXPECT_FALSE(laws.switches[0][1].measured);
  EXPECT_GT(laws.switches[0][1].log_mean, 0.1);
}

Profile noisy_profile(std::uint32_t seeds) {
  synthetic::Spec spec;
  spec.versions = {{.name = "full", .noise = 0.2}};
  spec.run_effect = 0.2;
  spec.seeds = seeds;
  return synthetic::draw_profile(spec, 2);
}

TEST(ProfileFit, DrawsSpreadAroundTheFittedLaws) {
  const Profile profile = noisy_profile(6);
  const Laws laws = fit_laws(kFull, runs_of(profile), {}, 1, {});
  const auto draws = posterior_draws(kFull, runs_of(profile), {}, laws, {}, 40, 1);
  int above = 0;
  for (const Laws& draw : draws) {
    const VersionLaw& mine = draw.versions[0];
    const VersionLaw& fitted = laws.versions[0];
    above += mine.curve.at(5 * mine.rate) > fitted.curve.at(5 * fitted.rate);
  }
  EXPECT_GT(above, 5);
  EXPECT_LT(above, 35);
}

// In the first `slow` seeds each pass goes `factor` times as far.
Laws fit_with_slow_seeds(std::uint32_t slow, double factor) {
  synthetic::Spec spec;
  spec.versions = {{.name = "full"}};
  spec.seeds = 20;
  spec.passes = 10;
  Profile profile = synthetic::draw_profile(spec, 1);
  const Curve curve = synthetic::true_laws(spec).versions[0].curve;
  for (CurvePoint& point : profile.curves) {
    if (point.seed < slow) point.metric = curve.at(factor * point.pass);
  }
  return fit_laws(kFull, runs_of(profile), {}, 1, {});
}

TEST(ProfileFit, SlowSeedsWidenTheRunEffectMoreThanFastOnes) {
  // Two of 20 differ by ln 0.6 = -0.51, which is 0.46 from the mean. All slow seeds are that far
  // away.
  EXPECT_NEAR(fit_with_slow_seeds(2, 0.6).run_effect, 0.46 * std::sqrt(20.0 / 19), 0.03);
  // In the other direction they widen it by their share among all: 0.51 * sqrt(0.1 * 0.9).
  EXPECT_NEAR(fit_with_slow_seeds(2, 1 / 0.6).run_effect, 0.153 * std::sqrt(20.0 / 19), 0.03);
}

// Runs without a trained pass, which runs_of() leaves out, do not differ. That is no evidence that
// runs are alike.
TEST(ProfileFit, RunsThatDoNotShowTheirRateAreNoEvidenceOfTheRunEffect) {
  synthetic::Spec spec;
  spec.versions = {{.name = "full"}};
  spec.run_effect = 0.2;
  const Profile profile = synthetic::draw_profile(spec, 3);
  std::vector<ProfileRun> runs = runs_of(profile);
  // Beside a run that learns nothing, no run counts as stuck.
  const auto add_flat_run = [&](std::uint32_t seed, std::uint32_t passes) {
    ProfileRun& run = runs.emplace_back();
    run.version = "full";
    run.seed = seed;
    run.workers = 2 * spec.workers;
    for (std::uint32_t pass = 0; pass <= passes; ++pass) {
      run.points.push_back({"full", seed, 1, pass, 2.3, 0, 1, 0, run.workers});
    }
  };
  add_flat_run(100, 3);
  const Laws without = fit_laws(kFull, runs, {}, 1, {});
  add_flat_run(101, 0);
  add_flat_run(102, 0);
  const Laws with = fit_laws(kFull, runs, {}, 1, {});
  EXPECT_GT(without.run_effect, 0);
  EXPECT_EQ(with.run_effect, without.run_effect);
  EXPECT_EQ(with.effect_error, without.effect_error);
  EXPECT_EQ(with.seed_effects.at(101), 0);
}

ProfileRun timed(std::uint32_t workers, const std::vector<double>& seconds) {
  ProfileRun run;
  run.workers = workers;
  for (const double s : seconds) {
    CurvePoint point;
    point.pass = static_cast<std::uint32_t>(run.points.size()) + 1;
    point.workers = workers;
    point.seconds = s;
    run.points.push_back(point);
  }
  return run;
}

TEST(TimeModel, PassesAfterADeathDoNotCount) {
  ProfileRun run = timed(4, {10, 10, 10, 25});
  run.points.back().workers = 3;
  const PassTime time = fit_pass_time({&run});
  EXPECT_DOUBLE_EQ(time.median_s(4), 10);
  EXPECT_EQ(time.log_sd, 0);
}

TEST(FitLaws, JitterIsToldFromNoiseThatStays) {
  synthetic::Spec spec = synthetic::three_versions();
  spec.seeds = 20;
  for (auto& version : spec.versions) version.noise = 0.2;
  spec.jitter = 0.02;
  const Laws with = fit(spec, 1);
  spec.jitter = 0;
  const Laws without = fit(spec, 1);
  for (std::size_t v = 0; v < 3; ++v) {
    EXPECT_NEAR(with.versions[v].jitter, 0.02, 0.006) << v;
    EXPECT_NEAR(with.versions[v].noise, 0.2, 0.08) << v;
    EXPECT_LT(without.versions[v].jitter, 0.003) << v;
  }
}

TEST(TimeModel, SlowerNodesTakeLongerAndFasterOnesLessLong) {
  const ProfileRun run = timed(4, {10});
  const PassTime time = fit_pass_time({&run});
  EXPECT_DOUBLE_EQ(time.median_s(2), 20);
  EXPECT_DOUBLE_EQ(time.median_s(8), 5);
}

}  // namespace profile_fit_test
}  // namespace surety::plan
