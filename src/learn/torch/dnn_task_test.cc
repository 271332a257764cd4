#include "learn/torch/dnn_task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/order.h"
#include "learn/torch/any_task.h"
#include "learn/torch/digits_test.h"
#include "model/layout.h"
#include "model/prune.h"
#include "model/torch/network.h"
#include "model/zoo.h"

namespace surety::learn {
namespace dnn_task_test {

using digits_test::digits;
using digits_test::kDigits;
using Chunks = std::map<ChunkId, data::Chunk>;

const std::atomic<bool> kNever{false};

TaskOptions digit_options(const std::string& model) {
  TaskOptions options;
  options.model = model;
  options.schema = kDigits;
  options.batch = 16;
  return options;
}

Chunks digit_chunks(std::uint32_t chunks, std::uint32_t samples_per_chunk) {
  Chunks result;
  for (std::uint32_t id = 0; id < chunks; ++id) {
    data::Chunk& chunk = result[ChunkId{id}];
    chunk.range = {.id = ChunkId{id}, .count = samples_per_chunk};
    chunk.samples = digits(std::uint64_t{id} * samples_per_chunk, samples_per_chunk);
  }
  return result;
}

LocalWork work_on(std::vector<WorkItem> items, std::uint32_t pass = 0) {
  return {.iteration = pass, .pass = pass, .tasks_of_all = 1, .items = std::move(items)};
}

std::vector<float> update_of(Task& task, const LocalWork& work, const Model& model,
                             Chunks& chunks) {
  std::vector<float> update(model.parameters.size());
  const auto result = task.compute(work, model, chunks, update, kNever);
  EXPECT_TRUE(result) << result.error().message;
  return update;
}

void add(Model& model, const std::vector<float>& update, float weight = 1) {
  for (std::size_t i = 0; i < update.size(); ++i) model.parameters[i] += weight * update[i];
}

// Local SGD as in a textbook, on one work item; `velocity` is kept between calls.
std::vector<float> plain_sgd(const TaskOptions& options, const Model& model, const Chunks& chunks,
                             const LocalWork& work, std::vector<double>& velocity) {
  const auto& shape = options.schema;
  const auto spec =
      model::zoo(options.model, {shape.channels, shape.height, shape.width, shape.classes}).value();
  const std::uint64_t trainable = model::layout_of(spec).trainable;
  model::TorchNetwork network(spec);
  std::copy(model.parameters.begin(), model.parameters.end(), network.parameters().begin());
  velocity.resize(trainable, 0.0);
  const WorkItem item = work.items.at(0);
  const data::Samples& samples = chunks.at(item.chunk).samples;
  const auto order = sample_order({options.seed, work.pass, item.chunk},
                                  static_cast<std::uint32_t>(samples.size()));
  for (std::uint32_t begin = 0; begin < item.count; begin += options.batch) {
    std::vector<float> inputs;
    std::vector<std::int64_t> labels;
    for (std::uint32_t i = begin; i < std::min(begin + options.batch, item.count); ++i) {
      const std::uint32_t row = order[item.first + i];
      labels.push_back(static_cast<std::int64_t>(samples.label[row]));
      for (std::uint32_t f = 0; f < shape.features; ++f) {
        const double x = samples.u8[std::size_t{row} * shape.features + f] / 255.0;
        inputs.push_back(static_cast<float>((x - 0.5) / 0.5));
      }
    }
    network.train_batch(inputs, labels);
    for (std::size_t i = 0; i < trainable; ++i) {
      float& w = network.parameters()[i];
      const double g = network.gradients()[i] + options.weight_decay * w;
      velocity[i] = options.momentum * velocity[i] + g;
      w = static_cast<float>(w - options.learning_rate * velocity[i]);
    }
  }
  return {network.parameters().begin(), network.parameters().end()};
}

TEST(DnnTask, OneWorkerAloneIsPlainSgd) {
  TaskOptions options = digit_options("lenet5");
  options.weight_decay = 0.01;
  const auto task = make_dnn_task(options).value();
  Chunks chunks = digit_chunks(1, 60);
  Model model = task->initial_model();
  std::vector<float> expected = model.parameters;
  std::vector<double> velocity;
  for (std::uint32_t pass = 0; pass < 3; ++pass) {
    const LocalWork work = work_on({{ChunkId{0}, 5, 50}}, pass);
    Model plain = model;
    plain.parameters = expected;
    expected = plain_sgd(options, plain, chunks, work, velocity);
    add(model, update_of(*task, work, model, chunks));
    task->commit(chunks);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(model.parameters[i], expected[i], 1e-4) << "pass " << pass << ", value " << i;
    }
  }
}

TEST(DnnTask, UpdatesWeightedBySamplesMergeToTheAverageOfTheLocalModels) {
  const TaskOptions options = digit_options("mlp");
  Chunks chunks = digit_chunks(2, 60);
  const LocalWork works[] = {work_on({{ChunkId{0}, 0, 20}}), work_on({{ChunkId{1}, 0, 60}})};
  const float weights[] = {0.25f, 0.75f};
  const auto first = make_dnn_task(options).value();
  const Model start = first->initial_model();
  Model merged = start;
  std::vector<double> average(start.parameters.size(), 0.0);
  for (int k = 0; k < 2; ++k) {
    const auto task = make_dnn_task(options).value();
    add(merged, update_of(*task, works[k], start, chunks), weights[k]);
    std::vector<double> velocity;
    const auto local = plain_sgd(options, start, chunks, works[k], velocity);
    for (std::size_t i = 0; i < local.size(); ++i) average[i] += weights[k] * local[i];
  }
  for (std::size_t i = 0; i < average.size(); ++i) {
    ASSERT_NEAR(merged.parameters[i], average[i], 1e-4);
  }
}

TEST(DnnTask, TheRateOfAnIterationIsTimesTheLearningRate) {
  TaskOptions options = digit_options("mlp");
  Chunks chunks = digit_chunks(1, 32);
  const auto task = make_dnn_task(options).value();
  LocalWork half = work_on({{ChunkId{0}, 0, 32}});
  half.rate = 0.5;
  const std::vector<float> update = update_of(*task, half, task->initial_model(), chunks);
  options.learning_rate /= 2;
  const auto slow = make_dnn_task(options).value();
  half.rate = 1;
  EXPECT_EQ(update, update_of(*slow, half, slow->initial_model(), chunks));
}

TEST(DnnTask, TheOuterStepMovesTrainableValuesAndAveragesBatchNormStatistics) {
  TaskOptions options = digit_options("resnet20");
  options.outer_momentum = 0.5;
  options.outer_learning_rate = 0.25;
  const auto task = make_dnn_task(options).value();
  const Model untrained = task->initial_model();
  Model model = untrained;
  const std::vector<float>& before = untrained.parameters;
  ASSERT_EQ(model.velocity, std::vector<float>(before.size(), 0.0f));
  const auto& shape = options.schema;
  const std::uint64_t trainable =
      model::layout_of(
          model::zoo("resnet20", {shape.channels, shape.height, shape.width, shape.classes})
              .value())
          .trainable;
  ASSERT_LT(trainable, before.size());
  const std::vector<float> update(before.size(), 4.0f);
  add(model, update);
  task->after_merge(untrained, update, model);
  // v = 4, and the step is 0.25 * (4 + 0.5 * 4) = 1.5.
  EXPECT_NEAR(model.parameters.front(), before.front() + 1.5, 1e-6);
  EXPECT_EQ(model.velocity.front(), 4);
  EXPECT_EQ(model.parameters.back(), before.back() + 4);
  EXPECT_EQ(model.velocity.back(), 0);
}

TEST(DnnTask, ASwitchOfVersionsStartsTheOuterVelocityFromZero) {
  TaskOptions options = digit_options("lenet5");
  options.outer_momentum = 0.9;
  const auto task = make_dnn_task(options).value();
  Model model = task->initial_model();
  task->after_merge(Model(model), std::vector<float>(model.parameters.size(), 1.0f), model);
  const Model pruned = task->switch_version(model, "prune:0.5").value();
  EXPECT_EQ(pruned.velocity, std::vector<float>(pruned.parameters.size(), 0.0f));
  const Model grown = task->switch_version(pruned, "full").value();
  EXPECT_EQ(grown.velocity, std::vector<float>(model.parameters.size(), 0.0f));
}

TEST(DnnTask, WithoutOuterMomentumTheModelHasNoVelocity) {
  const auto task = make_dnn_task(digit_options("mlp")).value();
  const Model before = task->initial_model();
  Model model = before;
  task->after_merge(before, std::vector<float>(model.parameters.size(), 1.0f), model);
  EXPECT_EQ(model.parameters, before.parameters);  // The sum is already the average.
  EXPECT_TRUE(model.velocity.empty());
}

TEST(DnnTask, DiscardRestoresTheMomentum) {
  const auto task = make_dnn_task(digit_options("mlp")).value();
  Chunks chunks = digit_chunks(1, 64);
  const Model model = task->initial_model();
  const LocalWork work = work_on({{ChunkId{0}, 0, 64}});
  const auto cold = update_of(*task, work, model, chunks);
  task->discard();
  task->commit(chunks);  // There is nothing to commit.
  EXPECT_EQ(update_of(*task, work, model, chunks), cold);
  task->commit(chunks);
  const auto warm = update_of(*task, work, model, chunks);
  EXPECT_NE(warm, cold);  // The committed momentum is kept.
  task->discard();
  EXPECT_EQ(update_of(*task, work, model, chunks), warm);
}

TEST(DnnTask, AStoppedComputeKeepsNothing) {
  const auto task = make_dnn_task(digit_options("mlp")).value();
  Chunks chunks = digit_chunks(1, 64);
  const Model model = task->initial_model();
  const LocalWork work = work_on({{ChunkId{0}, 0, 64}});
  const auto cold = update_of(*task, work, model, chunks);
  const std::atomic<bool> stop{true};
  std::vector<float> update(model.parameters.size());
  const auto stopped = task->compute(work, model, chunks, update, stop);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kUnavailable);
  task->commit(chunks);
  EXPECT_EQ(update_of(*task, work, model, chunks), cold);
}

