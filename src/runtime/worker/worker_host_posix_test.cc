// The state that a worker keeps between commands, on real sockets and files: the state of the outer
// optimizer and the average of models, which must belong to the model, and the work of a failed
// iteration.
#include "learn/model_checksum.h"
#include "runtime/worker/worker_host.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "base/posix/clock.h"
#include "base/posix/temporary_folder.h"
#include "base/posix/wait_testing.h"
#include "data/sources/source_info.h"
#include "fabric/sockets/socket_transport.h"
#include "learn/network/outer_step.h"
#include "protocol/messages.h"

namespace surety::runtime {
namespace worker_host_posix_test {

using learn::model_checksum;
using protocol::to_proto;

// Three numbers that grow by one, and by one more in each iteration, in an outer step with
// momentum.
class CountingTask : public learn::Task {
 public:
  explicit CountingTask(const learn::TaskOptions& options)
      : outer_{.momentum = static_cast<float>(options.outer_momentum),
               .learning_rate = static_cast<float>(options.outer_learning_rate)} {}

  [[nodiscard]] learn::Model initial_model() const override {
    return {.version = "full", .parameters = {0, 0, 0}, .parent = {}, .velocity = {0, 0, 0}};
  }
  Result<learn::LocalResult> compute(const learn::LocalWork& work, const learn::Model&,
                                     std::map<ChunkId, data::Chunk>&, std::span<float> update,
                                     const std::atomic<bool>&) override {
    if (work.asynchronous) {
      // Each piece of two samples adds one.
      std::fill(update.begin(), update.end(), 1.0f);
      return learn::LocalResult{.samples = work.items.at(0).count};
    }
    std::fill(update.begin(), update.end(), static_cast<float>(work.iteration));
    return learn::LocalResult{.samples = work.items.at(0).count, .loss_sum = 0, .gap_sum = 0};
  }
  double choose_step(const learn::LineOrder&, const std::map<ChunkId, data::Chunk>&,
                     const learn::Model&, std::span<const float>,
                     const learn::LineSlopes&) override {
    return 1;
  }
  void after_merge(const learn::Model&, std::span<const float> update,
                   learn::Model& model) const override {
    EXPECT_EQ(std::this_thread::get_id(), thread_);
    learn::outer_step(outer_, update, model.velocity, model.parameters);
  }
  void commit(std::map<ChunkId, data::Chunk>&) override {}
  void discard() override {}
  Result<learn::Evaluation> evaluate(const data::Samples&, std::span<const std::uint32_t>,
                                     const learn::Model&) override {
    return learn::Evaluation{};
  }
  Result<learn::Evaluation> duality_terms(const learn::Model&, std::span<const double>,
                                          const std::map<ChunkId, data::Chunk>&) override {
    return learn::Evaluation{};
  }
  Result<void> add_dual_sums(const std::map<ChunkId, data::Chunk>&, std::span<double>) override {
    return {};
  }
  Result<learn::Model> switch_version(const learn::Model& model, const std::string&) override {
    return model;
  }

 private:
  learn::OuterOptions outer_;
  const std::thread::id thread_ = std::this_thread::get_id();  // It computes, and moves no bytes.
};

// The samples that were learned from, in order; other threads read their count. The preparation of
// the model takes `preparing` before the first sample, and ends at `ready`.
struct Visited {
  Duration preparing{};
  Time ready{};
  std::vector<std::uint32_t> samples;
  std::atomic<std::size_t> count = 0;
};

// Learns sample by sample; each moves the model by its number.
class SampleTask final : public CountingTask {
 public:
  SampleTask(const learn::TaskOptions& options, Visited& visited)
      : CountingTask(options), visited_(visited) {}

  Result<learn::LocalResult> compute(const learn::LocalWork& work, const learn::Model& model,
                                     std::map<ChunkId, data::Chunk>&, std::span<float> update,
                                     const std::atomic<bool>&) override {
    EXPECT_EQ(work.continues, !visited_.samples.empty());
    const Time end = posix::now() + visited_.preparing;
    do visited_.ready = posix::now();
    while (visited_.ready < end);
    work.when_ready();
    std::vector<float> local = model.parameters;
    learn::LocalResult done;
    for (const learn::WorkItem& item : work.items) {
      for (std::uint32_t sample = item.first; sample < item.first + item.count; ++sample) {
        if (done.samples > 0 && work.enough && work.enough()) break;
        visited_.samples.push_back(sample);
        ++visited_.count;
        for (float& value : local) value += static_cast<float>(sample + 1);
        ++done.samples;
      }
    }
    std::ranges::transform(local, model.parameters, update.begin(), std::minus<>());
    return done;
  }

