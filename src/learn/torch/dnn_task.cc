#include "learn/torch/dnn_task.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/random.h"
#include "learn/network/inputs.h"
#include "learn/network/network_version.h"
#include "learn/network/outer_step.h"
#include "learn/network/sgd.h"
#include "learn/sample_check.h"
#include "learn/torch/compensation.h"
#include "model/initial.h"
#include "model/layout.h"
#include "model/torch/network.h"
#include "model/zoo.h"

namespace surety::learn {
namespace {

// Samples in one forward pass of an evaluation: enough for an efficient BLAS. Twice as many take
// twice the memory for activations.
constexpr std::size_t kEvaluationBatch = 256;

class DnnTask final : public Task {
 public:
  DnnTask(const TaskOptions& options, model::NetSpec full)
      : options_(options),
        sgd_{.learning_rate = static_cast<float>(options.learning_rate),
             .momentum = static_cast<float>(options.momentum),
             .weight_decay = static_cast<float>(options.weight_decay)},
        outer_{.momentum = static_cast<float>(options.outer_momentum),
               .learning_rate = static_cast<float>(options.outer_learning_rate)},
        full_(std::move(full)) {}

  [[nodiscard]] Model initial_model() const override;
  [[nodiscard]] Result<LocalResult> compute(const LocalWork& work, const Model& model,
                                            std::map<ChunkId, data::Chunk>& chunks,
                                            std::span<float> update,
                                            const std::atomic<bool>& stop) override;
  [[nodiscard]] double choose_step(const LineOrder&, const std::map<ChunkId, data::Chunk>&,
                                   const Model&, std::span<const float>,
                                   const LineSlopes&) override {
    return 1;
  }
  void after_merge(const Model& before, std::span<const float> update, Model& model) const override;
  void commit(std::map<ChunkId, data::Chunk>& chunks) override;
  void discard() override { tentative_.reset(); }
  [[nodiscard]] Result<Evaluation> evaluate(const data::Samples& samples,
                                            std::span<const std::uint32_t> selected,
                                            const Model& model) override;
  [[nodiscard]] Result<Evaluation> duality_terms(
      const Model& model, std::span<const double> sums,
      const std::map<ChunkId, data::Chunk>& chunks) override;
  [[nodiscard]] Result<void> add_dual_sums(const std::map<ChunkId, data::Chunk>& chunks,
                                           std::span<double> sums) override;
  [[nodiscard]] Result<Model> switch_version(const Model& model,
                                             const std::string& version) override;

 private:
  // Momentum of one version's trainable values; empty means zero.
  struct Momentum {
    std::string version;
    std::vector<float> velocity;
  };

  void reset_velocity(Model& model) const {
    model.velocity.assign(outer_.momentum > 0 ? model.parameters.size() : 0, 0.0f);
  }
  [[nodiscard]] Result<void> load(const Model& model, std::span<const float> values);
  // Whether learning must begin with a compensation.
  [[nodiscard]] bool is_to_be_compensated(const Model& model) const;
  [[nodiscard]] Result<void> compensate_cut(const LocalWork& work, const Model& model,
                                            const std::map<ChunkId, data::Chunk>& chunks,
                                            const std::atomic<bool>& stop);
  [[nodiscard]] Result<LocalResult> take_steps(const LocalWork& work,
                                               const std::map<ChunkId, data::Chunk>& chunks,
                                               std::span<float> velocity,
                                               const std::atomic<bool>& stop);
  [[nodiscard]] Result<double> train(const Batch& batch, double rate, std::span<float> velocity);
  [[nodiscard]] tl::unexpected<Error> diverged(const char* what, double value) const;
  void evaluate_batch(const Batch& batch, Evaluation& sums);