TEST(DnnTask, LossFallsAndTheDigitsAreLearned) {
  TaskOptions options = digit_options("lenet5");
  options.learning_rate = 0.02;
  const auto task = make_dnn_task(options).value();
  Chunks chunks = digit_chunks(4, 100);
  Model model = task->initial_model();
  const data::Samples unseen = digits(10000, 300);
  std::vector<std::uint32_t> all(unseen.size());
  std::iota(all.begin(), all.end(), 0u);
  const auto before = task->evaluate(unseen, all, model).value();
  for (std::uint32_t pass = 0; pass < 6; ++pass) {
    std::vector<WorkItem> items;
    for (const auto& [id, chunk] : chunks) items.push_back({id, 0, chunk.range.count});
    add(model, update_of(*task, work_on(items, pass), model, chunks));
    task->commit(chunks);
  }
  const auto after = task->evaluate(unseen, all, model).value();
  EXPECT_EQ(after.samples, 300u);
  EXPECT_LT(after.loss_sum, before.loss_sum / 2);
  EXPECT_GT(after.correct, 210u);
}

TEST(DnnTask, EvaluationIsTheSumOverItsSelectedSamples) {
  const auto task = make_dnn_task(digit_options("mlp")).value();
  const data::Samples samples = digits(0, 300);
  const Model model = task->initial_model();
  std::vector<std::uint32_t> all(300);
  std::iota(all.begin(), all.end(), 0u);
  const auto whole = task->evaluate(samples, all, model).value();  // Evaluated in two batches.
  Evaluation sums;
  for (std::uint32_t i = 0; i < 300; i += 3) {
    const std::vector<std::uint32_t> part{i + 2, i, i + 1};
    const auto terms = task->evaluate(samples, part, model).value();
    sums.add(terms);
  }
  EXPECT_EQ(whole.samples, 300u);
  EXPECT_NEAR(whole.loss_sum, sums.loss_sum, 1e-3);
  EXPECT_NEAR(whole.loss_square_sum, sums.loss_square_sum, 1e-2);
  EXPECT_EQ(whole.correct, sums.correct);
}