 private:
  Visited& visited_;
};

Result<std::unique_ptr<learn::Task>> counting_task(const learn::TaskOptions& options) {
  return std::make_unique<CountingTask>(options);
}

// A worker on loopback that receives commands from the test.
class Told {
 public:
  explicit Told(std::uint32_t id, learn::TaskFactory factory = counting_task) : id_(id) {
    transport_ = fabric::make_socket_transport({.transport = {.secret = 1}}).value();
    proto::Welcome welcome;
    welcome.set_worker(id);
    *welcome.add_sources() = to_proto(source());
    host_.emplace(
        WorkerHostOptions{.factory = std::move(factory),
                          .open = {},
                          .threads = 1,
                          .answer = [this](const proto::FromWorker& answer) { answer_ = answer; }},
        *transport_);
    host_->on_welcome(welcome, false);
  }

  static data::SourceInfo source() {
    data::SourceInfo source =
        data::inspect(data::parse_url("digits://?samples=8").value(), data::OpenFile{}).value();
    source.url = "digits://?samples=8";
    return source;
  }

  [[nodiscard]] std::uint32_t id() const { return id_; }
  [[nodiscard]] proto::Peer peer() const {
    return protocol::peer_proto(WorkerId{id_}, transport_->address());
  }
  void idle(Duration wait) { host_->poll(wait); }
  // A command that is not awaited.
  void begin(const proto::ToWorker& command) { host_->on_command(command); }
  std::optional<proto::FromWorker> handle(const proto::ToWorker& command) {
    answer_.reset();
    begin(command);
    const Time until = posix::now() + posix::kTestPatience;
    while (!answer_ && posix::now() < until) idle(std::chrono::milliseconds(50));
    return answer_;
  }
  proto::FromWorker tell(const proto::ToWorker& command) {
    const auto answer = handle(command);
    EXPECT_TRUE(answer && !answer->has_failed()) << (answer ? answer->failed().message() : "");
    return answer.value_or(proto::FromWorker{});
  }

