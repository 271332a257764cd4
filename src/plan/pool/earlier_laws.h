// What jobs of the same kind have taught of how versions learn: a normal law of the parameters that
// a draw of the belief (belief.h) has, before its attempts.
//
// The prior of a job that knows such a law is a mixture: this law, and the wide one of a job that
// knows nothing. The first passes say which of the two is nearer to the truth.
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

// The mean and the covariance of these draws, looking at the first `parameters` of each.
// REQUIRES: two draws at least, none shorter.
[[nodiscard]] EarlierLaws laws_of(const std::vector<std::vector<double>>& draws,
                                  std::size_t parameters);

// What the next job may believe of it: it may differ from earlier ones as they do from each other,
// so the covariance grows by a share of 1 / jobs, and each variance by what a job adds of its own;
// but no variance above the wide prior's grows, or a parameter of which no job sees anything (that
// of a version which is never tried) would be believed less and less.
// REQUIRES: jobs > 0.
[[nodiscard]] EarlierLaws widened(EarlierLaws laws, double jobs, double own_variance);

// For a belief with so many parameters, the last of which is the effect of the workers
// (Belief::parameters()): where the laws lack it, nothing is known of it; where the belief has
// none, it is left out. None where the sizes differ otherwise.
[[nodiscard]] std::optional<EarlierLaws> fitted(EarlierLaws laws, std::size_t parameters);

// Finite, of matching sizes, symmetric and positive definite, and no farther from the wide prior
// than what a run may learn: means within 10 of its standard deviations, variances up to 25 times
// its own. O(parameters^3).
[[nodiscard]] bool is_law(const EarlierLaws& laws);

// The prior of the parameters: `weight` of the earlier law, the rest independent standard normals.
class LawPrior {
 public:
  // Nothing is known. O(1).
  LawPrior() = default;
  // REQUIRES: is_law(laws); 0 < weight < 1.
  LawPrior(const EarlierLaws& laws, double weight);

  // Fills all of `parameters`.
  void draw(std::span<double> parameters, Random& random) const;
  // Up to a constant. O(parameters^2), O(parameters) where nothing is known.
  [[nodiscard]] double log_density(std::span<const double> parameters) const;
  [[nodiscard]] bool knows_earlier() const { return weight_ > 0; }

 private:
  double weight_ = 0;
  double log_determinant_ = 0;  // Of the factor.
  std::vector<double> mean_;
  std::vector<double> factor_;  // Cholesky's: lower triangle, row by row.
};

}  // namespace surety::plan
