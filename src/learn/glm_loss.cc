#include "learn/glm_loss.h"

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
// h rises with slope at least 1 and sigmoid lies in (0, 1), so the root is in
// [-y z - q (1 - b0), -y z + q b0]. Halley's steps, halved where they leave the bracket: |h''| and
// |h'''| are at most q s (1 - s) < h', so the error after one is below half the cube of the step.
// Each costs an exponential, and the sigmoid at the end, a step of Taylor's series away, none.
double best_b(double b0, double yz, double q, double start) {
  static constexpr double kStepMin = 1e-3;  // Leaves 1e-9; far below what a float alpha can hold.
  static constexpr int kStepsMax = 100;     // Halving alone needs about 60 in double.
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

// The same for a sample whose log odds want to move by d only, where a cubic is sigmoid to a
// float's precision:  e + q g(e) = d  for the move e, with  g(e) = sigmoid(t0 + e) - b.
constexpr double kCubicMax = 0.03;

LogisticVisit visit_nearly_at_rest(double b, double d, double q) {
  const double p = b * (1 - b);  // sigmoid' at t0; the next two derivatives follow.
  const double second = p * (1 - 2 * b) / 2;
  const double third = p * (1 - 6 * p) / 6;
  const auto g = [&](double e) { return e * (p + e * (second + e * third)); };
  double e = d / (1 + q * p);
  for (int step = 0; step < 2; ++step) {
    e -= (e + q * g(e) - d) / (1 + q * (p + e * (2 * second + e * 3 * third)));
  }
  // Taylor's series of log(1 + exp) about t0, from the second term on: the gap. What comes before
  // it is the loss at t0 and its slope.
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
      if (q == 0) return slope > 0 ? y : slope < 0 ? 0 : alpha;  // No curvature: to the end.
      return y * std::clamp(b + slope / q, 0.0, 1.0);
    }
    case Loss::kSquaredHinge:
      return y * std::max(0.0, b + (1 - y * z - b / 2) / (q + 0.5));
    case Loss::kSquared:
      return alpha + (y - alpha - z) / (1 + q);
  }
  SURETY_CHECK(false);
}

// In b = y alpha and u = -y z: the sample rests where its log odds t0 = log(b / (1 - b)) are u.
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