TEST(DnnTask, TheAverageIsEvaluatedAndTrainingGoesOnFromTheParameters) {
  const auto task = make_dnn_task(digit_options("mlp")).value();
  Chunks chunks = digit_chunks(1, 64);
  const LocalWork work = work_on({{ChunkId{0}, 0, 64}});
  const std::vector<std::uint32_t> selected{0, 5, 9};
  const Model untrained = task->initial_model();
  const auto update = update_of(*task, work, untrained, chunks);
  task->discard();
  Model trained = untrained;
  add(trained, update);
  Model averaged = untrained;
  averaged.average = trained.parameters;
  const auto loss_of = [&](const Model& model) {
    return task->evaluate(chunks.at(ChunkId{0}).samples, selected, model).value().loss_sum;
  };
  EXPECT_EQ(loss_of(averaged), loss_of(trained));
  EXPECT_NE(loss_of(averaged), loss_of(untrained));
  EXPECT_EQ(update_of(*task, work, averaged, chunks), update);
}

// resnet20 has batch norm and residual sums.
TEST(DnnTask, TheLossOfTheAverageStaysWhereAVersionGrows) {
  for (const std::string network : {"lenet5", "resnet20"}) {
    const auto task = make_dnn_task(digit_options(network)).value();
    const data::Samples samples = digits(0, 40);
    std::vector<std::uint32_t> all(40);
    std::iota(all.begin(), all.end(), 0u);
    Model half = task->switch_version(task->initial_model(), "prune:0.5").value();
    half.average = half.parameters;
    for (std::size_t i = 0; i < half.average.size(); ++i) {
      half.average[i] *= 1 + 0.01f * static_cast<float>(i % 7);
    }
    const double before = task->evaluate(samples, all, half).value().loss_sum;
    const Model full = task->switch_version(half, "full").value();
    EXPECT_NEAR(task->evaluate(samples, all, full).value().loss_sum, before, 1e-4 * before);
  }
}

