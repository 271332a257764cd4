#include "plan/laws/course_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

namespace surety::plan {
namespace {

using Vector = Eigen::VectorXd;
// The floor in units of the first fit's scale; the logarithms of scale, exponent and rate.
using Parameters = Eigen::Vector4d;
enum Parameter { kFloor, kScale, kExponent, kRate };

constexpr double kUntrained = 0.02;    // Relative error of the untrained point.
constexpr double kExponentPull = 0.1;  // A tenth of a standard deviation for each factor e.

// Differences between points and expectations, in units of the metric, followed by the untrained
// point and the pull on the exponent. Each weight is one over the standard deviation.
struct Residuals {
  Vector off;
  Vector weights;
  [[nodiscard]] double squares(const Vector& by) const {
    return off.cwiseProduct(by).squaredNorm();
  }
};

class CourseFit {
 public:
  CourseFit(const CurveFit& start, std::span<const FitPoint> points, double noise, double jitter,
            double floor_max)
      : start_(start), points_(points), noise_(noise), jitter_(jitter), floor_max_(floor_max) {
    for (const FitPoint& point : points) {
      floor_max_ = std::min(floor_max_, point.metric);
      if (!(point.passes > 0)) untrained_ = point.metric;
    }
  }

  [[nodiscard]] Parameters first() const {
    const Curve& curve = start_.curve;
    return bounded({curve.floor / curve.scale, std::log(curve.scale), std::log(curve.exponent),
                    std::log(start_.rate)});
  }

  [[nodiscard]] Parameters bounded(Parameters p) const {
    const double floor_max = floor_max_ / start_.curve.scale;
    p[kFloor] = std::clamp(p[kFloor], std::min(0.0, floor_max), floor_max);
    p[kExponent] = std::clamp(p[kExponent], std::log(kExponentMin), std::log(kExponentMax));
    p[kRate] = std::clamp(p[kRate], std::log(kRateMin), std::log(kRateMax));
    return p;
  }

  [[nodiscard]] CurveFit fit(const Parameters& p) const {
    CurveFit fit = start_;
    fit.curve.floor = std::min(p[kFloor] * start_.curve.scale, floor_max_);
    fit.curve.scale = std::exp(p[kScale]);
    if (fit.curve.shape == Shape::kPower) fit.curve.exponent = std::exp(p[kExponent]);
    fit.rate = std::exp(p[kRate]);
    return fit;
  }

  [[nodiscard]] Residuals residuals(const Parameters& p) const {
    const CurveFit trial = fit(p);
    const std::vector<Innovation> found =
        innovations({trial.curve, trial.rate, noise_, jitter_}, points_);
    const auto count = static_cast<Eigen::Index>(found.size());
    Residuals result{Vector::Zero(count + 2), Vector::Zero(count + 2)};
    for (Eigen::Index i = 0; i < count; ++i) {
      const Innovation& one = found[static_cast<std::size_t>(i)];
      if (!(one.variance > 0)) continue;
      result.off[i] = one.metric - trial.curve.at(one.expected);
      result.weights[i] = 1 / (std::abs(one.slope) * std::sqrt(*one.variance));
    }
    if (untrained_ && *untrained_ != 0) {
      result.off[count] = *untrained_ - trial.curve.at(0);
      result.weights[count] = 1 / (kUntrained * std::abs(*untrained_));
    }
    if (trial.curve.shape == Shape::kPower) {
      result.off[count + 1] = std::log(trial.curve.exponent / kExponentUsual);
      result.weights[count + 1] = kExponentPull;
    }
    return result;
  }

  // Derivatives of the weighted residuals by the parameters, with constant weights.
  [[nodiscard]] Eigen::MatrixX4d slopes(const Parameters& at, const Residuals& here) const {
    static constexpr double kStep = 1e-5;
    Eigen::MatrixX4d result(here.off.size(), 4);
    for (int k = 0; k < 4; ++k) {
      Parameters moved = at;
      moved[k] += kStep;
      result.col(k) = (residuals(moved).off - here.off).cwiseProduct(here.weights) / kStep;
    }
    return result;
  }

 private:
  const CurveFit& start_;
  std::span<const FitPoint> points_;
  double noise_;
  double jitter_;
  double floor_max_;
  std::optional<double> untrained_;
};

// Takes one step downhill from `best`, shortened until it improves. False if no step does.
bool improve(const CourseFit& course, Parameters& best, double& damping) {
  static constexpr int kTrials = 6;
  static constexpr double kShorter = 8;
  static constexpr double kSmall = 1e-5;
  const Residuals here = course.residuals(best);
  const Eigen::MatrixX4d slopes = course.slopes(best, here);
  const Parameters pull = -slopes.transpose() * here.off.cwiseProduct(here.weights);
  Eigen::Matrix4d normal = slopes.transpose() * slopes;
  if (!normal.allFinite() || !pull.allFinite()) return false;
  normal.diagonal().array() += 1e-9;  // Keeps a parameter that nothing depends on.
  for (int i = 0; i < kTrials; ++i, damping *= kShorter) {
    Eigen::Matrix4d damped = normal;
    damped.diagonal() *= 1 + damping;
    const Parameters trial = course.bounded(best + damped.ldlt().solve(pull));
    if (!trial.allFinite()) continue;
    if (!(course.residuals(trial).squares(here.weights) < here.squares(here.weights))) continue;
    const double moved = (trial - best).norm();
    best = trial;
    damping = std::max(damping / (kShorter * kShorter), 1e-6);
    return moved > kSmall;
  }
  return false;
}

}  // namespace

CurveFit fit_course(const CurveFit& start, std::span<const FitPoint> points, double noise,
                    double jitter, double floor_max) {
  static constexpr int kSteps = 15;
  const CourseFit course(start, points, noise, jitter, floor_max);
  Parameters best = course.first();
  double damping = 1e-3;
  for (int i = 0; i < kSteps && improve(course, best, damping); ++i) {
  }
  CurveFit fit = course.fit(best);
  const Residuals last = course.residuals(best);
  fit.score = last.squares(last.weights);
  fit.error = fit_error(fit.curve, fit.rate, points);
  return fit;
}

}  // namespace surety::plan
