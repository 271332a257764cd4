#include "bench/fabric/learning.h"

#include <atomic>
#include <numeric>

#include "data/posix/open.h"
#include "data/sources/chunk.h"
#include "data/url.h"
#include "learn/torch/any_task.h"

namespace surety::bench {
namespace {

constexpr std::uint32_t kBatch = 64;
constexpr std::uint32_t kValidationSamples = 1000;
const std::atomic<bool> kNever{false};

class NetworkLearner final : public Learner {
 public:
  NetworkLearner(std::unique_ptr<learn::Task> task, data::Chunk share, data::Chunk validation)
      : task_(std::move(task)), validation_(std::move(validation)) {
    id_ = share.range.id;
    chunks_.emplace(id_, std::move(share));
    rows_.resize(std::min<std::size_t>(kValidationSamples, validation_.range.count));
    std::iota(rows_.begin(), rows_.end(), 0u);
    model_ = task_->initial_model();
  }

  std::vector<float> first_model() override { return task_->initial_model().parameters; }

  Result<void> step(std::span<float> model) override {
    if (at_ + kBatch > chunks_.at(id_).range.count) {
      at_ = 0;
      ++pass_;
    }
    learn::LocalWork work{.iteration = ++iteration_, .pass = pass_, .items = {{id_, at_, kBatch}}};
    at_ += kBatch;
    model_.parameters.assign(model.begin(), model.end());
    update_.resize(model.size());
    SURETY_TRY(const auto done, task_->compute(work, model_, chunks_, update_, kNever));
    static_cast<void>(done);
    task_->commit(chunks_);
    for (std::size_t i = 0; i < model.size(); ++i) model[i] += update_[i];
    return {};
  }

  Result<std::optional<double>> loss(std::span<const float> model) override {
    model_.parameters.assign(model.begin(), model.end());
    SURETY_TRY(const auto sums, task_->evaluate(validation_.samples, rows_, model_));
    return sums.loss_sum / static_cast<double>(sums.samples);
  }

 private:
  std::unique_ptr<learn::Task> task_;
  ChunkId id_;
  std::map<ChunkId, data::Chunk> chunks_;
  data::Chunk validation_;
  std::vector<std::uint32_t> rows_;
  learn::Model model_;
  std::vector<float> update_;
  std::uint32_t at_ = 0;
  std::uint32_t pass_ = 0;
  std::uint64_t iteration_ = 0;
};

// Loads one of `parts` equal parts of a source as one chunk.
Result<data::Chunk> load_part(const std::string& url, std::uint32_t part, std::uint32_t parts,
                              data::Schema& schema) {
  const auto open = data::local_files();
  SURETY_TRY(const auto parsed, data::parse_url(url));
  SURETY_TRY(data::SourceInfo source, data::inspect(parsed, open));
  source.url = url;
  schema = source.schema;
  const std::uint64_t each = source.samples / parts;
  const data::ChunkRange range{.id = ChunkId{0},
                               .first = part * each,
                               .count = static_cast<std::uint32_t>(each),
                               .bytes = source.bytes / parts};
  SURETY_TRY(auto chunks, data::load_chunks({source}, {range}, open));
  return std::move(chunks.front());
}

}  // namespace

Result<std::unique_ptr<Learner>> make_learner(const LearningSpec& spec) {
  learn::TaskOptions options;
  options.model = "mlp";
  SURETY_TRY(data::Chunk share, load_part(spec.data, spec.index, spec.workers, options.schema));
  data::Schema same;
  SURETY_TRY(data::Chunk validation, load_part(spec.validation, 0, 1, same));
  options.samples = share.range.count * spec.workers;
  options.seed = spec.seed;
  options.batch = kBatch;
  options.learning_rate = spec.learning_rate;
  options.momentum = 0;
  SURETY_TRY(auto task, learn::any_task()(options));
  return std::make_unique<NetworkLearner>(std::move(task), std::move(share), std::move(validation));
}

}  // namespace surety::bench
