#include "plan/belief/earlier_laws.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.h"
#include "base/statistics.h"

namespace surety::plan {
namespace {

// Means and variances of the wide prior are 0 and 1.
constexpr double kMeanMax = 10;
constexpr double kVarianceMax = 25;

// The lower triangle L with L L' = covariance. None if the covariance is not positive definite.
std::optional<std::vector<double>> factor_of(const std::vector<double>& covariance,
                                             std::size_t size) {
  std::vector<double> factor(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double left = covariance[i * size + j];
      for (std::size_t k = 0; k < j; ++k) left -= factor[i * size + k] * factor[j * size + k];
      if (i == j && !(left > 0)) return std::nullopt;
      factor[i * size + j] = i == j ? std::sqrt(left) : left / factor[j * size + j];
    }
  }
  return factor;
}

}  // namespace

EarlierLaws laws_of(const std::vector<std::vector<double>>& draws, std::size_t parameters) {
  SURETY_CHECK(draws.size() >= 2);
  EarlierLaws laws{std::vector<double>(parameters), std::vector<double>(parameters * parameters)};
  const auto count = static_cast<double>(draws.size());
  for (const std::vector<double>& draw : draws) {
    SURETY_CHECK(draw.size() >= parameters);
    for (std::size_t i = 0; i < parameters; ++i) laws.mean[i] += draw[i] / count;
  }
  for (const std::vector<double>& draw : draws) {
    for (std::size_t i = 0; i < parameters; ++i) {
      for (std::size_t j = 0; j < parameters; ++j) {
        laws.covariance[i * parameters + j] +=
            (draw[i] - laws.mean[i]) * (draw[j] - laws.mean[j]) / (count - 1);
      }
    }
  }
  return laws;
}

EarlierLaws widened(EarlierLaws laws, double jobs, double own_variance) {
  SURETY_CHECK(jobs > 0);
  const std::size_t size = laws.mean.size();
  std::vector<double> shrink(size);  // Factor for each standard deviation that would grow too wide.
  for (std::size_t i = 0; i < size; ++i) {
    const double before = laws.covariance[i * size + i];
    const double after = before * (1 + 1 / jobs) + own_variance;
    shrink[i] = std::sqrt(std::min(1.0, std::max(1.0, before) / after));
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      double& value = laws.covariance[i * size + j];
      value = (value * (1 + 1 / jobs) + (i == j ? own_variance : 0)) * shrink[i] * shrink[j];
    }
  }
  return laws;
}

std::optional<EarlierLaws> fitted(EarlierLaws laws, std::size_t parameters) {
  const std::size_t size = laws.mean.size();
  if (size == parameters) return laws;
  if (size + 1 != parameters && size != parameters + 1) return std::nullopt;
  EarlierLaws out{std::vector<double>(parameters), std::vector<double>(parameters * parameters)};
  const std::size_t both = std::min(size, parameters);
  for (std::size_t i = 0; i < both; ++i) {
    out.mean[i] = laws.mean[i];
    for (std::size_t j = 0; j < both; ++j) {
      out.covariance[i * parameters + j] = laws.covariance[i * size + j];
    }
  }
  if (parameters > size) out.covariance.back() = 1;
  return out;
}

bool is_law(const EarlierLaws& laws) {
  const std::size_t size = laws.mean.size();
  if (size == 0 || laws.covariance.size() != size * size) return false;
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::ranges::all_of(laws.mean, finite) || !std::ranges::all_of(laws.covariance, finite)) {
    return false;
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (std::abs(laws.mean[i]) > kMeanMax) return false;
    if (laws.covariance[i * size + i] > kVarianceMax) return false;
    for (std::size_t j = 0; j < i; ++j) {
      const double above = laws.covariance[j * size + i];
      const double below = laws.covariance[i * size + j];
      if (std::abs(above - below) > 1e-6 * (1 + std::abs(below))) return false;
    }
  }
  return factor_of(laws.covariance, size).has_value();
}

LawPrior::LawPrior(const EarlierLaws& laws, double weight) : weight_(weight), mean_(laws.mean) {
  SURETY_CHECK(weight > 0 && weight < 1 && is_law(laws));
  factor_ = *factor_of(laws.covariance, mean_.size());
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    log_determinant_ += std::log(factor_[i * mean_.size() + i]);
  }
}

void LawPrior::draw(std::span<double> parameters, Random& random) const {
  const bool wide = !knows_earlier() || random.uniform() >= weight_;
  for (double& value : parameters) value = random.normal();
  if (wide) return;
  SURETY_CHECK(parameters.size() == mean_.size());
  const std::size_t size = mean_.size();
  // Backwards, because smaller entries of `parameters` are still needed.
  for (std::size_t i = size; i-- > 0;) {
    double sum = mean_[i];
    for (std::size_t k = 0; k <= i; ++k) sum += factor_[i * size + k] * parameters[k];
    parameters[i] = sum;
  }
}

double LawPrior::log_density(std::span<const double> parameters) const {
  double wide = 0;
  for (const double value : parameters) wide -= value * value / 2;
  if (!knows_earlier()) return wide;
  const std::size_t size = mean_.size();
  SURETY_CHECK(parameters.size() == size);
  double near = -log_determinant_;
  std::vector<double> z(size);
  for (std::size_t i = 0; i < size; ++i) {
    double left = parameters[i] - mean_[i];
    for (std::size_t k = 0; k < i; ++k) left -= factor_[i * size + k] * z[k];
    z[i] = left / factor_[i * size + i];
    near -= z[i] * z[i] / 2;
  }
  return log_of_sum(std::log(weight_) + near, std::log1p(-weight_) + wide);
}

}  // namespace surety::plan