TEST(DnnTask, LossOfTheResultIsThatOfTheVisitedSamples) {
  // There is one batch, so every sample was visited with the given model.
  TaskOptions options = digit_options("mlp");
  options.batch = 20;
  const auto task = make_dnn_task(options).value();
  Chunks chunks = digit_chunks(1, 20);
  const Model model = task->initial_model();
  std::vector<float> update(model.parameters.size());
  const LocalWork work = work_on({{ChunkId{0}, 0, 20}});
  const auto result = task->compute(work, model, chunks, update, kNever).value();
  std::vector<std::uint32_t> all(20);
  std::iota(all.begin(), all.end(), 0u);
  const auto evaluation = task->evaluate(chunks.at(ChunkId{0}).samples, all, model).value();
  EXPECT_EQ(result.samples, 20u);
  EXPECT_NEAR(result.loss_sum, evaluation.loss_sum, 1e-4);
}

TEST(DnnTask, ABatchOfOneIsTrainedEvenWithBatchNorm) {
  // The smallest images that mobilenet accepts have the fewest values for a variance.
  TaskOptions options = digit_options("mobilenet");
  options.schema.height = options.schema.width = 17;
  options.schema.features = 289;
  Chunks chunks;
  data::Chunk& chunk = chunks[ChunkId{0}];
  chunk.range = {.id = ChunkId{0}, .count = 17};
  for (std::uint32_t i = 0; i < 17 * 289; ++i) {
    chunk.samples.u8.push_back(static_cast<std::uint8_t>(i * i % 251));
  }
  for (std::uint32_t i = 0; i < 17; ++i) {
    chunk.samples.label.push_back(static_cast<float>(i % 10));
  }
  const auto task = make_dnn_task(options).value();
  const Model model = task->initial_model();
  std::vector<float> update(model.parameters.size());
  const LocalWork work = work_on({{ChunkId{0}, 0, 17}});  // A batch of 16, then one of 1.
  const auto result = task->compute(work, model, chunks, update, kNever);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->samples, 17u);
  EXPECT_TRUE(std::all_of(update.begin(), update.end(), [](float u) { return std::isfinite(u); }));
}

TEST(DnnTask, RunningStatisticsAreMovedByTheDataAndByNothingElse) {
  TaskOptions options = digit_options("resnet20");
  options.batch = 8;
  options.learning_rate = 1e-6;
  Chunks chunks = digit_chunks(1, 8);
  const LocalWork work = work_on({{ChunkId{0}, 0, 8}});
  std::vector<float> updates[2];
  for (int i = 0; i < 2; ++i) {
    options.weight_decay = i == 0 ? 0 : 1000;
    const auto task = make_dnn_task(options).value();
    updates[i] = update_of(*task, work, task->initial_model(), chunks);
  }
  const auto spec = model::zoo("resnet20", {1, 28, 28, 10}).value();
  const model::Layout layout = model::layout_of(spec);
  ASSERT_LT(layout.trainable, layout.size);
  const auto statistics = static_cast<std::ptrdiff_t>(layout.trainable);
  EXPECT_TRUE(std::equal(updates[0].begin() + statistics, updates[0].end(),
                         updates[1].begin() + statistics));
  EXPECT_TRUE(std::any_of(updates[0].begin() + statistics, updates[0].end(),
                          [](float u) { return std::abs(u) > 1e-3f; }));
  EXPECT_FALSE(std::equal(updates[0].begin(), updates[0].begin() + statistics, updates[1].begin()));
}

