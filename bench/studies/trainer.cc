#include "bench/studies/trainer.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/check.h"
#include "bench/iteration_items.h"
#include "learn/network/weight_average.h"
#include "learn/torch/any_task.h"

namespace surety::bench {
namespace {

// The same stride of seeds as in the profile stage of a job.
constexpr std::uint64_t kSeedStride = 1000003;
// Batches of an iteration, as a job's default. After each iteration the model is added to the
// average.
constexpr std::uint32_t kLocalSteps = 16;

}  // namespace

Result<Trainer> Trainer::make(const Study& study, Images images) {
  SURETY_TRY(Parts parts, parts_of(study, images.validation.size()));
  return Trainer(study, std::move(images), std::move(parts));
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
  if (study_.momentum > 0) task_.reset();  // This also discards the momentum.
  SURETY_TRY(use_seed(seed));
  std::vector<learn::WorkItem> left;
  for (const auto& [id, chunk] : images_.chunks) left.push_back({id, 0, chunk.range.count});
  const std::uint32_t samples = kLocalSteps * study_.batch;
  const std::uint32_t iterations = (study_.images + samples - 1) / samples;
  for (std::uint32_t i = 0; i < iterations; ++i) {
    learn::LocalWork work{.iteration = std::uint64_t{pass} * iterations + i,
                          .pass = pass,
                          .tasks_of_all = 1,
                          .items = take_items(samples, left)};
    SURETY_TRY(iterate(work, pass + 1.0 * i * samples / study_.images, model));
  }
  return {};
}

Result<void> Trainer::iterate(const learn::LocalWork& work, double begin, learn::Model& model) {
  static const std::atomic<bool> kNever{false};
  update_.resize(model.parameters.size());
  SURETY_TRY(const learn::LocalResult result,
             task_->compute(work, model, images_.chunks, update_, kNever));
  const learn::Model before = model;
  for (std::size_t i = 0; i < update_.size(); ++i) model.parameters[i] += update_[i];
  task_->after_merge(before, update_, model);
  task_->commit(images_.chunks);
  const double end = begin + static_cast<double>(result.samples) / study_.images;
  std::optional<learn::AverageTurn> turn;
  if (study_.average) turn = {.passes = *study_.average, .begin = begin, .end = end};
  learn::take_into_average(turn, model);
  return {};
}

Result<Measured> Trainer::measure(const learn::Model& model) {
  SURETY_CHECK(task_);
  Measured measured;
  measured.bytes = static_cast<std::uint32_t>(sizeof(float) * model.parameters.size());
  for (std::size_t i = 0; i < kParts; ++i) {
    SURETY_TRY(const learn::Evaluation sums, task_->evaluate(images_.validation, parts_[i], model));
    measured.parts[i] = {static_cast<std::uint32_t>(sums.samples), sums.loss_sum,
                         sums.loss_square_sum,
                         static_cast<std::uint32_t>(sums.correct.value_or(0))};
  }
  return measured;
}

}  // namespace surety::bench
