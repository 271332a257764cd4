#include "learn/linear/glm_iteration.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/check.h"
#include "learn/linear/glm_labels.h"
#include "learn/linear/glm_line_search.h"

namespace surety::learn {

Result<void> check_duals(const data::Chunk& chunk) {
  if (chunk.state.empty() || chunk.state.size() == chunk.samples.size()) return {};
  return fail(ErrorCode::kCorrupt, "chunk {}: {} dual variables, expected {} or none",
              chunk.range.id, chunk.state.size(), chunk.samples.size());
}

void GlmIteration::begin(std::span<const double> start) {
  alpha_.clear();
  update_.assign(start.size(), 0.0f);
  began_.assign(start.begin(), start.end());
}

void GlmIteration::forget() {
  alpha_.clear();
  began_.clear();
  update_.clear();
}

std::vector<float>& GlmIteration::alpha_of(const data::Chunk& chunk) {
  std::vector<float>& alpha = alpha_.try_emplace(chunk.range.id, chunk.state).first->second;
  alpha.resize(chunk.samples.size(), 0.0f);
  return alpha;
}

void GlmIteration::add(std::span<const float> update) {
  SURETY_CHECK(update.size() == update_.size());
  std::transform(update.begin(), update.end(), update_.begin(), update_.begin(), std::plus<>());
}

// The sum over samples of d_i w.x_i is equal to the sum over features of w times the update.
LineSlopes GlmIteration::slopes(Loss loss, const Penalty& penalty,
                                const std::map<ChunkId, data::Chunk>& chunks) const {
  double along = 0;
  for (std::size_t f = 0; f < began_.size(); ++f) {
    along += soft(began_[f], penalty.threshold()) * update_[f];
  }
  LinePoints sums;
  sums.fill(-penalty.strength() * along);
  std::vector<float> labels;
  for (const auto& [id, alpha] : alpha_) {
    const data::Chunk& chunk = chunks.at(id);
    labels.resize(alpha.size());
    std::transform(chunk.samples.label.begin(), chunk.samples.label.end(), labels.begin(),
                   [loss](float label) { return label_for(loss, label); });
    add_slopes(loss, chunk.state, alpha, labels, sums);
  }
  LineSlopes slopes;
  std::transform(sums.begin(), sums.end(), slopes.begin(),
                 [](double sum) { return static_cast<float>(sum); });
  return slopes;
}

void GlmIteration::shorten(double step, const std::map<ChunkId, data::Chunk>& chunks) {
  for (auto& [id, alpha] : alpha_) {
    const std::vector<float>& before = chunks.at(id).state;
    for (std::size_t i = 0; i < alpha.size(); ++i) {
      const double from = before.empty() ? 0.0 : before[i];
      alpha[i] = static_cast<float>(from + step * (alpha[i] - from));
    }
  }
}

void GlmIteration::commit(std::map<ChunkId, data::Chunk>& chunks) {
  for (auto& [id, alpha] : alpha_) {
    const auto chunk = chunks.find(id);
    SURETY_CHECK(chunk != chunks.end());  // Chunks change their owner only between iterations.
    chunk->second.state = std::move(alpha);
  }
  forget();
}

}  // namespace surety::learn
