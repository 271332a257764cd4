#include "plan/types.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace surety::plan {

double Curve::at(double progress) const {
  if (shape == Shape::kExponential) return floor + scale * std::exp(-progress);
  // A noisy first pass may give negative progress; the power law has a pole at -1.
  return floor + scale * std::pow(std::max(1 + progress, 0.1), -exponent);
}

double Curve::progress(double metric) const {
  if (metric <= floor) return std::numeric_limits<double>::infinity();
  const double ratio = scale / (metric - floor);
  if (shape == Shape::kExponential) return std::log(ratio);
  return std::pow(ratio, 1 / exponent) - 1;
}

double Curve::slope(double progress) const {
  if (shape == Shape::kExponential) return -scale * std::exp(-progress);
  if (1 + progress <= 0.1) return 0;
  return -exponent * scale * std::pow(1 + progress, -exponent - 1);
}

double Curve::slope(double progress, double metric) const {
  if (shape == Shape::kExponential) return floor - metric;
  if (1 + progress <= 0.1) return 0;
  return -exponent * (metric - floor) / (1 + progress);
}

double PassTime::median_s(double speed) const { return pass_s * nodes / speed + eval_s; }

double PassTime::mean_s(double speed) const {
  return median_s(speed) * std::exp(log_sd * log_sd / 2);
}

}  // namespace surety::plan