 private:
  std::uint32_t id_;
  std::optional<proto::FromWorker> answer_;
  std::unique_ptr<fabric::WakeableTransport> transport_;
  std::optional<WorkerHost> host_;
};

proto::ToWorker command(std::uint64_t sequence, std::uint64_t model_iteration) {
  proto::ToWorker message;
  message.set_sequence(sequence);
  message.set_model_iteration(model_iteration);
  return message;
}

proto::ToWorker prepare(std::uint64_t sequence, std::uint64_t model_iteration, bool has_chunk) {
  proto::ToWorker message = command(sequence, model_iteration);
  proto::Prepare& order = *message.mutable_prepare();
  order.set_session(1);
  order.mutable_task()->set_model("mlp");
  order.mutable_task()->set_batch(2);
  order.mutable_task()->set_outer_momentum(0.5);
  order.mutable_task()->set_outer_learning_rate(0.25);
  if (!has_chunk) return message;
  *order.add_grants()->mutable_range() = to_proto(data::cut({Told::source()}, 1 << 20, 1).front());
  order.add_owned(0);
  return message;
}

// One iteration of one worker over `passes` passes; returns its model's checksum.
std::uint64_t step(Told& worker, std::uint64_t sequence, std::uint64_t iteration,
                   double passes = 1) {
  proto::ToWorker message = command(sequence, iteration - 1);
  proto::Step& order = *message.mutable_step();
  order.set_iteration(iteration);
  order.set_averages(true);
  *order.add_members() = worker.peer();
  order.add_weights(1);
  order.add_items()->set_count(8);
  const auto begin = static_cast<double>(iteration - 1);
  order.mutable_average()->set_passes(100);
  order.mutable_average()->set_begin(begin);
  order.mutable_average()->set_end(begin + passes);
  return worker.tell(message).step_done().model_checksum();
}

// The outer step is 0.25 (u + 0.5 v), v = 0.5 v + u: the newest model weighs 1 - exp(-4) after
// two passes, and 1 - exp(-8 / 3) after three.
TEST(WorkerHost, TheAverageIsOfTheModelsThatWereCommitted) {
  Told worker(1);
  proto::ToWorker fresh = prepare(1, 0, true);
  fresh.mutable_prepare()->mutable_model()->set_fresh(true);
  worker.tell(fresh);
  learn::Model expected{
      .version = "full", .parameters = {0, 0, 0}, .parent = {}, .velocity = {0, 0, 0}};
  for (std::uint64_t iteration = 1; iteration <= 3; ++iteration) {
    const std::vector<float> update(3, static_cast<float>(iteration));
    for (float& value : expected.parameters) value += update.front();
    learn::outer_step({.momentum = 0.5, .learning_rate = 0.25}, update, expected.velocity,
                      expected.parameters);
    const float weight = iteration == 1 ? 1.0f : iteration == 2 ? 0.981684361f : 0.930516549f;
    expected.average.resize(3);
    for (float& value : expected.average) value += weight * (expected.parameters[0] - value);
    EXPECT_EQ(step(worker, 1 + iteration, iteration), model_checksum(expected)) << iteration;
  }
}

TEST(WorkerHost, AnIterationThatIsThrownAwayLeavesTheAverageAsItWas) {
  Told disturbed(1);
  Told undisturbed(2);
  for (Told* worker : {&disturbed, &undisturbed}) {
    proto::ToWorker fresh = prepare(1, 0, true);
    fresh.mutable_prepare()->mutable_model()->set_fresh(true);
    worker->tell(fresh);
    step(*worker, 2, 1);
  }
  const std::uint64_t thrown_away = step(disturbed, 3, 2, 0.5);
  EXPECT_NE(thrown_away, step(undisturbed, 3, 2));
  EXPECT_EQ(step(disturbed, 4, 2), step(undisturbed, 4, 2));
  EXPECT_EQ(step(disturbed, 5, 3), step(undisturbed, 5, 3));
}

TEST(WorkerHost, AResumeGoesOnWithTheSameOuterStateAndAverageAndGivesTheSameBytes) {
  const posix::TemporaryFolder folder;
  Told first(1);
  proto::ToWorker fresh = prepare(1, 0, true);
  fresh.mutable_prepare()->mutable_model()->set_fresh(true);
  first.tell(fresh);
  step(first, 2, 1);
  step(first, 3, 2);
  proto::ToWorker save = command(4, 2);
  save.mutable_save()->set_folder(folder.path().string());
  save.mutable_save()->set_model(true);
  const auto saved = first.tell(save).saved();
  ASSERT_EQ(saved.files_size(), 1);

  Told second(2);
  proto::ToWorker resumed = prepare(1, 0, true);
  resumed.mutable_prepare()->mutable_model()->set_checkpoint(saved.files(0).path());
  second.tell(resumed);
  EXPECT_EQ(step(second, 2, 3), step(first, 5, 3));
}

TEST(WorkerHost, AWorkerThatJoinsGetsTheOuterStateAndTheAverage) {
  Told holder(1);
  Told joiner(2);
  proto::ToWorker fresh = prepare(1, 0, true);
  fresh.mutable_prepare()->mutable_model()->set_fresh(true);
  holder.tell(fresh);
  step(holder, 2, 1);
  const std::uint64_t before = step(holder, 3, 2);

  const auto order = [&](bool has_chunk) {
    proto::ToWorker message = prepare(4, 2, false);
    proto::Prepare& body = *message.mutable_prepare();
    if (has_chunk) body.add_owned(0);
    proto::Transfer& transfer = *body.mutable_model()->mutable_transfer();
    transfer.add_holders(holder.id());
    transfer.add_receivers(joiner.id());
    transfer.set_version("full");
    transfer.set_parameters(3);
    transfer.set_average(3);
    transfer.set_velocity(3);
    *body.add_peers() = holder.peer();
    *body.add_peers() = joiner.peer();
    return message;
  };
  proto::FromWorker held;
  std::thread other([&] { held = holder.tell(order(true)); });
  const proto::FromWorker got = joiner.tell(order(false));
  other.join();
  EXPECT_EQ(held.prepared().model_checksum(), before);
  EXPECT_EQ(got.prepared().model_checksum(), before);
}

TEST(WorkerHost, WhoWaitsForAChunkOfALostWorkerSaysSo) {
  auto owner = std::make_unique<Told>(1);
  Told receiver(2);
  proto::ToWorker message = prepare(1, 0, true);
  proto::Prepare& order = *message.mutable_prepare();
  order.mutable_model()->set_fresh(true);
  order.mutable_grants(0)->set_from(owner->id());
  *order.add_peers() = owner->peer();
  std::thread killer([&] {
    owner->idle(std::chrono::milliseconds(200));
    owner.reset();
  });
  const auto answer = receiver.handle(message);
  killer.join();
  ASSERT_TRUE(answer && answer->has_failed());
  EXPECT_EQ(answer->failed().blamed(), 1u);
}

// Two workers, each with four updates of one.
std::pair<proto::FromWorker, proto::FromWorker> exchange(Told& a, Told& b, bool overlap) {
  const auto order = [&](const Told& worker) {
    proto::ToWorker message = command(5, 0);
    proto::Step& body = *message.mutable_step();
    body.set_iteration(1);
    *body.add_members() = a.peer();
    *body.add_members() = b.peer();
    if (worker.id() == a.id()) body.add_items()->set_count(8);
    body.mutable_asynchronous()->set_overlap(overlap);
    body.mutable_asynchronous()->set_weight(1);
    body.mutable_asynchronous()->set_steps(1);
    return message;
  };
  proto::FromWorker of_a;
  std::thread other([&] { of_a = a.tell(order(a)); });
  const proto::FromWorker of_b = b.tell(order(b));
  other.join();
  return {of_a, of_b};
}

TEST(WorkerHost, AsynchronousWorkersEndWithOneModelThatHasAllUpdates) {
  for (const bool overlap : {false, true}) {
    const posix::TemporaryFolder folder;
    Told first(1);
    Told second(2);
    proto::ToWorker fresh = prepare(1, 0, true);
    fresh.mutable_prepare()->mutable_model()->set_fresh(true);
    first.tell(fresh);
    fresh = prepare(1, 0, false);
    fresh.mutable_prepare()->mutable_model()->set_fresh(true);
    second.tell(fresh);
    const auto [a, b] = exchange(first, second, overlap);
    EXPECT_EQ(a.step_done().samples(), 8u);
    // A worker without work only takes part in the transfers.
    EXPECT_EQ(b.step_done().samples(), 0u);
    EXPECT_EQ(a.step_done().model_checksum(), b.step_done().model_checksum());
    // Four updates of one, which the outer optimizer takes as one of four: 0.25 (4 + 0.5 4).
    EXPECT_EQ(a.step_done().model_checksum(), model_checksum({.version = "full",
                                                              .parameters = {1.5, 1.5, 1.5},
                                                              .parent = {},
                                                              .velocity = {4, 4, 4}}));
  }
}

// A run of local SGD in which the other worker never takes part in an iteration, and dies.
class WithALostWorker : public ::testing::Test {
 protected:
  WithALostWorker() {
    begin(learner_, true);
    begin(*lost_, false);
    begin(other_, false);
  }

