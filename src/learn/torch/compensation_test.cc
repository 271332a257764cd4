#include "learn/torch/compensation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "learn/network/network_version.h"
#include "learn/network/outer_step.h"
#include "learn/network/weight_average.h"
#include "learn/torch/digits_test.h"
#include "learn/torch/dnn_task.h"
#include "model/layout.h"
#include "model/zoo.h"

namespace surety::learn {
namespace compensation_test {

using digits_test::digits;
using digits_test::kDigits;
using Chunks = std::map<ChunkId, data::Chunk>;

const std::atomic<bool> kNever{false};
const double kChance = std::log(10.0);

Chunks digit_chunks(const std::vector<std::uint32_t>& counts, std::uint64_t first = 0) {
  Chunks chunks;
  for (std::uint32_t id = 0; id < counts.size(); ++id) {
    data::Chunk& chunk = chunks[ChunkId{id}];
    chunk.range = {.id = ChunkId{id}, .count = counts[id]};
    chunk.samples = digits(first, counts[id]);
    first += counts[id];
  }
  return chunks;
}

TaskOptions options_of(const std::string& network) {
  TaskOptions options;
  options.model = network;
  options.schema = kDigits;
  options.batch = 16;
  options.learning_rate = 0.02;
  return options;
}

LocalWork work_on(const Chunks& chunks, double rate) {
  LocalWork work;
  for (const auto& [id, chunk] : chunks) work.items.push_back({id, 0, chunk.range.count});
  work.rate = rate;
  return work;
}

// One iteration of these workers, each with its own chunks.
void iterate(std::vector<std::unique_ptr<Task>>& tasks, std::vector<Chunks>& chunks, double rate,
             Model& model) {
  std::vector<float> sum(model.parameters.size(), 0.0f);
  std::vector<float> update(sum.size());
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    const auto result =
        tasks[k]->compute(work_on(chunks[k], rate), model, chunks[k], update, kNever);
    ASSERT_TRUE(result) << result.error().message;
    tasks[k]->commit(chunks[k]);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += update[i] / static_cast<float>(tasks.size());
    }
  }
  const Model before = model;
  for (std::size_t i = 0; i < sum.size(); ++i) model.parameters[i] += sum[i];
  tasks[0]->after_merge(before, sum, model);
  take_into_average(AverageTurn{.passes = 2, .begin = 9, .end = 10}, model);
}

double loss_of(Task& task, const Model& model) {
  const data::Samples samples = digits(100000, 300);
  std::vector<std::uint32_t> all(samples.size());
  std::iota(all.begin(), all.end(), 0u);
  return task.evaluate(samples, all, model).value().loss_sum / static_cast<double>(all.size());
}

// Workers that have trained a network together, with an average of models.
struct Trained {
  explicit Trained(TaskOptions options, std::uint32_t workers = 1, std::uint32_t samples = 600,
                   int iterations = 6)
      : of(options) {
    for (std::uint32_t k = 0; k < workers; ++k) {
      tasks.push_back(make_dnn_task(options).value());
      chunks.push_back(digit_chunks({samples / workers}, std::uint64_t{k} * samples / workers));
    }
    model = tasks[0]->initial_model();
    for (int i = 0; i < iterations; ++i) iterate(tasks, chunks, 1, model);
  }
  Task& task() { return *tasks[0]; }
  model::NetSpec full() const {
    return model::zoo(of.model, {.channels = 1,
                                 .height = data::kDigitSide,
                                 .width = data::kDigitSide,
                                 .classes = 10})
        .value();
  }

  TaskOptions of;
  std::vector<std::unique_ptr<Task>> tasks;
  std::vector<Chunks> chunks;
  Model model;
};

// The first iteration after the cut, with learning rate 0, leaves less than a third of the loss
// that the cut added.
void expect_regained(Trained& of, const Model& model) {
  const double before = loss_of(of.task(), model);
  ASSERT_LT(before, 0.6 * kChance);
  Model cut = of.task().switch_version(model, "prune:0.5").value();
  const double lost = loss_of(of.task(), cut) - before;
  ASSERT_GT(lost, 0.1 * (kChance - before));
  iterate(of.tasks, of.chunks, 0, cut);
  EXPECT_LT(loss_of(of.task(), cut), before + lost / 3);
}

