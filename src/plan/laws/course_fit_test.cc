#include "plan/laws/course_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/statistics.h"

namespace surety::plan {
namespace course_fit_test {

const Curve kCurve{Shape::kPower, 0.4, 1.9, 0.75};
constexpr double kRate = 1;

// The untrained model, then one point for each pass. A pass goes 1 + noise * normal times as far as
// usual.
std::vector<FitPoint> course(const Curve& curve, double noise, double jitter, std::uint64_t run) {
  static constexpr std::uint32_t kPasses = 25;
  const CounterNormal normals(11, run);
  std::vector<FitPoint> points{{0, curve.at(0), 0}};
  double progress = 0;
  for (std::uint32_t k = 1; k <= kPasses; ++k) {
    progress += kRate * (1 + noise * normals.at(k, 0));
    points.push_back({static_cast<double>(k), curve.at(progress) + jitter * normals.at(k, 1), 0});
  }
  return points;
}

double passes_to(const CurveFit& fit, double metric) {
  return fit.curve.progress(metric) / fit.rate;
}

TEST(Innovations, OfAnExactCourseAreZero) {
  for (const Innovation& one : innovations({kCurve, kRate, 0.3, 0}, course(kCurve, 0, 0, 1))) {
    EXPECT_NEAR(one.off, 0, 1e-9);
  }
}

TEST(Innovations, APassThatWentFurtherShowsOnceAndIsKept) {
  std::vector<FitPoint> points = course(kCurve, 0, 0, 1);
  for (std::size_t k = 5; k < points.size(); ++k) points[k].metric = kCurve.at(kRate * k + 0.5);
  const auto found = innovations({kCurve, kRate, 0.3, 0}, points);
  ASSERT_EQ(found.size(), 25u);
  EXPECT_NEAR(found[4].off, 0.5, 1e-9);  // The surprise is in the fifth pass.
  for (std::size_t k = 5; k < found.size(); ++k) EXPECT_NEAR(found[k].off, 0, 1e-2) << k;
}

TEST(Innovations, JitterIsNotKept) {
  std::vector<FitPoint> points = course(kCurve, 0, 0, 1);
  points[5].metric += 0.1;
  const auto trusting = innovations({kCurve, kRate, 0.3, 0}, points);
  const auto doubting = innovations({kCurve, kRate, 0.02, 0.1}, points);
  // If a filter mistakes the jitter for progress, the next point deviates from its prediction by
  // the same amount.
  EXPECT_GT(trusting[5].off, 0.9 * std::abs(trusting[4].off));
  EXPECT_LT(std::abs(doubting[5].off), 0.1 * std::abs(doubting[4].off));
}

TEST(Innovations, AreAsLargeAsTheirVarianceSays) {
  double squares = 0;
  double count = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    for (const Innovation& one :
         innovations({kCurve, kRate, 0.1, 0.005}, course(kCurve, 0.1, 0.005, run))) {
      squares += one.off * one.off / one.variance.value();
      count += 1;
    }
  }
  EXPECT_NEAR(squares / count, 1, 0.1);
}

TEST(CourseFit, FindsAnExactCurveFromAStartThatIsOff) {
  const auto points = course(kCurve, 0, 0, 1);
  CurveFit start{{Shape::kPower, 0.2, 2.2, 0.5}, 1.4};
  const CurveFit fit = fit_course(start, points, 0.1, 0, 10);
  EXPECT_NEAR(fit.curve.floor, 0.4, 2e-3);
  EXPECT_NEAR(fit.curve.exponent, 0.75, 5e-3);
  EXPECT_NEAR(passes_to(fit, 0.45), passes_to({kCurve, kRate}, 0.45), 0.5);
  EXPECT_LT(fit.error, 1e-4);
}

// Plans use a curve to compute the passes to a metric that was hardly reached.
TEST(CourseFit, IsCloserThanLeastSquaresWherePassesAreNoisy) {
  const double truth = std::log(passes_to({kCurve, kRate}, 0.52));
  double ours = 0;
  double squares = 0;
  double floors = 0;
  double floors_squares = 0;
  for (std::uint64_t run = 0; run < 60; ++run) {
    const auto points = course(kCurve, 0.1, 0, run);
    const CurveFit start = fit_curve(points);
    const CurveFit fit = fit_course(start, points, 0.1, 0, 10);
    ours += std::pow(std::log(std::min(passes_to(fit, 0.52), 1e3)) - truth, 2);
    squares += std::pow(std::log(std::min(passes_to(start, 0.52), 1e3)) - truth, 2);
    floors += std::pow(fit.curve.floor - 0.4, 2);
    floors_squares += std::pow(start.curve.floor - 0.4, 2);
  }
  EXPECT_LT(ours, squares);
  EXPECT_LT(1.5 * floors, floors_squares);
}

TEST(CourseFit, TheFloorStaysBelowTheLowestPointAndItsBound) {
  for (std::uint64_t run = 0; run < 40; ++run) {
    const auto points = course(kCurve, 0.4, 0.02, run);
    double lowest = points[0].metric;
    for (const FitPoint& point : points) lowest = std::min(lowest, point.metric);
    EXPECT_LE(fit_course(fit_curve(points), points, 0.4, 0.02, 10).curve.floor, lowest);
    const CurveFit bounded = fit_course(fit_curve(points, 0.1), points, 0.4, 0.02, 0.1);
    EXPECT_LE(bounded.curve.floor, 0.1);
    EXPECT_GE(bounded.curve.floor, 0);
  }
}

TEST(CourseFit, KeepsTheShapeOfItsStart) {
  const Curve decay{Shape::kExponential, 0.3, 2, 1};
  const auto points = course(decay, 0.05, 0, 3);
  const CurveFit start{{Shape::kExponential, 0.2, 1.8, 1}, 1.2};
  const CurveFit fit = fit_course(start, points, 0.05, 0, 10);
  EXPECT_EQ(fit.curve.shape, Shape::kExponential);
  EXPECT_EQ(fit.curve.exponent, 1);
  EXPECT_NEAR(fit.curve.floor, 0.3, 5e-3);
}

TEST(CourseFit, TwoPointsOrAFlatCourseLeaveACurve) {
  for (const std::vector<FitPoint>& points : {std::vector<FitPoint>{{0, 2, 0}, {1, 1, 0}},
                                              {{0, 2, 0}, {1, 2, 0}, {2, 2, 0}},
                                              {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}}}) {
    const CurveFit fit = fit_course(fit_curve(points), points, 0.3, 0, 10);
    EXPECT_TRUE(std::isfinite(fit.curve.floor) && std::isfinite(fit.rate));
    EXPECT_GT(fit.curve.scale, 0);
    EXPECT_GT(fit.rate, 0);
  }
}

}  // namespace course_fit_test
}  // namespace surety::plan
