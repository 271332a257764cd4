#include "jitter.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "base/check.h"
#include "bench/iteration_items.h"
#include "data/posix/open.h"
#include "data/reader.h"
#include "learn/torch/any_task.h"
#include "learn/weight_average.h"

namespace surety::bench {
namespace {

constexpr std::uint64_t kSeedStride = 1000003;
constexpr std::uint32_t kChunks = 8;
// As a job's default (train.average).
constexpr double kAveragePasses = 2;

using Chunks = std::map<ChunkId, data::Chunk>;

struct Images {
  data::Schema schema;
  Chunks chunks;
  data::Samples validation;
};

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

Result<Images> load(const JitterCase& spec, const std::string& folder) {
  const data::OpenFile open = data::local_files(folder);
  Images images;
  SURETY_TRY(images.validation,
             first_images(spec.validation, open, spec.validation_images, images.schema));
  SURETY_TRY(const data::Samples all, first_images(spec.train, open, spec.images, images.schema));
  const std::size_t features = images.schema.features;
  for (std::uint32_t id = 0; id < kChunks; ++id) {
    const std::size_t first = spec.images * id / kChunks, end = spec.images * (id + 1) / kChunks;
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

// The workers of one run, and the model that they have in common.
class Cluster {
 public:
  Cluster(const JitterCase& spec, Images& images) : spec_(spec), images_(images) {}

  Result<void> begin(std::uint32_t seed) {
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

  Result<void> train_pass(std::uint32_t pass) {
    std::vector<std::vector<learn::WorkItem>> left(spec_.workers);
    std::size_t next = 0;
    for (const auto& [id, chunk] : images_.chunks) {
      left[next++ % left.size()].push_back({id, 0, chunk.range.count});
    }
    while (true) {
      SURETY_TRY(const std::uint64_t done, iterate(pass, left));
      if (done == 0) return {};
    }
  }

  Result<LossCurves> measure(LossCurves curves) {
    std::vector<std::uint32_t> all(images_.validation.size());
    std::iota(all.begin(), all.end(), 0u);
    learn::Model last = model_;
    last.average.clear();
    for (const auto& [model, curve] :
         {std::pair(&last, &curves.last), std::pair(&model_, &curves.averaged)}) {
      SURETY_TRY(const learn::Evaluation sums,
                 tasks_.front()->evaluate(images_.validation, all, *model));
      curve->push_back(sums.loss_sum / static_cast<double>(sums.samples));
    }
    return curves;
  }

 private:
  // The samples of it; 0 where the pass is over.
  Result<std::uint64_t> iterate(std::uint32_t pass,
                                std::vector<std::vector<learn::WorkItem>>& left) {
    static const std::atomic<bool> kNever{false};
    ++iteration_;
    std::vector<double> sum(model_.parameters.size(), 0.0);
    std::vector<float> update(model_.parameters.size());
    std::uint64_t done = 0;
    for (std::size_t worker = 0; worker < tasks_.size(); ++worker) {
      learn::LocalWork work{.iteration = iteration_,
                            .pass = pass,
                            .workers = spec_.workers,
                            .items = take_items(spec_.local_steps * spec_.batch, left[worker])};
      if (work.items.empty()) continue;
      SURETY_TRY(const learn::LocalResult result,
                 tasks_[worker]->compute(work, model_, images_.chunks, update, kNever));
      tasks_[worker]->commit(images_.chunks);
      done += result.samples;
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += static_cast<double>(result.samples) * update[i];
      }
    }
    if (done == 0) return done;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      model_.parameters[i] += static_cast<float>(sum[i] / static_cast<double>(done));
    }
    const double begin = static_cast<double>(samples_) / spec_.images;
    samples_ += done;
    learn::take_into_average({.passes = kAveragePasses,
                              .begin = begin,
                              .end = static_cast<double>(samples_) / spec_.images},
                             model_);
    return done;
  }

  const JitterCase& spec_;
  Images& images_;
  std::vector<std::unique_ptr<learn::Task>> tasks_;
  learn::Model model_;
  std::uint64_t samples_ = 0, iteration_ = 0;  // Of the run so far.
};

}  // namespace

Result<std::vector<LossCurves>> train_curves(const JitterCase& spec, const std::string& folder,
                                             std::uint32_t seeds) {
  SURETY_TRY(Images images, load(spec, folder));
  Cluster cluster(spec, images);
  std::vector<LossCurves> all;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    SURETY_TRY(cluster.begin(seed));
    LossCurves curves;
    for (std::uint32_t pass = 0; pass < spec.passes; ++pass) {
      SURETY_TRY(cluster.train_pass(pass));
      SURETY_TRY(curves, cluster.measure(std::move(curves)));
    }
    all.push_back(std::move(curves));
  }
  return all;
}

double jitter_of(const std::vector<double>& losses, std::size_t after) {
  SURETY_CHECK(losses.size() >= after + 2);
  double sum = 0, squares = 0;
  for (std::size_t i = after; i < losses.size(); ++i) {
    const double step = losses[i] - losses[i - 1];
    sum += step;
    squares += step * step;
  }
  const auto count = static_cast<double>(losses.size() - after);
  return std::sqrt(std::max(0.0, squares / count - sum * sum / (count * count)));
}

double passes_to(const std::vector<double>& losses, double target) {
  const auto hit = std::ranges::find_if(losses, [&](double loss) { return loss <= target; });
  return static_cast<double>(hit - losses.begin()) + 1;
}

}  // namespace surety::bench