TEST(Compensation, TwoThirdsAtLeastOfWhatACutByHalfLosesAreRegained) {
  Trained of(options_of("lenet5"));
  expect_regained(of, of.model);
}

TEST(Compensation, SeveralWorkersRegainAsMuch) {
  Trained of(options_of("lenet5"), 3);
  expect_regained(of, of.model);
}

TEST(Compensation, ASmallerVersionOfAPrunedOneRegainsAsMuch) {
  Trained of(options_of("lenet5"), 1, 600, 4);
  Model model = of.task().switch_version(of.model, "prune:0.25").value();
  iterate(of.tasks, of.chunks, 1, model);
  expect_regained(of, model);
}

TEST(Compensation, ItIsMadeOnceAndNeverOfAnUntrainedNetwork) {
  Trained of(options_of("lenet5"), 1, 200, 2);
  const auto changes = [&](const Model& model) {
    std::vector<float> update(model.parameters.size());
    const auto work = work_on(of.chunks[0], 0);
    EXPECT_TRUE(of.task().compute(work, model, of.chunks[0], update, kNever));
    return std::ranges::any_of(update, [](float value) { return value != 0; });
  };
  Model cut = of.task().switch_version(of.model, "prune:0.5").value();
  EXPECT_TRUE(changes(cut));
  EXPECT_TRUE(changes(cut));  // The same for a repeated iteration.
  iterate(of.tasks, of.chunks, 0, cut);
  EXPECT_FALSE(changes(cut));
  EXPECT_FALSE(changes(of.task().switch_version(cut, "prune:0.5").value()));
  EXPECT_FALSE(changes(of.task().switch_version(cut, "full").value()));
  EXPECT_FALSE(changes(of.model));
  EXPECT_FALSE(changes(of.task().switch_version(of.task().initial_model(), "prune:0.5").value()));
}

TEST(Compensation, TheAverageBeginsAnewWithTheFirstModelBehindTheCut) {
  Trained of(options_of("lenet5"), 1, 200, 2);
  Model model = of.task().switch_version(of.model, "prune:0.5").value();
  EXPECT_EQ(model.average, model.parameters);
  iterate(of.tasks, of.chunks, 1, model);
  EXPECT_EQ(model.average, model.parameters);
  iterate(of.tasks, of.chunks, 1, model);
  EXPECT_NE(model.average, model.parameters);
}

TEST(Compensation, TheOuterMomentumDoesNotRepeatIt) {
  TaskOptions options = options_of("lenet5");
  options.outer_momentum = 0.9;
  options.outer_learning_rate = 0.7;
  Trained of(options, 1, 200, 2);
  const Model cut = of.task().switch_version(of.model, "prune:0.5").value();
  Model model = cut;
  iterate(of.tasks, of.chunks, 0, model);
  EXPECT_EQ(model.velocity, std::vector<float>(model.parameters.size(), 0.0f));
  std::vector<float> update(cut.parameters.size());
  ASSERT_TRUE(of.task().compute(work_on(of.chunks[0], 0), cut, of.chunks[0], update, kNever));
  for (std::size_t i = 0; i < update.size(); ++i) {
    ASSERT_EQ(model.parameters[i], cut.parameters[i] + update[i]);
  }
}

TEST(Compensation, AStoppedOneKeepsNothing) {
  Trained of(options_of("lenet5"), 1, 200, 1);
  const Model cut = of.task().switch_version(of.model, "prune:0.5").value();
  const LocalWork work = work_on(of.chunks[0], 1);
  std::vector<float> update(cut.parameters.size());
  std::vector<float> undisturbed(update.size());
  const std::atomic<bool> stop{true};
  const auto stopped = of.task().compute(work, cut, of.chunks[0], update, stop);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kUnavailable);
  ASSERT_TRUE(of.task().compute(work, cut, of.chunks[0], update, kNever));
  ASSERT_TRUE(make_dnn_task(options_of("lenet5"))
                  .value()
                  ->compute(work, cut, of.chunks[0], undisturbed, kNever));
  EXPECT_EQ(update, undisturbed);
}

