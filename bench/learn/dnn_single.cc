#include "dnn_single.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "bare_loop.h"
#include "base/check.h"
#include "data/generators/digits.h"
#include "data/sources/chunk.h"
#include "learn/order.h"
#include "learn/torch/dnn_task.h"
#include "test/support/base/posix/cpu_time.h"

namespace surety::bench {
namespace {

constexpr double kLearningRate = 0.01;
constexpr double kMomentum = 0.9;
constexpr std::uint32_t kChunks = 8;

using Chunks = std::map<ChunkId, data::Chunk>;

data::Schema schema_of(const std::string& model) {
  const std::uint32_t channels = model == "alexnet" ? 3 : 1;
  const std::uint32_t side = model == "alexnet" ? 32 : data::kDigitSide;
  return {.layout = data::Layout::kDenseU8,
          .channels = channels,
          .height = side,
          .width = side,
          .features = channels * side * side,
          .classes = 10};
}

// Digits, in the middle of a larger picture if the picture is larger. Each channel is fainter than
// the one before.
data::Samples digits(const data::Schema& schema, std::uint64_t first, std::uint32_t count) {
  data::Samples samples;
  samples.u8.resize(std::size_t{count} * schema.features);
  const std::uint32_t margin = (schema.width - data::kDigitSide) / 2;
  for (std::uint32_t i = 0; i < count; ++i) {
    const data::Digit digit = data::draw_digit({}, first + i);
    samples.label.push_back(static_cast<float>(digit.label));
    for (std::uint32_t c = 0; c < schema.channels; ++c) {
      for (std::uint32_t pixel = 0; pixel < data::kDigitPixels; ++pixel) {
        const std::uint32_t row = c * schema.height + pixel / data::kDigitSide + margin;
        const std::uint32_t column = pixel % data::kDigitSide + margin;
        samples.u8[std::size_t{i} * schema.features + row * schema.width + column] =
            static_cast<std::uint8_t>(digit.pixels[pixel] / (c + 1));
      }
    }
  }
  return samples;
}

Chunks make_chunks(const data::Schema& schema, std::uint32_t images) {
  Chunks chunks;
  for (std::uint32_t id = 0; id < kChunks; ++id) {
    const std::uint32_t first = images * id / kChunks;
    data::Chunk& chunk = chunks[ChunkId{id}];
    chunk.range = {.id = ChunkId{id}, .count = images * (id + 1) / kChunks - first};
    chunk.samples = digits(schema, first, chunk.range.count);
  }
  return chunks;
}

// The work of a worker that owns all chunks, cut into iterations as the coordinator does.
std::vector<learn::LocalWork> work_of_pass(const Chunks& chunks, std::uint32_t pass,
                                           std::uint32_t iterations) {
  std::vector<learn::LocalWork> works(iterations);
  for (std::uint32_t i = 0; i < iterations; ++i) {
    works[i] = {.iteration = pass * iterations + i, .pass = pass, .tasks_of_all = 1, .items = {}};
    for (const auto& [id, chunk] : chunks) {
      if (id.value * iterations / kChunks != i) continue;
      works[i].items.push_back({id, 0, chunk.range.count});
    }
  }
  return works;
}

// Trains one pass as a worker does, and returns the mean training loss.
Result<double> pass_of_task(learn::Task& task, const std::vector<learn::LocalWork>& works,
                            Chunks& chunks, learn::Model& model, std::vector<float>& update) {
  const std::atomic<bool> never{false};
  learn::LocalResult sums;
  for (const learn::LocalWork& work : works) {
    SURETY_TRY(const learn::LocalResult result, task.compute(work, model, chunks, update, never));
    task.commit(chunks);
    for (std::size_t i = 0; i < update.size(); ++i) model.parameters[i] += update[i];
    sums.samples += result.samples;
    sums.loss_sum += result.loss_sum;
  }
  return sums.loss_sum / static_cast<double>(sums.samples);
}

// The order in which the task visits the images, as indices into all images.
std::vector<std::uint32_t> order_of_pass(const Chunks& chunks, std::uint64_t seed,
                                         std::uint32_t pass) {
  std::vector<std::uint32_t> order;
  std::uint32_t first = 0;
  for (const auto& [id, chunk] : chunks) {
    for (const std::uint32_t row : learn::sample_order({seed, pass, id}, chunk.range.count)) {
      order.push_back(first + row);
    }
    first += chunk.range.count;
  }
  return order;
}

}  // namespace

Result<DnnSingle> measure_dnn_single(const DnnSingleOptions& options) {
  learn::TaskOptions train;
  train.model = options.model;
  train.schema = schema_of(options.model);
  train.samples = options.images;
  train.batch = options.batch;
  train.learning_rate = kLearningRate;
  train.momentum = kMomentum;
  SURETY_TRY(const auto task, learn::make_dnn_task(train));
  learn::Model model = task->initial_model();
  std::vector<float> update(model.parameters.size());
  Chunks chunks = make_chunks(train.schema, options.images);
  const data::Samples all = digits(train.schema, 0, options.images);
  BareLoop bare({.model = options.model,
                 .batch = options.batch,
                 .learning_rate = kLearningRate,
                 .momentum = kMomentum},
                all.u8, all.label, model.parameters);

  DnnSingle measured;
  for (int repeat = -1; repeat < options.repeats; ++repeat) {
    const auto pass = static_cast<std::uint32_t>(repeat + 1);
    const auto works = work_of_pass(chunks, pass, options.iterations_per_pass);
    const auto order = order_of_pass(chunks, train.seed, pass);
    const double begin_s = posix::process_cpu_seconds();
    SURETY_TRY(measured.task_loss, pass_of_task(*task, works, chunks, model, update));
    const double middle_s = posix::process_cpu_seconds();
    measured.bare_loss = bare.train(order);
    const double end_s = posix::process_cpu_seconds();
    if (repeat < 0) continue;
    measured.task_images_per_s.push_back(options.images / (middle_s - begin_s));
    measured.bare_images_per_s.push_back(options.images / (end_s - middle_s));
  }
  return measured;
}

}  // namespace surety::bench
