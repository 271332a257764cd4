#include "svm_trainer.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>

#include "base/posix/clock.h"
#include "learn/linear/glm_task.h"
#include "test/support/base/posix/cpu_time.h"

namespace surety::bench {
namespace {

data::Samples slice(const Dataset& set, std::size_t first, std::size_t count) {
  const data::Samples& all = set.samples;
  data::Samples part;
  const auto at = [](const auto& values, std::size_t i) {
    return values.begin() + static_cast<std::ptrdiff_t>(i);
  };
  part.label.assign(at(all.label, first), at(all.label, first + count));
  if (set.schema.layout == data::Layout::kDenseF32) {
    const std::size_t width = set.schema.features;
    part.f32.assign(at(all.f32, first * width), at(all.f32, (first + count) * width));
    return part;
  }
  const std::uint64_t begin = all.row_begin[first];
  const std::uint64_t end = all.row_begin[first + count];
  part.f32.assign(at(all.f32, begin), at(all.f32, end));
  part.index.assign(at(all.index, begin), at(all.index, end));
  for (std::size_t i = first; i <= first + count; ++i) {
    part.row_begin.push_back(all.row_begin[i] - begin);
  }
  return part;
}

// Estimates whether computing the gap is worth its time. The gains of the visits add up to about
// the gap before the iteration, and the gap falls by about the same factor each time.
class Forecast {
 public:
  [[nodiscard]] double after(double gap_estimate) {
    const double factor = before_ > 0 ? std::min(1.0, gap_estimate / before_) : 1;
    before_ = gap_estimate;
    return gap_estimate * factor;
  }

 private:
  double before_ = 0;
};

}  // namespace

Chunks cut_into_chunks(const Dataset& set) {
  static constexpr std::uint64_t kChunkBytes = 1 << 20;
  const std::size_t samples = set.samples.size();
  const std::size_t chunk_rows =
      std::max<std::size_t>(1, samples * kChunkBytes / set.samples.bytes());
  Chunks chunks;
  for (std::size_t first = 0; first < samples; first += chunk_rows) {
    const ChunkId id{static_cast<std::uint32_t>(chunks.size())};
    const auto count = static_cast<std::uint32_t>(std::min(chunk_rows, samples - first));
    chunks.emplace(
        id,
        data::Chunk{.range = {.id = id, .source = 0, .first = first, .count = count, .bytes = 0},
                    .samples = slice(set, first, count),
                    .state = {}});
  }
  return chunks;
}

Result<Trained> train_svm(const data::Schema& schema, Chunks& chunks, double target,
                          std::shared_ptr<Team> team) {
  learn::LocalWork work{.iteration = 0, .pass = 0, .tasks_of_all = 1, .items = {}};
  std::uint64_t samples = 0;
  for (const auto& [id, chunk] : chunks) {
    work.items.push_back({id, 0, chunk.range.count});
    samples += chunk.range.count;
  }
  const auto n = static_cast<double>(samples);
  const double start_s = posix::process_cpu_seconds();
  const Time began = posix::now();
  SURETY_TRY(const auto task,
             learn::make_glm_task(
                 {.model = "svm", .schema = schema, .samples = samples, .team = std::move(team)}));
  const std::atomic<bool> never{false};
  learn::Model model = task->initial_model();
  std::vector<float> update(model.parameters.size());
  Trained best{.model = model, .gap = std::numeric_limits<double>::infinity()};
  double best_primal = best.gap;
  Forecast forecast;
  while (best.gap > target) {
    SURETY_TRY(const auto result, task->compute(work, model, chunks, update, never));
    task->commit(chunks);
    for (std::size_t f = 0; f < update.size(); ++f) model.parameters[f] += update[f];
    ++work.pass;
    ++best.iterations;
    if (forecast.after(result.gap_sum / n) > target) continue;
    const std::vector<double> sums(model.parameters.begin(), model.parameters.end());
    SURETY_TRY(const auto terms, task->duality_terms(model, sums, chunks));
    double square = 0;
    for (const float w : model.parameters) square += double{w} * w;
    const double primal = (terms.loss_sum + square / 2) / n;
    if (primal < best_primal) {
      best_primal = primal;
      best.model = model;
    }
    best.dual = primal - (terms.gap_sum + terms.penalty_gap) / n;
    best.gap = best_primal - best.dual;
  }
  best.wall_s = to_seconds(posix::now() - began);
  best.cpu_s = posix::process_cpu_seconds() - start_s;
  return best;
}

}  // namespace surety::bench