TEST(Compensation, SamplesAreSpreadOverAllChunksAtEvenDistances) {
  const Chunks chunks = digit_chunks({3, 0, 5, 4});
  const auto labels = [&](std::size_t count) {
    return spread_samples(chunks, kDigits, count).value().labels;
  };
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> every_third;
  for (const auto& [id, chunk] : chunks) {
    for (const float label : chunk.samples.label) all.push_back(static_cast<std::int64_t>(label));
  }
  for (std::size_t i = 0; i < all.size(); i += 3) every_third.push_back(all[i]);
  EXPECT_EQ(labels(12), all);
  EXPECT_EQ(labels(1000), all);
  EXPECT_EQ(labels(4), every_third);
  EXPECT_TRUE(labels(0).empty());
  EXPECT_TRUE(spread_samples({}, kDigits, 7).value().labels.empty());
}

TEST(Compensation, NetworksWithLargeActivationsLookAtFewerSamples) {
  const auto samples_of = [](std::uint32_t side) {
    return compensation_samples(
        model::zoo("resnet20", {.channels = 3, .height = side, .width = side, .classes = 10})
            .value());
  };
  EXPECT_EQ(samples_of(32), 1024u);
  EXPECT_EQ(samples_of(64), 256u);
  EXPECT_EQ(samples_of(256), 16u);
  EXPECT_EQ(samples_of(257), 0u);
}

TEST(Compensation, ActivationsOfAllSamplesAreBounded) {
  for (const std::string& name : model::zoo_names()) {
    for (const std::uint32_t side : {28u, 224u, 1000u}) {
      const auto spec =
          model::zoo(name, {.channels = 3, .height = side, .width = side, .classes = 10}).value();
      std::size_t largest = spec.input.features();
      for (const model::Shape& shape : model::shapes_of(spec)) {
        largest = std::max<std::size_t>(largest, shape.size());
      }
      // The input and output of a layer, in both networks.
      EXPECT_LE(compensation_samples(spec) * 4 * largest * sizeof(float), 256u << 20) << name;
    }
  }
}

// The change by a compensation alone in a network that was cut, because `work` has no samples to
// learn.
std::vector<float> compensated(Trained& of, const LocalWork& work, const Model& cut) {
  std::vector<float> update(cut.parameters.size());
  EXPECT_TRUE(of.task().compute(work, cut, of.chunks[0], update, kNever));
  return update;
}

TEST(Compensation, WhereEnoughIsDoneTheLayersBeforeAreKept) {
  Trained of(options_of("lenet5"), 1, 200, 1);
  const Model cut = of.task().switch_version(of.model, "prune:0.5").value();
  const std::vector<float> whole = compensated(of, {}, cut);
  std::size_t asked = 0;
  std::size_t kept_before = 0;
  compensated(of, {.enough = [&] { return ++asked == 0; }}, cut);
  std::set<std::size_t> lengths;
  for (std::size_t last = 1; last <= asked; ++last) {
    std::size_t count = 0;
    const auto part = compensated(of, {.enough = [&] { return ++count >= last; }}, cut);
    std::size_t kept = part.size();
    while (kept > 0 && part[kept - 1] == 0) --kept;
    EXPECT_GE(kept, kept_before);
    EXPECT_TRUE(
        std::equal(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(kept), whole.begin()));
    lengths.insert(kept_before = kept);
  }
  EXPECT_EQ(lengths.size(), 4u);  // No layer, or one to three of the four layers after the first.
}

TEST(Compensation, ItSaysWhenLearningBegins) {
  Trained of(options_of("lenet5"), 1, 200, 1);
  int asked = 0;
  int said = 0;
  const LocalWork work{.enough = [&] { return ++asked == 0; },
                       .when_ready =
                           [&] {
                             EXPECT_GT(asked, 4);
                             ++said;
                           }};
  compensated(of, work, of.model);
  EXPECT_EQ(said, 0);
  compensated(of, work, of.task().switch_version(of.model, "prune:0.5").value());
  EXPECT_EQ(said, 1);
}

}  // namespace compensation_test
}  // namespace surety::learn