TEST(DnnTask, APrunedVersionIsTrainedFromColdMomentumAndComesBack) {
  const TaskOptions options = digit_options("lenet5");
  const auto task = make_dnn_task(options).value();
  Chunks chunks = digit_chunks(1, 48);
  Model full = task->initial_model();
  const LocalWork work = work_on({{ChunkId{0}, 0, 48}});
  add(full, update_of(*task, work, full, chunks));
  task->commit(chunks);
  Model pruned = task->switch_version(full, "prune:0.5").value();
  const auto update = update_of(*task, work, pruned, chunks);
  EXPECT_EQ(update, update_of(*make_dnn_task(options).value(), work, pruned, chunks));
  task->commit(chunks);
  add(pruned, update);
  const Model back = task->switch_version(pruned, "full").value();
  const auto spec = model::zoo("lenet5", {1, 28, 28, 10}).value();
  const auto map = model::prune(spec, full.parameters, 0.5).map;
  EXPECT_EQ(model::shrink(map, back.parameters), pruned.parameters);
  EXPECT_EQ(update_of(*task, work, back, chunks),
            update_of(*make_dnn_task(options).value(), work, back, chunks));
}

TEST(DnnTask, ALossThatIsNoNumberBlamesTheLearningRate) {
  TaskOptions options = digit_options("lenet5");
  options.learning_rate = 1e20;
  const auto task = make_dnn_task(options).value();
  Chunks chunks = digit_chunks(1, 64);
  const Model model = task->initial_model();
  std::vector<float> update(model.parameters.size());
  const auto result = task->compute(work_on({{ChunkId{0}, 0, 64}}), model, chunks, update, kNever);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kDiverged);
  EXPECT_NE(result.error().message.find("learning_rate 1e+20"), std::string::npos)
      << result.error().message;
}

TEST(DnnTask, AnUpdateThatIsNoNumberIsNeverHandedOut) {
  // There is one batch. Its loss is still finite, but the step after it is too large.
  TaskOptions options = digit_options("lenet5");
  options.learning_rate = 3e38;
  options.weight_decay = 10;
  const auto task = make_dnn_task(options).value();
  Chunks chunks = digit_chunks(1, 16);
  const Model model = task->initial_model();
  std::vector<float> update(model.parameters.size());
  EXPECT_FALSE(task->compute(work_on({{ChunkId{0}, 0, 16}}), model, chunks, update, kNever));
}

TEST(DnnTask, ALabelOutsideTheClassesIsRefused) {
  const auto task = make_dnn_task(digit_options("mlp")).value();
  Chunks chunks = digit_chunks(1, 8);
  chunks.at(ChunkId{0}).samples.label[2] = 10;
  const Model model = task->initial_model();
  std::vector<float> update(model.parameters.size());
  const auto result = task->compute(work_on({{ChunkId{0}, 0, 8}}), model, chunks, update, kNever);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInvalidInput);
  const std::vector<std::uint32_t> bad{2};
  EXPECT_FALSE(task->evaluate(chunks.at(ChunkId{0}).samples, bad, model));
}

TEST(DnnTask, BadOptionsAndModelsAreRefused) {
  const auto refused = [](auto change) {
    TaskOptions options = digit_options("lenet5");
    change(options);
    const auto task = make_dnn_task(options);
    return !task && task.error().code == ErrorCode::kInvalidInput;
  };
  EXPECT_TRUE(refused([](TaskOptions& o) { o.model = "lenet6"; }));
  EXPECT_TRUE(refused([](TaskOptions& o) { o.batch = 0; }));
  EXPECT_TRUE(refused([](TaskOptions& o) { o.threads = 0; }));
  EXPECT_TRUE(refused([](TaskOptions& o) { o.learning_rate = 0; }));
  EXPECT_TRUE(refused([](TaskOptions& o) { o.learning_rate = std::nan(""); }));
  EXPECT_TRUE(refused([](TaskOptions& o) { o.momentum = 1; }));
  EXPECT_TRUE(refused([](TaskOptions& o) { o.weight_decay = -1; }));
  EXPECT_TRUE(refused([](TaskOptions& o) { o.schema.classes = 0; }));
  EXPECT_TRUE(refused([](TaskOptions& o) { o.schema.features = 5; }));
}

TEST(DnnTask, NetworksHaveNoDualityGap) {
  const auto task = make_dnn_task(digit_options("mlp")).value();
  std::vector<double> sums(task->initial_model().parameters.size());
  EXPECT_FALSE(task->duality_terms(task->initial_model(), {}, {}));
  EXPECT_FALSE(task->add_dual_sums({}, sums));
}

TEST(AnyTask, TrainsLinearModelsAndNetworks) {
  TaskOptions options = digit_options("lenet5");
  options.samples = 10;
  EXPECT_EQ(any_task()(options).value()->initial_model().parameters.size(), 61706u);
  options.model = "ridge";
  EXPECT_EQ(any_task()(options).value()->initial_model().parameters.size(), 784u);
  options.model = "transformer";
  EXPECT_FALSE(any_task()(options));
}

}  // namespace dnn_task_test
}  // namespace surety::learn
