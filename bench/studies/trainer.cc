#include "bench/studies/trainer.h"

#include <atomic>
#include <utility>

#include "base/check.h"
#include "learn/torch/any_task.h"

namespace surety::bench {
namespace {

// As the profile stage of a job spreads its seeds.
constexpr std::uint64_t kSeedStride = 1000003;

}  // namespace

Result<Trainer> Trainer::make(const Study& study, Images images) {
  SURETY_TRY(Quarters quarters, quarters_of(study, images.validation.size()));
  return Trainer(study, std::move(images), std::move(quarters));
}

Result<void> Trainer::use_seed(std::uint32_t seed) {
  if (task_ && seed == seed_) return {};
  learn::TaskOptions options;
  options.model = study_.network;
  options.schema = images_.schema;
  options.samples = study_.images;
  options.seed = kSeedStride * seed;
  options.batch = study_.batch;
  options.learning_rate = study_.learning_rate;
  options.momentum = study_.momentum;
  SURETY_TRY(task_, learn::any_task()(options));
  seed_ = seed;
  return {};
}

Result<learn::Model> Trainer::begin(std::uint32_t seed, const std::string& version) {
  SURETY_TRY(use_seed(seed));
  return task_->switch_version(task_->initial_model(), version);
}

Result<learn::Model> Trainer::switch_version(const learn::Model& model,
                                             const std::string& version) {
  SURETY_CHECK(task_);
  return task_->switch_version(model, version);
}

Result<void> Trainer::train_pass(std::uint32_t seed, std::uint32_t pass, learn::Model& model) {
  static const std::atomic<bool> kNever{false};
  if (study_.momentum > 0) task_.reset();  // The momentum goes with it.
  SURETY_TRY(use_seed(seed));
  learn::LocalWork work{.iteration = pass, .pass = pass, .workers = 1, .items = {}};
  for (const auto& [id, chunk] : images_.chunks) work.items.push_back({id, 0, chunk.range.count});
  update_.resize(model.parameters.size());
  SURETY_TRY(task_->compute(work, model, images_.chunks, update_, kNever));
  for (std::size_t i = 0; i < update_.size(); ++i) model.parameters[i] += update_[i];
  task_->after_merge(update_, model);
  task_->commit(images_.chunks);
  return {};
}

Result<Measured> Trainer::measure(const learn::Model& model) {
  SURETY_CHECK(task_);
  Measured measured;
  measured.bytes = static_cast<std::uint32_t>(sizeof(float) * model.parameters.size());
  for (std::size_t i = 0; i < kQuarters; ++i) {
    SURETY_TRY(const learn::Evaluation sums,
               task_->evaluate(images_.validation, quarters_[i], model));
    measured.quarters[i] = {static_cast<std::uint32_t>(sums.samples), sums.loss_sum,
                            sums.loss_square_sum, static_cast<std::uint32_t>(sums.correct)};
  }
  return measured;
}

}  // namespace surety::bench
