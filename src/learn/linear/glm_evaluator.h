// Evaluates the weights of a linear model on samples: losses, correct answers, and with dual
// variables the samples' terms of the duality gap.
//
// Pure functions of the weights and their arguments. Sums are added in the order of the samples.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "data/sample.h"
#include "data/sources/chunk.h"
#include "learn/linear/kernels/glm_kernels.h"
#include "learn/linear/kernels/glm_loss.h"
#include "learn/task.h"

namespace surety::learn {

class GlmEvaluator {
 public:
  // The weights must outlive the object. REQUIRES: one weight for each feature of the schema.
  GlmEvaluator(Loss loss, const data::Schema& schema, std::span<const double> weights);

  // Sums over the selected samples: samples, loss_sum, loss_square_sum, and, except for a
  // regression, correct. A feature beyond the schema has no weight. REQUIRES: `selected` are
  // indices into `samples`. InvalidInput: the samples do not fit the schema, or have a label that
  // the loss does not allow.
  [[nodiscard]] Result<Evaluation> losses(const data::Samples& samples,
                                          std::span<const std::uint32_t> selected) const;
  // The same sums over all samples of the chunks, and gap_sum for the dual variables times `share`.
  // Corrupt if the loss does not allow the value of a dual variable.
  [[nodiscard]] Result<Evaluation> gap_terms(std::span<const data::Chunk* const> chunks,
                                             double share) const;

 private:
  [[nodiscard]] Result<void> add_terms(const data::Chunk& chunk, double share,
                                       Evaluation& sums) const;
  // Adds a sample with margin z and label y to the sums, and returns its loss.
  double add_sample(double z, double y, Evaluation& sums) const;

  Loss loss_;
  data::Schema schema_;
  std::span<const double> weights_;
  const RowKernels& kernels_ = row_kernels();
};

}  // namespace surety::learn
