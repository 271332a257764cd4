// The knowledge of earlier jobs of the same kind about how versions learn: a normal distribution of
// the parameters of a draw (belief.h), without those of attempts.
//
// The prior of a job that has such a law is a mixture of this law and the wide prior of a job
// without earlier ones. The first passes show which of the two is nearer to the truth.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"

namespace surety::plan {

struct EarlierLaws {
  std::vector<double> mean;        // [parameters]
  std::vector<double> covariance;  // [parameters * parameters], row by row; symmetric.
};

// The mean and the covariance of the first `parameters` entries of these draws.
// REQUIRES: at least two draws, each with at least `parameters` entries.
[[nodiscard]] EarlierLaws laws_of(const std::vector<std::vector<double>>& draws,
                                  std::size_t parameters);

// The law that the next job may use. Jobs differ from each other, so the covariance is multiplied
// by 1 + 1 / jobs, and each variance grows by `own_variance`, the contribution of one job. But no
// variance grows beyond that of the wide prior, and a variance that is already above it does not
// grow. Otherwise a parameter that no job observes (of a version that is never tried) would become
// more and more uncertain. REQUIRES: jobs > 0.
[[nodiscard]] EarlierLaws widened(EarlierLaws laws, double jobs, double own_variance);

// The law for a belief with this many parameters, the last of which is the effect of the workers
// (Belief::parameters()). If the laws lack that parameter, the wide prior is used for it; if the
// belief lacks it, it is removed. None if the sizes differ in any other way.
[[nodiscard]] std::optional<EarlierLaws> fitted(EarlierLaws laws, std::size_t parameters);

// Whether the law is usable: finite, of matching sizes, symmetric and positive definite, and not
// farther from the wide prior than a run can learn. So each mean must be within 10 standard
// deviations of the wide prior, and each variance at most 25 times that of the wide prior.
// O(parameters^3).
[[nodiscard]] bool is_law(const EarlierLaws& laws);

// The prior of the parameters: with `weight` the earlier law, otherwise independent standard
// normals.
class LawPrior {
 public:
  // The wide prior alone. O(1).
  LawPrior() = default;
  // REQUIRES: is_law(laws); 0 < weight < 1.
  LawPrior(const EarlierLaws& laws, double weight);

  // Draws a value for each of `parameters`.
  void draw(std::span<double> parameters, Random& random) const;
  // Log density up to a constant. O(parameters^2); O(parameters) for the wide prior alone.
  [[nodiscard]] double log_density(std::span<const double> parameters) const;
  [[nodiscard]] bool knows_earlier() const { return weight_ > 0; }

 private:
  double weight_ = 0;
  double log_determinant_ = 0;  // Log determinant of the factor.
  std::vector<double> mean_;
  std::vector<double> factor_;  // Cholesky factor: lower triangle, row by row.
};

}  // namespace surety::plan
