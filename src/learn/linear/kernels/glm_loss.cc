#include "learn/linear/kernels/glm_loss.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::learn {
namespace {

double sigmoid(double t) {
  return t >= 0 ? 1 / (1 + std::exp(-t)) : std::exp(t) / (1 + std::exp(t));
}

// The best b = y alpha, found as the stationary point in its log odds t:
//   h(t) = t + y z + q (sigmoid(t) - b0) = 0.
// The slope of h is at least 1 and sigmoid lies in (0, 1), so the root is in [-y z - q (1 - b0), -y
// z + q b0]. The steps are Halley's; a step that leaves the bracket is replaced by bisection. |h''|
// and |h'''| are at most q s (1 - s) < h', so the error after a step is below half the cube of the
// step. Each step costs one exponential. The sigmoid at the end costs no exponential, because one
// step of Taylor's series gives it.
double best_b(double b0, double yz, double q, double start) {
  // The last step leaves an error of 1e-9, far below the precision of a float alpha.
  static constexpr double kStepMin = 1e-3;
  static constexpr int kStepsMax = 100;  // Bisection alone needs about 60 steps in double.
  double low = -yz - q * (1 - b0);
  double high = -yz + q * b0;
  double t = std::clamp(start, low, high);
  for (int step = 0; step < kStepsMax; ++step) {
    const double s = sigmoid(t);
    const double p = s * (1 - s);
    const double h = t + yz + q * (s - b0);
    const double slope = 1 + q * p;
    (h > 0 ? high : low) = t;
    double next = t - 2 * h * slope / (2 * slope * slope - h * q * p * (1 - 2 * s));
    if (!(next >= low && next <= high)) next = low + (high - low) / 2;
    const double e = next - t;
    if (std::abs(e) <= kStepMin) {
      return s + e * p * (1 + e * ((1 - 2 * s) / 2 + e * (1 - 6 * p) / 6));
    }
    t = next;
  }
  return sigmoid(t);
}

// best_b() for a sample whose log odds move only by d, so that a cubic is as exact as a float:
// solves  e + q g(e) = d  for the move e, with  g(e) = sigmoid(t0 + e) - b.
constexpr double kCubicMax = 0.03;

LogisticVisit visit_nearly_at_rest(double b, double d, double q) {
  // sigmoid' at t0; the next lines have the coefficients of the higher derivatives.
  const double p = b * (1 - b);
  const double second = p * (1 - 2 * b) / 2;
  const double third = p * (1 - 6 * p) / 6;
  const auto g = [&](double e) { return e * (p + e * (second + e * third)); };
  double e = d / (1 + q * p);
  for (int step = 0; step < 2; ++step) {
    e -= (e + q * g(e) - d) / (1 + q * (p + e * (2 * second + e * 3 * third)));
  }
  // The gap is Taylor's series of log(1 + exp) about t0 from the second-order term on. The terms
  // before it are the loss at t0 and its slope.
  const double gap = d * d * (p / 2 + d * (second / 3 + d * third / 4));
  return {.loss = gap + b * d - std::log(1 - b), .gap = gap, .alpha = b + g(e)};
}

}  // namespace

double best_dual(Loss loss, double alpha, double y, double z, double q) {
  SURETY_CHECK(q >= 0);
  const double b = y * alpha;
  switch (loss) {
    case Loss::kLogistic:
      return y * best_b(b, y * z, q, 0);
    case Loss::kHinge: {
      const double slope = 1 - y * z;
      // Without curvature the best value is a bound.
      if (q == 0) return slope > 0 ? y : slope < 0 ? 0 : alpha;
      return y * std::clamp(b + slope / q, 0.0, 1.0);
    }
    case Loss::kSquaredHinge:
      return y * std::max(0.0, b + (1 - y * z - b / 2) / (q + 0.5));
    case Loss::kSquared:
      return alpha + (y - alpha - z) / (1 + q);
  }
  SURETY_CHECK(false);
}

// In terms of b = y alpha and u = -y z: the sample is at rest if its log odds t0 = log(b / (1 - b))
// are u.
LogisticVisit visit_logistic(double alpha, double y, double z, double q) {
  const double b = y * alpha;
  const double u = -y * z;
  LogisticVisit visit;
  if (b > 0 && b < 1) {
    const double t0 = std::log(b / (1 - b));
    const double d = u - t0;
    if (std::abs(d) < kCubicMax) {
      visit = visit_nearly_at_rest(b, d, q);
    } else {
      visit.loss = loss_at(Loss::kLogistic, z, y);
      visit.gap = visit.loss + std::log(1 - b) - b * d;
      visit.alpha = best_b(b, -u, q, t0 + d / (1 + q * b * (1 - b)));
    }
  } else {
    visit.loss = loss_at(Loss::kLogistic, z, y);
    visit.gap = visit.loss - b * u;
    visit.alpha = best_b(b, -u, q, 0);
  }
  visit.alpha *= y;
  return visit;
}

}  // namespace surety::learn
