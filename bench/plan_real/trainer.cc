#include "trainer.h"

#include <atomic>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "learn/torch/any_task.h"

namespace surety::bench {
namespace {

// As the profile stage of a job spreads its seeds.
constexpr std::uint64_t kSeedStride = 1000003;

struct Mean {
  double value = 0, se = 0;
};

Mean loss_of(const learn::Evaluation& sums) {
  const auto n = static_cast<double>(sums.samples);
  const double mean = sums.loss_sum / n;
  const double variance = std::max(0.0, sums.loss_square_sum / n - mean * mean);
  return {mean, std::sqrt(variance / n)};
}

}  // namespace

Trainer::Trainer(const Study& study, Images images) : study_(study), images_(std::move(images)) {}

Result<void> Trainer::use_seed(std::uint32_t seed) {
  if (task_ && seed == seed_) return {};
  learn::TaskOptions options;
  options.model = study_.network;
  options.schema = images_.schema;
  options.samples = study_.images;
  options.seed = kSeedStride * seed;
  options.batch = study_.batch;
  options.learning_rate = study_.learning_rate;
  options.momentum = 0;
  SURETY_TRY(splits_, splits_of(study_, images_, options.seed));
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
  SURETY_TRY(use_seed(seed));
  learn::LocalWork work{.iteration = pass, .pass = pass, .workers = 1, .items = {}};
  for (const auto& [id, chunk] : images_.chunks) work.items.push_back({id, 0, chunk.range.count});
  update_.resize(model.parameters.size());
  SURETY_TRY(task_->compute(work, model, images_.chunks, update_, kNever));
  task_->commit(images_.chunks);
  for (std::size_t i = 0; i < update_.size(); ++i) model.parameters[i] += update_[i];
  return {};
}

Result<Measured> Trainer::measure(const learn::Model& model) {
  SURETY_CHECK(task_);
  SURETY_TRY(const learn::Evaluation deciding,
             task_->evaluate(images_.validation, splits_.deciding, model));
  SURETY_TRY(const learn::Evaluation certifying,
             task_->evaluate(images_.validation, splits_.certifying, model));
  const Mean decide = loss_of(deciding), certify = loss_of(certifying);
  return Measured{decide.value, decide.se, certify.value, certify.se};
}

}  // namespace surety::bench