  static void begin(Told& worker, bool has_chunk) {
    proto::ToWorker fresh = prepare(1, 0, has_chunk);
    fresh.mutable_prepare()->mutable_model()->set_fresh(true);
    fresh.mutable_prepare()->mutable_task()->set_batch(1);
    fresh.mutable_prepare()->mutable_task()->set_outer_momentum(0);
    fresh.mutable_prepare()->mutable_task()->set_outer_learning_rate(1);
    worker.tell(fresh);
  }

  proto::ToWorker order(std::uint64_t sequence, const std::vector<Told*>& members,
                        const Told& worker, const proto::Asynchronous* mode) {
    proto::ToWorker message = command(sequence, 0);
    proto::Step& body = *message.mutable_step();
    body.set_iteration(1);
    body.set_averages(true);
    for (const Told* member : members) *body.add_members() = member->peer();
    for (const Told* member : members) body.add_weights(member == &learner_ ? 1.0f : 0.0f);
    if (worker.id() == learner_.id()) body.add_items()->set_count(8);
    if (mode != nullptr) *body.mutable_asynchronous() = *mode;
    return message;
  }

  // The first attempt, with a worker that dies when the other one has learned from `learned`
  // samples. The other one's answer must blame the lost one.
  void lose(const proto::Asynchronous* mode, std::size_t learned) {
    const proto::ToWorker attempt = order(5, {&learner_, lost_.get()}, learner_, mode);
    std::thread killer([&] {
      EXPECT_TRUE(posix::wait_until({.what = "samples that are learned from",
                                     .holds =
                                         [&] {
                                           lost_->idle(std::chrono::milliseconds(10));
                                           return visited_.count >= learned;
                                         },
                                     .pause = {}}));
      lost_.reset();
    });
    const auto failed = learner_.handle(attempt);
    killer.join();
    ASSERT_TRUE(failed && failed->has_failed());
    EXPECT_EQ(failed->failed().blamed(), 2u);
  }

