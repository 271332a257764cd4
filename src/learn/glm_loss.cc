#include "learn/glm_loss.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace surety::learn {
namespace {

double sigmoid(double t) {
  return t >= 0 ? 1 / (1 + std::exp(-t)) : std::exp(t) / (1 + std::exp(t));
}

// The stationary point in the log odds t of b = y alpha:
//   h(t) = t + y z + q (sigmoid(t) - b0) = 0.
// h rises with slope at least 1 and sigmoid lies in (0, 1), so the root is in
// [-y z - q (1 - b0), -y z + q b0]. Newton's steps, halved where they leave the bracket.
double best_log_odds(double b0, double yz, double q) {
  static constexpr double kTolerance = 1e-9;  // In log odds; far below what a float alpha can hold.
  static constexpr int kStepsMax = 100;       // Halving alone needs about 60 in double.
  double low = -yz - q * (1 - b0);
  double high = -yz + q * b0;
  double t = std::clamp(0.0, low, high);
  for (int step = 0; step < kStepsMax; ++step) {
    const double s = sigmoid(t);
    const double h = t + yz + q * (s - b0);
    (h > 0 ? high : low) = t;
    double next = t - h / (1 + q * s * (1 - s));
    if (!(next >= low && next <= high)) next = low + (high - low) / 2;
    if (std::abs(next - t) <= kTolerance) return next;
    t = next;
  }
  return t;
}

}  // namespace

double best_dual(Loss loss, double alpha, double y, double z, double q) {
  SURETY_CHECK(q >= 0);
  const double b = y * alpha;
  switch (loss) {
    case Loss::kLogistic:
      return y * sigmoid(best_log_odds(b, y * z, q));
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

}  // namespace surety::learn