  TaskOptions options_;
  SgdOptions sgd_;
  OuterOptions outer_;
  model::NetSpec full_;
  std::string version_;                         // The version that network_ computes.
  std::optional<model::TorchNetwork> network_;  // Built at the first use of a version.
  std::uint64_t trainable_ = 0;                 // Number of trainable values of network_.
  Momentum momentum_;                           // The momentum after the last commit.
  std::optional<Momentum> tentative_;  // The momentum after a compute() that is not committed yet.
  Batch batch_;                        // A member so that its memory is used again.
};

Model DnnTask::initial_model() const {
  Model model;
  model.parameters = model::initial_parameters(full_, options_.seed);
  reset_velocity(model);
  return model;
}

// Loads the network of the model's version with `values`: its parameters or their average.
Result<void> DnnTask::load(const Model& model, std::span<const float> values) {
  SURETY_TRY(check_network_model(full_, model));
  if (!network_ || version_ != model.version) {
    SURETY_TRY(const model::NetSpec spec, spec_of_version(full_, model.version));
    network_.emplace(spec);
    trainable_ = model::layout_of(spec).trainable;
    version_ = model.version;
  }
  std::ranges::copy(values, network_->parameters().begin());
  return {};
}

Result<LocalResult> DnnTask::compute(const LocalWork& work, const Model& model,
                                     std::map<ChunkId, data::Chunk>& chunks,
                                     std::span<float> update, const std::atomic<bool>& stop) {
  SURETY_CHECK(update.size() == model.parameters.size());
  const std::optional<Momentum> before = std::exchange(tentative_, std::nullopt);
  SURETY_TRY(load(model, model.parameters));
  const Momentum& from = work.continues && before ? *before : momentum_;
  Momentum momentum{.version = version_, .velocity = {}};
  if (from.version == version_) momentum.velocity = from.velocity;
  momentum.velocity.resize(trainable_, 0.0f);
  SURETY_TRY(compensate_cut(work, model, chunks, stop));
  SURETY_TRY(const LocalResult result, take_steps(work, chunks, momentum.velocity, stop));
  const std::span<const float> learned = network_->parameters();
  for (std::size_t i = 0; i < update.size(); ++i) {
    update[i] = learned[i] - model.parameters[i];
    // The last step may have made values infinite.
    if (!std::isfinite(update[i])) return diverged("update", update[i]);
  }
  tentative_ = std::move(momentum);
  return result;
}

// A network that has never learned has no quality to restore.
bool DnnTask::is_to_be_compensated(const Model& model) const {
  return is_unchanged_since_cut(full_, model) &&
         model.parent != model::initial_parameters(full_, options_.seed);
}

// Each worker compensates in full (LocalWork::asynchronous).
Result<void> DnnTask::compensate_cut(const LocalWork& work, const Model& model,
                                     const std::map<ChunkId, data::Chunk>& chunks,
                                     const std::atomic<bool>& stop) {
  if (!is_to_be_compensated(model)) return {};
  SURETY_TRY(const Batch samples,
             spread_samples(chunks, options_.schema, compensation_samples(full_)));
  compensate(full_, model, samples, *network_, [&] {
    return stop.load(std::memory_order_relaxed) || (work.enough && work.enough());
  });
  if (work.when_ready) work.when_ready();
  return {};
}

Result<LocalResult> DnnTask::take_steps(const LocalWork& work,
                                        const std::map<ChunkId, data::Chunk>& chunks,
                                        std::span<float> velocity, const std::atomic<bool>& stop) {
  if (!work.items.empty()) {
    const WorkItem& item = work.items.front();
    Random random = Random(options_.seed)
                        .fork("dropout", work.iteration)
                        .fork("chunk", item.chunk.value)
                        .fork("first", item.first);
    network_->seed(random.next());
  }
  BatchReader reader({options_.schema, options_.seed, options_.batch}, work, chunks);
  LocalResult result;
  while (true) {
    if (stop.load(std::memory_order_relaxed)) return fail(ErrorCode::kUnavailable, "stopped");
    SURETY_TRY(reader.next(batch_));
    const std::size_t samples = batch_.size();
    if (samples == 0) break;
    SURETY_TRY(const double loss, train(batch_, work.rate, velocity));
    result.samples += samples;
    result.loss_sum += loss * static_cast<double>(samples);
    if (work.enough && work.enough()) break;
  }
  result.trainable = trainable_;
  return result;
}

Result<double> DnnTask::train(const Batch& batch, double rate, std::span<float> velocity) {
  const double loss = network_->train_batch(batch.inputs, batch.labels);
  if (!std::isfinite(loss)) return diverged("training loss", loss);
  SgdOptions sgd = sgd_;
  sgd.learning_rate *= static_cast<float>(rate);
  sgd_step(sgd, network_->gradients().first(trainable_), velocity,
           network_->parameters().first(trainable_));
  return loss;
}

tl::unexpected<Error> DnnTask::diverged(const char* what, double value) const {
  return fail(ErrorCode::kDiverged,
              "the {} is {}: learning_rate {:.3g} is too high for {}, try {:.3g}", what, value,
              options_.learning_rate, options_.model, options_.learning_rate / 10);
}

// Steps only the trainable values: batch-norm statistics are averages over batches, and with
// momentum a variance could become negative. A compensation is not a direction of descent, so there
// is no outer step, and the average of models begins again after it.
void DnnTask::after_merge(const Model& before, std::span<const float> update, Model& model) const {
  if (is_to_be_compensated(before)) return model.average.clear();
  if (outer_.is_average()) return;
  const Result<model::NetSpec> spec = spec_of_version(full_, model.version);
  SURETY_CHECK(spec.has_value());
  const std::uint64_t trainable = model::layout_of(*spec).trainable;
  const std::span<float> velocity(model.velocity);
  outer_step(outer_, update.first(trainable), velocity.first(velocity.empty() ? 0 : trainable),
             std::span(model.parameters).first(trainable));
}

void DnnTask::commit(std::map<ChunkId, data::Chunk>&) {
  if (tentative_) momentum_ = std::move(*tentative_);
  tentative_.reset();
}

Result<Evaluation> DnnTask::evaluate(const data::Samples& samples,
                                     std::span<const std::uint32_t> selected, const Model& model) {
  SURETY_TRY(check_samples(samples, options_.schema));
  SURETY_TRY(load(model, model.kept()));
  Evaluation sums;
  for (std::size_t begin = 0; begin < selected.size(); begin += kEvaluationBatch) {
    const std::size_t end = std::min(begin + kEvaluationBatch, selected.size());
    batch_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      SURETY_TRY(append_sample(samples, options_.schema, selected[i], batch_));
    }
    evaluate_batch(batch_, sums);
  }
  return sums;
}

void DnnTask::evaluate_batch(const Batch& batch, Evaluation& sums) {
  std::vector<float> losses(batch.size());
  std::vector<std::uint8_t> correct(batch.size());
  network_->evaluate(batch.inputs, batch.labels, losses, correct);
  sums.samples += batch.size();
  for (const float loss : losses) {
    sums.loss_sum += loss;
    sums.loss_square_sum += double{loss} * loss;
  }
  const auto right = std::ranges::count(correct, std::uint8_t{1});
  sums.correct = sums.correct.value_or(0) + static_cast<std::uint64_t>(right);
}

Result<Evaluation> DnnTask::duality_terms(const Model&, std::span<const double>,
                                          const std::map<ChunkId, data::Chunk>&) {
  return fail(ErrorCode::kInvalidInput, "model {}: a network has no duality gap", options_.model);
}

Result<void> DnnTask::add_dual_sums(const std::map<ChunkId, data::Chunk>&, std::span<double>) {
  return fail(ErrorCode::kInvalidInput, "model {}: a network is not a sum of dual variables",
              options_.model);
}

Result<Model> DnnTask::switch_version(const Model& model, const std::string& version) {
  SURETY_TRY(Model changed, switch_network_version(full_, model, version));
  // Reset like the local momentum, because other weights have other slopes.
  reset_velocity(changed);
  return changed;
}

Result<void> check_options(const TaskOptions& options) {
  const auto refuse = [](const char* key, double found, const char* expected) {
    return fail(ErrorCode::kInvalidInput, "{}: found {}, expected {}", key, found, expected);
  };
  if (options.batch < 1) return refuse("batch", options.batch, "at least 1");
  if (options.threads < 1) return refuse("threads", options.threads, "at least 1");
  if (!(options.learning_rate > 0) || !std::isfinite(options.learning_rate)) {
    return refuse("learning_rate", options.learning_rate, "a number above 0");
  }
  if (!(options.momentum >= 0 && options.momentum < 1)) {
    return refuse("momentum", options.momentum, "at least 0 and less than 1");
  }
  if (!(options.outer_momentum >= 0 && options.outer_momentum < 1)) {
    return refuse("outer_momentum", options.outer_momentum, "at least 0 and less than 1");
  }
  if (!(options.outer_learning_rate > 0) || !std::isfinite(options.outer_learning_rate)) {
    return refuse("outer_learning_rate", options.outer_learning_rate, "a number above 0");
  }
  if (!(options.weight_decay >= 0) || !std::isfinite(options.weight_decay)) {
    return refuse("weight_decay", options.weight_decay, "at least 0");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Task>> make_dnn_task(const TaskOptions& options) {
  SURETY_TRY(check_options(options));
  const data::Schema& schema = options.schema;
  const model::Input input{.channels = schema.channels,
                           .height = schema.height,
                           .width = schema.width,
                           .classes = schema.classes};
  if (input.features() != schema.features) {
    return fail(ErrorCode::kInvalidInput,
                "found data of {} features, expected those of {} x {} x {} images", schema.features,
                schema.channels, schema.height, schema.width);
  }
  SURETY_TRY(model::NetSpec spec, model::zoo(options.model, input));
  model::set_torch_threads(static_cast<int>(options.threads));
  return std::make_unique<DnnTask>(options, std::move(spec));
}

}  // namespace surety::learn