  // The second attempt, with a worker that stays alive.
  void go_on(const proto::Asynchronous* mode) {
    proto::FromWorker of_other;
    const std::vector<Told*> members{&learner_, &other_};
    std::thread helper([&] { of_other = other_.tell(order(6, members, other_, mode)); });
    const proto::FromWorker done = learner_.tell(order(6, members, learner_, mode));
    helper.join();
    EXPECT_EQ(done.step_done().samples(), 8u);
    const std::uint64_t sum = model_checksum(
        {.version = "full", .parameters = {36, 36, 36}, .parent = {}, .velocity = {0, 0, 0}});
    EXPECT_EQ(done.step_done().model_checksum(), sum);
    EXPECT_EQ(of_other.step_done().model_checksum(), sum);
    EXPECT_EQ(visited_.samples, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  }

  Visited visited_;  // Samples that the learner has visited.
  Told learner_{1, [this](const learn::TaskOptions& options) {
                  return Result<std::unique_ptr<learn::Task>>(
                      std::make_unique<SampleTask>(options, visited_));
                }};
  std::unique_ptr<Told> lost_ = std::make_unique<Told>(2);
  Told other_{3};
};

proto::Asynchronous asynchronously(bool overlap) {
  proto::Asynchronous mode;
  mode.set_overlap(overlap);
  mode.set_weight(1);
  mode.set_steps(1);
  return mode;
}

TEST_F(WithALostWorker, WhatWasLearnedInTheSameIterationIsNotLearnedAgain) {
  lose(nullptr, 8);
  EXPECT_EQ(visited_.samples.size(), 8u);
  go_on(nullptr);
}

TEST_F(WithALostWorker, AnExchangeGoesOnFromWhatWasLearned) {
  const proto::Asynchronous mode = asynchronously(false);
  lose(&mode, 1);
  EXPECT_EQ(visited_.samples.size(), 1u);  // It waited for the model after its first sample.
  go_on(&mode);
}

TEST_F(WithALostWorker, AnExchangeTakesUpdatesThatWereNeverSent) {
  const proto::Asynchronous mode = asynchronously(true);
  lose(&mode, 8);
  EXPECT_EQ(visited_.samples.size(), 8u);
  go_on(&mode);
}

TEST_F(WithALostWorker, OtherWorkIsLearnedFromTheStart) {
  const proto::Asynchronous mode = asynchronously(false);
  lose(&mode, 1);
  visited_.samples.clear();
  proto::ToWorker changed = order(6, {&learner_}, learner_, nullptr);
  changed.mutable_step()->mutable_items(0)->set_count(7);
  EXPECT_EQ(learner_.tell(changed).step_done().samples(), 7u);
  EXPECT_EQ(visited_.samples.size(), 7u);
}

TEST_F(WithALostWorker, TheTimeInWhichAModelIsMadeReadyIsNotThatOfLearning) {
  visited_.preparing = std::chrono::milliseconds(300);
  const auto done = learner_.tell(order(5, {&learner_}, learner_, nullptr));
  EXPECT_LE(done.step_done().compute_s(), to_seconds(posix::now() - visited_.ready));
  visited_.samples.clear();
  const std::vector<Told*> members{&learner_, &other_};
  std::thread helper([&] { other_.tell(order(6, members, other_, nullptr)); });
  const auto of_two = learner_.tell(order(6, members, learner_, nullptr));
  EXPECT_LE(of_two.step_done().compute_s(), to_seconds(posix::now() - visited_.ready));
  helper.join();
}

}  // namespace worker_host_posix_test
}  // namespace surety::runtime
