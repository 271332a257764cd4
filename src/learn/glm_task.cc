#include "learn/glm_task.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "learn/glm_loss.h"
#include "learn/order.h"
#include "learn/rows.h"

namespace surety::learn {
namespace {

Loss loss_of(const std::string& model) {
  if (model == "logistic") return Loss::kLogistic;
  if (model == "svm") return Loss::kHinge;
  return Loss::kSquared;
}

class GlmTask final : public Task {
 public:
  explicit GlmTask(const TaskOptions& options)
      : loss_(loss_of(options.model)),
        schema_(options.schema),
        seed_(options.seed),
        lambda_n_(options.lambda > 0 ? options.lambda * static_cast<double>(options.samples) : 1) {}

  [[nodiscard]] Model initial_model() const override;
  [[nodiscard]] Result<LocalResult> compute(const LocalWork& work, const Model& model,
                                            std::map<ChunkId, data::Chunk>& chunks,
                                            std::span<float> update,
                                            const std::atomic<bool>& stop) override;
  void commit(std::map<ChunkId, data::Chunk>& chunks) override;
  void discard() override { tentative_.clear(); }
  [[nodiscard]] Result<Evaluation> evaluate(const data::Samples& samples,
                                            std::span<const std::uint32_t> selected,
                                            const Model& model) override;
  [[nodiscard]] Result<Evaluation> duality_terms(
      const Model& model, const std::map<ChunkId, data::Chunk>& chunks) override;
  [[nodiscard]] Result<void> partial_model(const std::map<ChunkId, data::Chunk>& chunks,
                                           std::span<float> part) override;
  [[nodiscard]] Result<Model> switch_version(const Model& model,
                                             const std::string& version) override;

 private:
  struct Pass {
    std::uint32_t pass = 0;
    double sigma = 1;  // sigma' = K.
    // w + sigma' A delta_alpha / (lambda n). In double: thousands of steps would add up their
    // rounding in float, and w = A alpha with it.
    std::vector<double> local;
    const std::atomic<bool>& stop;
    LocalResult result;
  };

  [[nodiscard]] Result<void> learn(const WorkItem& item, const data::Chunk& chunk, Pass& pass);
  [[nodiscard]] Result<double> label_of(const data::Samples& samples, std::size_t row) const;
  [[nodiscard]] Result<void> check_model(const Model& model) const;
  void add_sample(double z, double y, Evaluation& sums) const;

