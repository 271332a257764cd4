#include "plan/check/own_laws.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace surety::plan::check {
namespace {

double poisson(double mean, Random& random) {
  if (mean > 50) return std::max(0.0, std::round(mean + std::sqrt(mean) * random.normal()));
  double count = 0;
  for (double product = random.uniform(); product > std::exp(-mean); product *= random.uniform()) {
    count += 1;
  }
  return count;
}

double lowest_of(const plan::Curve& curve) { return curve.floor + 1e-3 * curve.scale; }

}  // namespace

double metric_after(const plan::VersionLaw& law, double progress) {
  const plan::Curve& curve = law.curve;
  const double share = curve.shape == plan::Shape::kExponential
                           ? std::exp(-progress)
                           : std::pow(std::max(1 + progress, 0.1), -curve.exponent);
  return std::max(curve.floor + curve.scale * share, law.metric_supported);
}

double progress_at(const plan::Curve& curve, double metric) {
  const double share = (std::max(metric, lowest_of(curve)) - curve.floor) / curve.scale;
  return curve.shape == plan::Shape::kExponential ? -std::log(share)
                                                  : std::pow(share, -1 / curve.exponent) - 1;
}

double draw_pass_s(const plan::VersionLaw& law, const plan::Variant& variant, Random& random) {
  double work_s = law.time.pass_s * law.time.nodes / variant.speed;
  work_s *= std::exp(law.time.log_sd * random.normal());
  double slowest = variant.straggle_sd > 0 ? -INFINITY : 0;
  for (std::uint32_t i = 0; i < variant.nodes && variant.straggle_sd > 0; ++i) {
    slowest = std::max(slowest, variant.straggle_sd * random.normal());
  }
  const double pass_s = work_s * std::exp(slowest) + law.time.eval_s;
  if (!(variant.preemptions_per_s > 0)) return pass_s;
  return pass_s + variant.restart_s * poisson(variant.preemptions_per_s * pass_s, random);
}

double switch_s(const plan::Setting& setting, std::size_t from, std::size_t to) {
  const std::size_t a = setting.laws.versions[setting.variants[from].version].rank;
  const std::size_t b = setting.laws.versions[setting.variants[to].version].rank;
  const double version_s = a == b ? 0 : setting.laws.switches[a][b].seconds;
  const bool same_nodes = setting.variants[from].counts == setting.variants[to].counts;
  return version_s + (same_nodes ? 0 : setting.variants[to].start_s);
}

bool may_switch(const plan::Setting& setting, std::size_t from, std::size_t to) {
  const std::size_t a = setting.laws.versions[setting.variants[from].version].rank;
  const std::size_t b = setting.laws.versions[setting.variants[to].version].rank;
  return from != to && b <= a && a - b <= 3;
}

double jump(const plan::Setting& setting, std::size_t from, std::size_t to, double metric,
            double z) {
  if (setting.variants[from].version == setting.variants[to].version) return metric;
  const plan::VersionLaw& a = setting.laws.versions[setting.variants[from].version];
  const plan::VersionLaw& b = setting.laws.versions[setting.variants[to].version];
  metric = std::max(metric, lowest_of(b.curve));
  if (a.rank != b.rank) {
    const plan::SwitchLaw& law = setting.laws.switches[a.rank][b.rank];
    metric *= std::exp(law.log_mean + law.log_sd * z);
  }
  return std::max(metric, lowest_of(b.curve));
}

double chance_certified(const plan::Setting& setting, double metric) {
  if (!(setting.evaluation_se > 0)) return metric <= setting.target ? 1 : 0;
  return normal_cdf((setting.target - metric) / (std::numbers::sqrt2 * setting.evaluation_se));
}

double normal_cdf(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

std::vector<double> normal_points(std::size_t count) {
  std::vector<double> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    double low = -9;
    double high = 9;
    for (int step = 0; step < 60; ++step) {
      const double middle = (low + high) / 2;
      (normal_cdf(middle) < share ? low : high) = middle;
    }
    points.push_back((low + high) / 2);
  }
  return points;
}

}  // namespace surety::plan::check
