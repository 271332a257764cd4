#include "cluster.h"

#include <atomic>
#include <numeric>
#include <utility>

#include "bench/iteration_items.h"
#include "data/formats/open_reader.h"
#include "data/posix/open.h"
#include "data/reader.h"
#include "data/url.h"
#include "learn/network/weight_average.h"
#include "learn/torch/any_task.h"

namespace surety::bench {
namespace {

constexpr std::uint64_t kSeedStride = 1000003;
constexpr std::uint32_t kChunks = 8;
// The default of a job (train.average).
constexpr double kAveragePasses = 2;

Result<data::Samples> first_images(const std::string& url, const data::OpenFile& open,
                                   std::uint32_t count, data::Schema& schema) {
  SURETY_TRY(const data::SourceUrl source, data::parse_url(url));
  SURETY_TRY(const auto reader, data::open_reader(source, open));
  schema = reader->schema();
  data::Samples samples;
  SURETY_TRY(const std::size_t found, reader->read(count, samples));
  if (found < count) {
    return fail(ErrorCode::kInvalidInput, "{}: found {} images, expected {}", url, found, count);
  }
  return samples;
}

}  // namespace

Result<Images> load_images(const JitterCase& spec, const std::string& folder) {
  const data::OpenFile open = data::local_files(folder);
  Images images;
  SURETY_TRY(images.validation,
             first_images(spec.validation, open, spec.validation_images, images.schema));
  SURETY_TRY(const data::Samples all, first_images(spec.train, open, spec.images, images.schema));
  const std::size_t features = images.schema.features;
  for (std::uint32_t id = 0; id < kChunks; ++id) {
    const std::size_t first = spec.images * id / kChunks;
    const std::size_t end = spec.images * (id + 1) / kChunks;
    data::Chunk& chunk = images.chunks[ChunkId{id}];
    chunk.range = {.id = ChunkId{id}, .first = first};
    chunk.range.count = static_cast<std::uint32_t>(end - first);
    const auto at = [&](std::size_t image) {
      return all.u8.begin() + static_cast<std::ptrdiff_t>(image * features);
    };
    chunk.samples.u8.assign(at(first), at(end));
    const auto label = all.label.begin();
    chunk.samples.label.assign(label + static_cast<std::ptrdiff_t>(first),
                               label + static_cast<std::ptrdiff_t>(end));
  }
  return images;
}

Cluster::Cluster(const JitterCase& spec, const Images& images)
    : spec_(spec), images_(images), chunks_(spec.workers) {
  std::size_t next = 0;
  for (const auto& [id, chunk] : images.chunks) {
    chunks_[next++ % chunks_.size()].emplace(id, chunk);
  }
}

Result<void> Cluster::begin(std::uint32_t seed) {
  learn::TaskOptions options{
      .model = spec_.model, .schema = images_.schema, .samples = spec_.images};
  options.seed = kSeedStride * seed;
  options.batch = spec_.batch;
  options.local_steps = spec_.local_steps;
  options.learning_rate = spec_.learning_rate;
  options.momentum = spec_.momentum;
  tasks_.clear();
  for (std::uint32_t worker = 0; worker < spec_.workers; ++worker) {
    SURETY_TRY(tasks_.emplace_back(), learn::any_task()(options));
  }
  SURETY_TRY(model_,
             tasks_.front()->switch_version(tasks_.front()->initial_model(), spec_.version));
  samples_ = iteration_ = 0;
  return {};
}

std::vector<std::vector<learn::WorkItem>> Cluster::items_of_pass() const {
  std::vector<std::vector<learn::WorkItem>> items(spec_.workers);
  for (std::size_t worker = 0; worker < items.size(); ++worker) {
    for (const auto& [id, chunk] : chunks_[worker]) {
      items[worker].push_back({id, 0, chunk.range.count});
    }
  }
  return items;
}

Result<void> Cluster::train_pass(std::uint32_t pass) {
  auto left = items_of_pass();
  while (true) {
    SURETY_TRY(const std::uint64_t done, iterate(pass, 1, spec_.local_steps * spec_.batch, left));
    if (done == 0) return {};
  }
}

Result<void> Cluster::take_no_step(std::uint32_t pass) {
  auto left = items_of_pass();
  SURETY_TRY(const std::uint64_t done, iterate(pass, 0, spec_.batch, left));
  samples_ -= done;
  return {};
}

Result<void> Cluster::switch_version(const std::string& version) {
  SURETY_TRY(model_, tasks_.front()->switch_version(model_, version));
  return {};
}

Result<double> Cluster::loss(const learn::Model& model) {
  std::vector<std::uint32_t> all(images_.validation.size());
  std::iota(all.begin(), all.end(), 0u);
  SURETY_TRY(const learn::Evaluation sums,
             tasks_.front()->evaluate(images_.validation, all, model));
  return sums.loss_sum / static_cast<double>(sums.samples);
}

Result<std::uint64_t> Cluster::iterate(std::uint32_t pass, double rate, std::uint32_t samples,
                                       std::vector<std::vector<learn::WorkItem>>& left) {
  static const std::atomic<bool> kNever{false};
  ++iteration_;
  std::vector<double> sum(model_.parameters.size(), 0.0);
  std::vector<float> update(model_.parameters.size());
  std::uint64_t done = 0;
  for (std::size_t worker = 0; worker < tasks_.size(); ++worker) {
    learn::LocalWork work{.iteration = iteration_,
                          .pass = pass,
                          .tasks_of_all = spec_.workers,
                          .items = take_items(samples, left[worker])};
    if (work.items.empty()) continue;
    work.rate = rate;
    SURETY_TRY(const learn::LocalResult result,
               tasks_[worker]->compute(work, model_, chunks_[worker], update, kNever));
    tasks_[worker]->commit(chunks_[worker]);
    done += result.samples;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += static_cast<double>(result.samples) * update[i];
    }
  }
  if (done == 0) return done;
  const learn::Model before = model_;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    update[i] = static_cast<float>(sum[i] / static_cast<double>(done));
    model_.parameters[i] += update[i];
  }
  tasks_.front()->after_merge(before, update, model_);
  const double begin = static_cast<double>(samples_) / spec_.images;
  samples_ += done;
  learn::take_into_average(learn::AverageTurn{.passes = kAveragePasses,
                                              .begin = begin,
                                              .end = static_cast<double>(samples_) / spec_.images},
                           model_);
  return done;
}

}  // namespace surety::bench