  Loss loss_;
  data::Schema schema_;
  std::uint64_t seed_;
  double lambda_n_;
  // Dual variables of the chunks of the last compute(), as they are if it is committed.
  std::map<ChunkId, std::vector<float>> tentative_;
};

Result<void> check_state(const data::Chunk& chunk) {
  if (chunk.state.empty() || chunk.state.size() == chunk.samples.size()) return {};
  return fail(ErrorCode::kCorrupt, "chunk {}: {} dual variables, expected {} or none",
              chunk.range.id, chunk.state.size(), chunk.samples.size());
}

Model GlmTask::initial_model() const {
  Model model;
  model.parameters.assign(schema_.features, 0.0f);
  return model;
}

Result<double> GlmTask::label_of(const data::Samples& samples, std::size_t row) const {
  const float label = samples.label[row];
  if (loss_ == Loss::kSquared) {
    if (std::isfinite(label)) return double{label};
    return fail(ErrorCode::kInvalidInput, "sample {}: label {}, expected a finite number", row,
                label);
  }
  if (label == 1) return 1.0;
  if (label == -1 || label == 0) return -1.0;
  return fail(ErrorCode::kInvalidInput, "sample {}: label {}, expected -1 and +1, or 0 and 1", row,
              label);
}

Result<void> GlmTask::check_model(const Model& model) const {
  if (model.parameters.size() == schema_.features) return {};
  return fail(ErrorCode::kInvalidInput,
              "a linear model with {} weights, expected {} (one a feature)",
              model.parameters.size(), schema_.features);
}

Result<LocalResult> GlmTask::compute(const LocalWork& work, const Model& model,
                                     std::map<ChunkId, data::Chunk>& chunks,
                                     std::span<float> update, const std::atomic<bool>& stop) {
  SURETY_CHECK(work.workers >= 1);
  SURETY_CHECK(update.size() == model.parameters.size());
  SURETY_TRY(check_model(model));
  tentative_.clear();
  Pass pass{.pass = work.pass,
            .sigma = static_cast<double>(work.workers),
            .local = {model.parameters.begin(), model.parameters.end()},
            .stop = stop,
            .result = {}};
  for (const WorkItem& item : work.items) {
    const auto chunk = chunks.find(item.chunk);
    SURETY_CHECK(chunk != chunks.end());
    if (auto learned = learn(item, chunk->second, pass); !learned) {
      tentative_.clear();
      return fail_in(learned.error(), "chunk {}", item.chunk);
    }
  }
  if (!std::isfinite(pass.result.loss_sum)) {
    tentative_.clear();
    return fail(ErrorCode::kInvalidInput, "the training loss is not finite: look at the features");
  }
  for (std::size_t f = 0; f < update.size(); ++f) {
    update[f] = static_cast<float>((pass.local[f] - model.parameters[f]) / pass.sigma);
  }
  return pass.result;
}

Result<void> GlmTask::learn(const WorkItem& item, const data::Chunk& chunk, Pass& pass) {
  SURETY_TRY(check_state(chunk));
  SURETY_TRY(const Rows rows, Rows::of(chunk.samples, schema_));
  const auto samples = static_cast<std::uint32_t>(rows.size());
  SURETY_CHECK(item.first <= samples && item.count <= samples - item.first);
  std::vector<float>& alpha = tentative_.try_emplace(item.chunk, chunk.state).first->second;
  alpha.resize(samples, 0.0f);
  const std::vector<std::uint32_t> order = sample_order({seed_, pass.pass, item.chunk}, samples);
  const std::span<double> local(pass.local);
  for (std::uint32_t position = item.first; position < item.first + item.count; ++position) {
    if (pass.stop.load(std::memory_order_relaxed)) {
      return fail(ErrorCode::kUnavailable, "stopped");
    }
    const std::uint32_t row = order[position];
    SURETY_TRY(const double y, label_of(chunk.samples, row));
    const auto [z, square] = rows.products(row, std::span<const double>(local));
    // Rounded first: the model must move by what the stored dual variable moved.
    const float before = alpha[row];
    alpha[row] =
        static_cast<float>(best_dual(loss_, before, y, z, pass.sigma * square / lambda_n_));
    rows.add(row, pass.sigma * (double{alpha[row]} - before) / lambda_n_, local);
    pass.result.loss_sum += loss_at(loss_, z, y);
    ++pass.result.samples;
  }
  return {};
}

void GlmTask::commit(std::map<ChunkId, data::Chunk>& chunks) {
  for (auto& [id, alpha] : tentative_) {
    const auto chunk = chunks.find(id);
    SURETY_CHECK(chunk != chunks.end());  // A chunk leaves between iterations, never inside one.
    chunk->second.state = std::move(alpha);
  }
  tentative_.clear();
}

void GlmTask::add_sample(double z, double y, Evaluation& sums) const {
  const double loss = loss_at(loss_, z, y);
  ++sums.samples;
  sums.loss_sum += loss;
  sums.loss_square_sum += loss * loss;
  if (loss_ != Loss::kSquared) sums.correct += (z > 0) == (y > 0) ? 1 : 0;
}

Result<Evaluation> GlmTask::evaluate(const data::Samples& samples,
                                     std::span<const std::uint32_t> selected, const Model& model) {
  SURETY_TRY(check_model(model));
  SURETY_TRY(const Rows rows, Rows::of(samples, schema_));
  const std::span<const float> weights(model.parameters);
  Evaluation sums;
  for (const std::uint32_t row : selected) {
    SURETY_CHECK(row < rows.size());
    SURETY_TRY(const double y, label_of(samples, row));
    add_sample(rows.products(row, weights).dot, y, sums);
  }
  return sums;
}

Result<Evaluation> GlmTask::duality_terms(const Model& model,
                                          const std::map<ChunkId, data::Chunk>& chunks) {
  SURETY_TRY(check_model(model));
  const std::span<const float> weights(model.parameters);
  Evaluation sums;
  for (const auto& [id, chunk] : chunks) {
    SURETY_TRY(check_state(chunk));
    SURETY_TRY(const Rows rows, Rows::of(chunk.samples, schema_));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      SURETY_TRY(const double y, label_of(chunk.samples, row));
      const double alpha = chunk.state.empty() ? 0 : chunk.state[row];
      if (!is_feasible(loss_, alpha, y)) {
        return fail(ErrorCode::kCorrupt, "chunk {}: sample {} has dual variable {}, label {}", id,
                    row, alpha, y);
      }
      add_sample(rows.products(row, weights).dot, y, sums);
      sums.conjugate_sum += conjugate_at(loss_, alpha, y);
    }
  }
  return sums;
}

Result<void> GlmTask::partial_model(const std::map<ChunkId, data::Chunk>& chunks,
                                    std::span<float> part) {
  SURETY_CHECK(part.size() == schema_.features);
  std::vector<double> sums(part.size(), 0.0);
  for (const auto& [id, chunk] : chunks) {
    if (chunk.state.empty()) continue;
    SURETY_TRY(check_state(chunk));
    SURETY_TRY(const Rows rows, Rows::of(chunk.samples, schema_));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      rows.add(row, chunk.state[row] / lambda_n_, std::span<double>(sums));
    }
  }
  std::transform(sums.begin(), sums.end(), part.begin(),
                 [](double sum) { return static_cast<float>(sum); });
  return {};
}

Result<Model> GlmTask::switch_version(const Model& model, const std::string& version) {
  if (version == "full") return model;
  return fail(ErrorCode::kInvalidInput, "version {}: a linear model has only the version full",
              version);
}

}  // namespace

Result<std::unique_ptr<Task>> make_glm_task(const TaskOptions& options) {
  if (!is_glm(options.model)) {
    return fail(
        ErrorCode::kInvalidInput,
        "model {}: this program trains logistic, svm and ridge; networks need surety-worker",
        options.model);
  }
  if (options.samples == 0 || options.schema.features == 0) {
    return fail(ErrorCode::kInvalidInput, "model {}: {} samples of {} features, expected some",
                options.model, options.samples, options.schema.features);
  }
  if (options.model != "ridge" && options.schema.classes > 2) {
    return fail(ErrorCode::kInvalidInput, "model {}: data of {} classes, expected two",
                options.model, options.schema.classes);
  }
  if (!(options.lambda >= 0) || !std::isfinite(options.lambda)) {
    return fail(ErrorCode::kInvalidInput, "lambda {}: expected 0 (for 1 / samples) or more",
                options.lambda);
  }
  return std::make_unique<GlmTask>(options);
}

}  // namespace surety::learn
