// Laws between two profiled data fractions.
#include "plan/laws/data_laws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace surety::plan {
namespace data_laws_test {

VersionLaw power_law(double floor, double rate, double pass_s) {
  VersionLaw law;
  law.version = "full";
  law.workers = 4;
  law.curve = {Shape::kPower, floor, 2.3 - floor, 0.75};
  law.rate = rate;
  law.noise = 0.3;
  law.metric_supported = floor + 0.1;
  law.passes = 10;
  law.seeds = 5;
  law.time = {.pass_s = pass_s, .nodes = 4, .eval_s = 1};
  return law;
}

Laws laws_of(double fraction, const VersionLaw& law) {
  Laws laws;
  laws.data_fraction = fraction;
  laws.versions = {law};
  laws.switches = {{{}}};
  return laws;
}

double metric_after(const Laws& laws, double passes) {
  const VersionLaw& law = laws.versions[0];
  return law.curve.at(law.rate * passes);
}

TEST(DataLaws, HalfWayInTheLogarithmIsHalfWayInLogRateAndFloor) {
  const Laws less = laws_of(0.25, power_law(0.6, 1, 10));
  const Laws more = laws_of(1, power_law(0.4, 4, 31));
  const Laws half = interpolate(less, more, 0.5);
  EXPECT_EQ(half.data_fraction, 0.5);
  EXPECT_NEAR(half.versions[0].rate, 2, 1e-12);
  EXPECT_NEAR(half.versions[0].curve.floor, 0.5, 1e-12);
  EXPECT_NEAR(half.versions[0].curve.at(0), 2.3, 1e-12);
  EXPECT_NEAR(half.versions[0].curve.exponent, 0.75, 1e-12);
  EXPECT_NEAR(half.versions[0].time.pass_s, 17, 1e-12);  // 3 s for any data plus 28 s for all data.
}

TEST(DataLaws, AtAProfiledFractionTheMeasuredLawIsUntouched) {
  const Laws less = laws_of(0.3, power_law(0.6, 1, 10));
  Laws more = laws_of(0.9, power_law(0.4, 4, 31));
  more.versions[0].curve.shape = Shape::kExponential;
  for (const bool at_less : {true, false}) {
    const Laws& end = at_less ? less : more;
    const Laws same = interpolate(less, more, end.data_fraction);
    EXPECT_EQ(same.data_fraction, end.data_fraction);
    EXPECT_EQ(same.versions[0].rate, end.versions[0].rate);
    EXPECT_EQ(same.versions[0].curve.shape, end.versions[0].curve.shape);
    EXPECT_EQ(same.versions[0].curve.floor, end.versions[0].curve.floor);
    EXPECT_EQ(same.versions[0].metric_supported, end.versions[0].metric_supported);
  }
}

TEST(DataLaws, WhatIsSupportedAndKnownIsTheWorseOfTheTwo) {
  VersionLaw a = power_law(0.6, 1, 10);
  VersionLaw b = power_law(0.4, 4, 31);
  b.passes = 3;
  b.seeds = 20;
  b.fit_error = 0.2;
  b.stuck_seeds = 2;
  b.stuck_share = 0.12;
  const VersionLaw law = interpolate(laws_of(0.3, a), laws_of(0.9, b), 0.6).versions[0];
  EXPECT_EQ(law.metric_supported, a.metric_supported);
  EXPECT_EQ(law.passes, 3u);
  EXPECT_EQ(law.fit_error, 0.2);
  EXPECT_EQ(law.stuck_share, 0.12);
  EXPECT_EQ(law.stuck_seeds, 2u);
  EXPECT_EQ(law.seeds, 20u);  // Two of these seeds were stuck.
  b.stuck_share = b.stuck_seeds = 0;
  EXPECT_EQ(interpolate(laws_of(0.3, a), laws_of(0.9, b), 0.6).versions[0].seeds, 5u);
}

TEST(DataLaws, MoreDataBetweenIsMonotoneInEveryPass) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const double floor = 0.3 + 0.2 * random.uniform();
    const double rate = 0.5 + 3 * random.uniform();
    VersionLaw a = power_law(floor + 0.3 * random.uniform(), rate, 10);
    VersionLaw b = power_law(floor, rate * (1 + 2 * random.uniform()), 20);
    a.curve.exponent = b.curve.exponent = 0.4 + random.uniform();
    if (seed % 4 == 0) a.curve.shape = b.curve.shape = Shape::kExponential;
    const Laws less = laws_of(0.1, a);
    const Laws more = laws_of(1, b);
    for (const double passes : {0.5, 2.0, 10.0, 40.0}) {
      double before = metric_after(less, passes);
      for (const double fraction : {0.15, 0.3, 0.6, 0.9, 1.0}) {
        const double now = metric_after(interpolate(less, more, fraction), passes);
        EXPECT_LE(now, before + 1e-12) << seed;
        before = now;
      }
    }
  }
}

TEST(DataLaws, CurvesOfOtherShapesStayNearlyBetween) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    VersionLaw a = power_law(0.5, 0.3 + random.uniform(), 10);
    VersionLaw b = power_law(0.4, 0.6 + random.uniform(), 20);
    a.curve.exponent = 0.3 + 2 * random.uniform();
    b.curve.exponent = 0.3 + 2 * random.uniform();
    if (seed % 2 == 0) b.curve.shape = Shape::kExponential;
    const Laws less = laws_of(0.2, a);
    const Laws more = laws_of(0.8, b);
    for (const double fraction : {0.2000001, 0.3, 0.5, 0.7, 0.7999999}) {
      const Laws between = interpolate(less, more, fraction);
      for (const double passes : {0.0, 1.0, 5.0, 20.0}) {
        const double x = metric_after(less, passes);
        const double y = metric_after(more, passes);
        const double now = metric_after(between, passes);
        EXPECT_GE(now, std::min(x, y) - 0.1 * 1.9) << seed << ' ' << fraction << ' ' << passes;
        EXPECT_LE(now, std::max(x, y) + 0.1 * 1.9) << seed << ' ' << fraction << ' ' << passes;
      }
    }
    const double near = metric_after(interpolate(less, more, 0.8 * (1 - 1e-9)), 5);
    EXPECT_NEAR(near, metric_after(more, 5), 1e-6);  // There is no jump at the end.
  }
}

TEST(DataLaws, LawThatMoreDataLacksStaysWithLongerPasses) {
  Laws less = laws_of(0.5, power_law(0.6, 1, 10));
  less.versions.push_back(less.versions[0]);
  less.versions[1].workers = 8;
  Laws more = laws_of(1, power_law(0.4, 4, 31));
  more.versions.push_back(more.versions[0]);
  more.versions[1].workers = 16;
  const Laws between = interpolate(less, more, 0.75);
  ASSERT_EQ(between.versions.size(), 2u);
  EXPECT_EQ(between.versions[1].workers, 8u);
  EXPECT_EQ(between.versions[1].rate, 1);
  EXPECT_EQ(between.versions[1].time.pass_s, 15);
}

}  // namespace data_laws_test
}  // namespace surety::plan
