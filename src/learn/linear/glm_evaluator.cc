#include "learn/linear/glm_evaluator.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "learn/linear/glm_iteration.h"
#include "learn/linear/glm_labels.h"
#include "learn/linear/kernels/glm_prefetch.h"
#include "learn/linear/model/rows.h"

namespace surety::learn {

GlmEvaluator::GlmEvaluator(Loss loss, const data::Schema& schema, std::span<const double> weights)
    : loss_(loss), schema_(schema), weights_(weights) {
  SURETY_CHECK(weights.size() == schema.features);
}

double GlmEvaluator::add_sample(double z, double y, Evaluation& sums) const {
  const double loss = loss_at(loss_, z, y);
  ++sums.samples;
  sums.loss_sum += loss;
  sums.loss_square_sum += loss * loss;
  if (loss_ != Loss::kSquared) {
    sums.correct = sums.correct.value_or(0) + ((z > 0) == (y > 0) ? 1 : 0);
  }
  return loss;
}

Result<Evaluation> GlmEvaluator::losses(const data::Samples& samples,
                                        std::span<const std::uint32_t> selected) const {
  SURETY_TRY(const Rows rows, Rows::of(samples, schema_));
  std::vector<float> scratch(rows.scratch_size());
  Evaluation sums;
  SURETY_TRY(check_labels(loss_, samples));
  for (const std::uint32_t row : selected) {
    SURETY_CHECK(row < rows.size());
    const double y = label_for(loss_, samples.label[row]);
    add_sample(kernels_.products(rows.view(row, scratch), weights_.data()).dot, y, sums);
  }
  return sums;
}

Result<Evaluation> GlmEvaluator::gap_terms(std::span<const data::Chunk* const> chunks,
                                           double share) const {
  Evaluation sums;
  for (const data::Chunk* chunk : chunks) SURETY_TRY(add_terms(*chunk, share, sums));
  return sums;
}

Result<void> GlmEvaluator::add_terms(const data::Chunk& chunk, double share,
                                     Evaluation& sums) const {
  SURETY_TRY(check_duals(chunk));
  SURETY_TRY(const Rows rows, Rows::of(chunk.samples, schema_));
  std::vector<float> scratch(rows.scratch_size());
  SURETY_TRY(check_labels(loss_, chunk.samples));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!rows.is_bytes()) {
      prefetch_ahead(rows.size(), row, [&](std::size_t i) { return rows.view(i, {}); });
    }
    const double y = label_for(loss_, chunk.samples.label[row]);
    const double alpha = chunk.state.empty() ? 0 : chunk.state[row];
    if (!is_feasible(loss_, alpha, y)) {
      return fail(ErrorCode::kCorrupt, "chunk {}: sample {} has dual variable {}, label {}",
                  chunk.range.id, row, alpha, y);
    }
    const double z = kernels_.products(rows.view(row, scratch), weights_.data()).dot;
    const double loss = add_sample(z, y, sums);
    const double dual = share * alpha;
    const double gap = loss + conjugate_at(loss_, dual, y) + dual * z;
    sums.gap_sum += std::max(gap, 0.0);  // Only rounding can make it negative. NaN stays NaN.
  }
  return {};
}

}  // namespace surety::learn
