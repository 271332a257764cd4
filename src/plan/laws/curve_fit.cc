#include "plan/laws/curve_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.h"

namespace surety::plan {
namespace {

// Error of a point, relative to its level. Twice as much would give late points, which determine
// the floor, too little weight.
constexpr double kRelativeError = 0.02;

// The evaluation's own variance, plus what no smooth law explains.
double point_variance(const FitPoint& point, double metric_max) {
  const double level = std::max(std::abs(point.metric), 1e-9 * std::abs(metric_max));
  return point.se * point.se + std::max(kRelativeError * kRelativeError * level * level, 1e-300);
}

struct Trial {
  Curve curve;
  double rate = 0;
  double score = std::numeric_limits<double>::infinity();
};

struct Weighted {
  std::vector<FitPoint> points;
  std::vector<double> weights;
  double floor_max = 0;  // Never above the lowest metric.
};

// Solves for floor and scale. The floor stays in [0, floor_max], and the scale positive.
void solve_linear(const Weighted& data, Curve& curve, double rate) {
  double sw = 0;
  double ss = 0;
  double sss = 0;
  double sx = 0;
  double ssx = 0;
  Curve unit = curve;
  unit.floor = 0;
  unit.scale = 1;
  for (std::size_t i = 0; i < data.points.size(); ++i) {
    const double s = unit.at(rate * data.points[i].passes);
    const double w = data.weights[i];
    const double x = data.points[i].metric;
    sw += w, ss += w * s, sss += w * s * s, sx += w * x, ssx += w * s * x;
  }
  const double determinant = sw * sss - ss * ss;
  const double floor_min = std::min(0.0, data.floor_max);
  double floor = floor_min;
  if (determinant > 1e-12 * sw * sss) {
    floor = std::clamp((sss * sx - ss * ssx) / determinant, floor_min, data.floor_max);
  }
  curve.floor = floor;
  const double scale_min = 1e-9 * std::max(std::abs(sx / sw), 1e-12);
  curve.scale = std::max((ssx - floor * ss) / sss, scale_min);
}

double score(const Weighted& data, const Trial& trial) {
  double sum = 0;
  for (std::size_t i = 0; i < data.points.size(); ++i) {
    const double residual =
        data.points[i].metric - trial.curve.at(trial.rate * data.points[i].passes);
    sum += data.weights[i] * residual * residual;
  }
  if (trial.curve.shape == Shape::kPower) {
    const double pull = std::log(trial.curve.exponent / kExponentUsual);
    sum += 0.01 * pull * pull;
  }
  return sum;
}

Trial evaluate(const Weighted& data, Shape shape, double exponent, double rate) {
  Trial trial;
  trial.curve.shape = shape;
  trial.curve.exponent = std::clamp(exponent, kExponentMin, kExponentMax);
  trial.rate = std::clamp(rate, kRateMin, kRateMax);
  solve_linear(data, trial.curve, trial.rate);
  trial.score = score(data, trial);
  return trial;
}

// Pattern search around the best grid point, with a step that is halved. Directions are in
// logarithms. The diagonal is needed because exponent and rate can compensate each other.
Trial refine(const Weighted& data, Trial best) {
  static constexpr int kDirections[][2] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, -1}, {-1, 1}};
  for (double step = 0.25; step > 1e-5;) {
    bool better = false;
    for (const auto& [de, dr] : kDirections) {
      const Trial trial =
          evaluate(data, best.curve.shape, best.curve.exponent * std::exp(de * step),
                   best.rate * std::exp(dr * step));
      if (trial.score < best.score) best = trial, better = true;
    }
    if (!better) step /= 2;
  }
  return best;
}

Trial fit_shape(const Weighted& data, Shape shape, std::span<const double> exponents) {
  Trial best;
  for (const double exponent : exponents) {
    for (double rate = kRateMin; rate < kRateMax; rate *= 1.4) {
      const Trial trial = evaluate(data, shape, exponent, rate);
      if (trial.score < best.score) best = trial;
    }
  }
  return refine(data, best);
}

}  // namespace

CurveFit fit_curve(std::span<const FitPoint> points, double floor_max, const CurveFit* near) {
  SURETY_CHECK(points.size() >= 2);
  Weighted data{{points.begin(), points.end()}, {}, 0};
  double metric_min = points[0].metric;
  double metric_max = points[0].metric;
  for (const FitPoint& point : points) {
    SURETY_CHECK(std::isfinite(point.metric));
    metric_min = std::min(metric_min, point.metric);
    metric_max = std::max(metric_max, point.metric);
  }
  data.floor_max = std::min(floor_max, metric_min);
  for (const FitPoint& point : points) {
    data.weights.push_back(1 / point_variance(point, metric_max));
  }
  static constexpr double kExponents[] = {0.25, 0.5, 0.75, 1, 1.5, 2.5};
  static constexpr double kNoExponent[] = {1};
  const bool is_near = near != nullptr && near->curve.shape == Shape::kPower;
  const Trial power =
      is_near ? refine(data, evaluate(data, Shape::kPower, near->curve.exponent, near->rate))
              : fit_shape(data, Shape::kPower, kExponents);
  const Trial geometric = fit_shape(data, Shape::kExponential, kNoExponent);
  const Trial& best = geometric.score < power.score ? geometric : power;

  return {best.curve, best.rate, fit_error(best.curve, best.rate, points), best.score};
}

double fit_error(const Curve& curve, double rate, std::span<const FitPoint> points) {
  double squares = 0;
  double lowest = points[0].metric;
  double highest = lowest;
  for (const FitPoint& point : points) {
    const double residual = point.metric - curve.at(rate * point.passes);
    squares += residual * residual;
    lowest = std::min(lowest, point.metric);
    highest = std::max(highest, point.metric);
  }
  if (!(highest > lowest)) return 0;
  return std::sqrt(squares / static_cast<double>(points.size())) / (highest - lowest);
}

double fit_log_rate(const Curve& curve, double rate, std::span<const FitPoint> points) {
  double metric_max = 0;
  for (const FitPoint& point : points) metric_max = std::max(metric_max, point.metric);
  const auto misfit = [&](double log_rate) {
    double sum = 1e-4 * log_rate * log_rate;
    for (const FitPoint& point : points) {
      const double residual = point.metric - curve.at(rate * std::exp(log_rate) * point.passes);
      sum += residual * residual / point_variance(point, metric_max);
    }
    return sum;
  };
  double best = 0;
  double least = misfit(best);
  // A grid of 17 points, then finer ones around the best.
  for (double width = 2; width > 1e-3; width /= 6) {
    const double centre = best;
    for (int i = -8; i <= 8; ++i) {
      const double trial = std::clamp(centre + width * i / 8, -2.0, 2.0);
      const double found = misfit(trial);
      if (found < least) best = trial, least = found;
    }
  }
  return best;
}

}  // namespace surety::plan
