#include "fabric/exchange/exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "proto/fabric.pb.h"

namespace surety::fabric {
namespace exchange_test {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr double kRate = 1e6;

ExchangeOptions options_of(std::uint32_t workers, std::uint32_t owners, std::uint64_t elements,
                           std::uint32_t blocks, QuorumOptions quorum = {}) {
  ExchangeOptions options{.scheduler = WorkerId{2}, .elements = elements, .blocks = blocks};
  for (std::uint32_t h = 0; h < workers; ++h) options.workers.push_back(WorkerId{2 + 3 * h});
  for (std::uint32_t o = 0; o < owners; ++o) {
    options.owners.push_back({options.workers[o], 1.0 / owners});
  }
  options.quorum = quorum;
  options.nominal = {kRate, kRate};
  return options;
}

// All workers, their messages, and a learner on each worker that pushes whole numbers, so that sums
// are exact in any order.
class Cluster {
 public:
  Cluster(const ExchangeOptions& options, std::uint64_t seed, std::uint32_t updates)
      : options_(options), random_(seed) {
    EXPECT_TRUE(check(options));
    for (const WorkerId worker : options.workers) {
      workers_.emplace(
          worker, Worker{std::make_unique<Exchange>(options, worker, first(), now()), updates});
    }
    expected_ = first();
  }

  // Runs until all have ended, or the limit of turns is reached.
  void run() {
    for (int turn = 0; turn < turns_max && failure.empty(); ++turn) {
      const auto at =
          std::next(workers_.begin(), static_cast<long>(random_.below(workers_.size())));
      if (dead_ == at->first) continue;
      if (random_.below(3) == 0) train(at->first, at->second);
      if (slow_port) {
        tick_ports();
      } else if (random_.below(100) == 0) {
        Worker& worker = at->second;
        worker.passed.out +=
            random_.below(2'000);  // Data must not be lost for any reported traffic.
        worker.passed.in += random_.below(500) * random_.below(20);
        worker.exchange->tick(now(), worker.passed);
      }
      if (turn == dies_at) dead_ = at->first;
      collect(at->first, *at->second.exchange);
      deliver();
      now_us_ += turn_us;
      if (on_turn) on_turn();
      if (all_ended()) return;
    }
  }

  void more(WorkerId worker, std::uint32_t updates) { workers_.at(worker).left += updates; }
  [[nodiscard]] bool all_ended() const {
    return std::ranges::all_of(workers_, [](const auto& h) { return h.second.exchange->ended(); });
  }
  [[nodiscard]] std::vector<std::vector<float>> models() {
    std::vector<std::vector<float>> models;
    for (auto& [id, worker] : workers_) models.push_back(worker.exchange->take_model());
    return models;
  }
  [[nodiscard]] const std::vector<float>& expected() const { return expected_; }
  [[nodiscard]] Exchange& at(std::uint32_t index) {
    return *workers_.at(options_.workers[index]).exchange;
  }
  [[nodiscard]] Time now() const { return Time(std::chrono::microseconds(now_us_)); }
  [[nodiscard]] std::uint64_t pushed() const { return pushed_; }
  [[nodiscard]] std::uint64_t most_ahead() const { return most_ahead_; }
  [[nodiscard]] const ExchangeCounts& counts() const {
    return workers_.at(options_.scheduler).exchange->scheduler()->counts();
  }
  // Takes the models of the workers that have ended.
  [[nodiscard]] std::vector<std::vector<float>> ended() {
    std::vector<std::vector<float>> models;
    for (auto& [id, worker] : workers_) {
      if (worker.exchange->ended()) models.push_back(worker.exchange->take_model());
    }
    return models;
  }

  std::string failure;
  double silence = 0;  // Probability that a learner does nothing when it could.
  double doubles = 0;  // Probability that data arrive twice.
  std::optional<std::pair<WorkerId, WorkerId>> lags;  // Slow link, from first to second.
  // This worker's port steadily carries a tenth of the rate; all others carry the full rate.
  std::function<WorkerId(Time)> slow_port;
  std::int64_t turn_us = 100;
  std::function<void()> on_turn;
  int dies_at = -1;  // Turn in which a worker stops sending.
  int turns_max = 400'000;

 private:
  struct Worker {
    std::unique_ptr<Exchange> exchange;
    std::uint32_t left = 0;
    std::uint64_t done = 0;
    bool retired = false;
    std::vector<float> last{};
    PortBytes passed{};
  };
  std::vector<float> first() const { return std::vector<float>(options_.elements, 1.0f); }

  // Runs every 50 ms.
  void tick_ports() {
    if (now_us_ < ticked_us_ + 50'000) return;
    ticked_us_ = now_us_;
    for (auto& [id, worker] : workers_) {
      const double share = slow_port(now()) == id ? 0.1 : 1;
      const auto bytes = static_cast<std::uint64_t>(kRate * 0.05 * share);
      worker.passed.out += bytes;
      worker.passed.in += bytes;
      worker.exchange->tick(now(), worker.passed);
    }
  }

  void train(WorkerId id, Worker& worker) {
    if (auto pulled = worker.exchange->take_pulled()) {
      ++worker.done;
      for (const Slice slice : pulled->dropped) {
        for (std::uint64_t i = 0; i < slice.count; ++i) {
          expected_[slice.first + i] -= worker.last[slice.first + i];
        }
      }
    }
    if (!worker.exchange->idle() || worker.retired || random_.uniform() < silence) return;
    if (worker.left == 0) {
      worker.retired = true;
      worker.exchange->retire(now());
      return;
    }
    --worker.left;
    std::vector<float> update(options_.elements);
    for (std::size_t i = 0; i < update.size(); ++i) {
      update[i] = static_cast<float>(random_.below(8)) + static_cast<float>(id.value);
      expected_[i] += update[i];
    }
    worker.last = update;
    ++pushed_;
    std::uint64_t slowest = std::numeric_limits<std::uint64_t>::max();
    for (const auto& [other, of] : workers_) {
      if (!of.retired) slowest = std::min(slowest, of.done);
    }
    most_ahead_ = std::max(most_ahead_, worker.done - std::min(slowest, worker.done));
    if (!worker.exchange->push(now(), std::move(update))) failure = "push";
  }

  void collect(WorkerId from, Exchange& exchange) {
    for (const WorkerId to : exchange.destinations()) {
      auto& queue = queues_[{from, to}];
      while (auto send = exchange.next_send(now(), to, queue.size() > 2)) {
        queue.push_back(std::move(send->bytes));
      }
      if (queue.empty()) queues_.erase({from, to});
    }
  }
  // Delivers one message of a randomly chosen pair of workers that has messages.
  void deliver() {
    if (queues_.empty()) return;
    const auto at = std::next(queues_.begin(), static_cast<long>(random_.below(queues_.size())));
    const auto [from, to] = at->first;
    if (lags && at->first == *lags && random_.uniform() < 0.99) return;
    const auto bytes = std::move(at->second.front());
    at->second.pop_front();
    if (bytes[0] == std::byte{'D'} && random_.uniform() < doubles) at->second.push_front(bytes);
    if (at->second.empty()) queues_.erase(at);
    if (to == dead_ || from == dead_) return;
    const auto taken = workers_.at(to).exchange->receive(now(), from, bytes);
    if (!taken) failure = taken.error().message;
  }

  const ExchangeOptions options_;
  Random random_;
  std::map<WorkerId, Worker> workers_;
  std::map<std::pair<WorkerId, WorkerId>, std::deque<std::vector<std::byte>>> queues_;
  std::vector<float> expected_;
  std::uint64_t pushed_ = 0;
  std::uint64_t most_ahead_ = 0;
  std::int64_t now_us_ = 0;
  std::int64_t ticked_us_ = 0;
  std::optional<WorkerId> dead_;
};

struct Case {
  std::uint32_t workers;
  std::uint32_t owners;
  std::uint64_t elements;
  std::uint32_t blocks;
  QuorumOptions quorum{};
  std::optional<std::uint64_t> staleness_max{};
};

const Case kCases[] = {
    {1, 1, 5, 2},
    {2, 1, 7, 3},
    {4, 1, 64, 4},
    {4, 4, 65, 4},
    {5, 2, 33, 7, {.batch = 5}},
    {6, 6, 100, 5, {.batch = 2}},
    {4, 3, 40, 4, {.ahead = 1}},
    {6, 1, 40, 4, {}, 4},
};

TEST(Exchange, EveryUpdateIsInTheLastModelOnceAndAllHaveTheSame) {
  for (const Case& of : kCases) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      auto options = options_of(of.workers, of.owners, of.elements, of.blocks, of.quorum);
      options.staleness_max = of.staleness_max;
      Cluster cluster(options, seed, 5);
      cluster.silence = seed % 3 == 0 ? 0.9 : 0;
      cluster.run();
      ASSERT_EQ(cluster.failure, "");
      ASSERT_TRUE(cluster.all_ended()) << of.workers << " workers, seed " << seed;
      EXPECT_EQ(cluster.pushed(), of.workers * 5u);
      EXPECT_THAT(cluster.models(), Each(cluster.expected())) << of.workers << " workers, " << seed;
    }
  }
}

// Its author learns that the model contains the update, and later that all workers have this model.
TEST(Exchange, AnUpdateIsInTheModelBeforeItSurvivesTheLossOfAnyWorker) {
  Cluster cluster(options_of(2, 2, 40, 4), 3, 0);
  Exchange& author = cluster.at(1);
  std::vector<std::pair<bool, bool>> seen;
  const UpdateNumber number = author.push(cluster.now(), std::vector<float>(40, 1.0f)).value();
  EXPECT_EQ(number, 1u);
  cluster.on_turn = [&] {
    const bool had_ended = !seen.empty() && seen.back().second;
    const std::pair state{author.idle(), had_ended || author.ended()};
    if (seen.empty() || seen.back() != state) seen.push_back(state);
  };
  cluster.run();
  ASSERT_TRUE(cluster.all_ended());
  EXPECT_EQ(seen,
            (std::vector<std::pair<bool, bool>>{{false, false}, {true, false}, {true, true}}));
  EXPECT_EQ(cluster.models(), (std::vector(2, std::vector<float>(40, cluster.expected()[0] + 1))));
}

TEST(Exchange, WhoHasLessToDoIsNotWaitedFor) {
  const QuorumOptions kinds[] = {{.batch = 4}, {.batch = 3}, {.ahead = 1}};
  for (const QuorumOptions& quorum : kinds) {
    const auto options = options_of(4, 2, 16, 2, quorum);
    Cluster cluster(options, 1, 2);
    cluster.more(options.workers[1], 4);
    cluster.run();
    ASSERT_TRUE(cluster.all_ended())
        << "batch " << quorum.batch.value_or(0) << ", ahead " << quorum.ahead.value_or(0);
    EXPECT_EQ(cluster.pushed(), 4 * 2 + 4u);
    EXPECT_THAT(cluster.models(), Each(cluster.expected()));
  }
}

TEST(Exchange, WhoOwnsNothingOfABlockIsNotWaitedFor) {
  // Six values of seven owners: the fourth of them has none.
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Cluster cluster(options_of(7, 7, 6, 1), seed, 4);
    cluster.run();
    ASSERT_TRUE(cluster.all_ended());
    EXPECT_THAT(cluster.models(), Each(cluster.expected()));
  }
}

// The owner is not the scheduler. Only data use the slow link, so all workers may retire before the
// last update has arrived.
TEST(Exchange, ASlowLinkLosesNothingOfWhatWasGrantedBefore) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto options = options_of(3, 1, 12, 1);
    options.owners = {{options.workers[1], 1}};
    Cluster cluster(options, seed, 3);
    cluster.lags = {options.workers[2], options.workers[1]};
    cluster.run();
    ASSERT_TRUE(cluster.all_ended());
    EXPECT_THAT(cluster.models(), Each(cluster.expected())) << seed;
  }
}

// Every five seconds another port is slow, so that blocks return to earlier owners.
TEST(Exchange, OwnersWhosePortsBecomeSlowGiveUpTheirPartsAndNothingIsLost) {
  const Case cases[] = {
      {2, 2, 7, 3}, {4, 4, 65, 4}, {5, 2, 33, 7, {.batch = 5}}, {7, 7, 6, 1}, {3, 3, 64, 32}};
  std::uint64_t placements = 0;
  for (const Case& of : cases) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto options = options_of(of.workers, of.owners, of.elements, of.blocks, of.quorum);
      const bool lags = seed % 3 == 0 && of.workers > 2;
      Cluster cluster(options, seed, (lags ? 40 : 200) / of.workers);
      cluster.turn_us = 2000;
      cluster.doubles = seed % 2 == 0 ? 0.1 : 0;
      if (lags) cluster.lags = {options.workers[1], options.workers.back()};
      cluster.slow_port = [&](Time now) {
        const auto period = static_cast<std::size_t>(to_seconds(now.time_since_epoch()) / 5);
        return options.workers[period % options.workers.size()];
      };
      cluster.run();
      ASSERT_EQ(cluster.failure, "");
      ASSERT_TRUE(cluster.all_ended()) << of.workers << " workers, seed " << seed;
      placements += cluster.counts().placements;
      EXPECT_THAT(cluster.models(), Each(cluster.expected())) << of.workers << " workers, " << seed;
    }
  }
  EXPECT_GT(placements, 30u);
}

TEST(Exchange, OfPortsNothingIsLearnedOnceSomeHaveRetired) {
  const auto options = options_of(4, 4, 65, 4);
  Cluster cluster(options, 1, 0);
  cluster.turn_us = 2000;
  for (const std::uint32_t h : {1u, 2u, 3u}) cluster.more(options.workers[h], 60);
  cluster.slow_port = [&](Time) { return options.workers[1]; };
  cluster.run();
  ASSERT_TRUE(cluster.all_ended());
  EXPECT_EQ(cluster.counts().placements, 0u);
}

// A typical rate of 0 would make the options of the next exchange invalid.
TEST(Exchange, PortsThatHaveCarriedNothingAreTakenToBeAsPlanned) {
  const auto options = options_of(4, 4, 65, 4);
  ExchangeScheduler scheduler(options, Time{});
  proto::ExchangeMessage nothing;
  nothing.mutable_seen()->mutable_out();
  nothing.mutable_seen()->mutable_in();
  for (const WorkerId worker : options.workers)
    ASSERT_TRUE(scheduler.receive(Time{}, worker, nothing));
  EXPECT_EQ(scheduler.known_ports().typical_bytes_per_s, kRate);
}

TEST(Exchange, TheNextOneBeginsWithWhatTheLastOneHasShownOfPorts) {
  auto options = options_of(4, 4, 65, 4);
  Cluster cluster(options, 1, 60);
  cluster.turn_us = 2000;
  cluster.slow_port = [&](Time) { return options.workers[1]; };
  cluster.run();
  const KnownPorts known = cluster.at(0).scheduler()->known_ports();
  ASSERT_EQ(known.slow_ports.size(), 1u);
  EXPECT_EQ(known.slow_ports.begin()->first, options.workers[1]);
  EXPECT_LT(known.slow_ports.begin()->second.in_bytes_per_s, kRate / 4);
  EXPECT_NEAR(known.typical_bytes_per_s, kRate, kRate / 50);

  options.slow_ports = known.slow_ports;
  Exchange next(options, options.scheduler, std::vector<float>(65, 1), Time{});
  ASSERT_TRUE(next.push(Time{}, std::vector<float>(65, 1)));
  const auto first = next.next_send(Time{}, options.workers[3], true);
  ASSERT_TRUE(first);
  proto::ExchangeMessage message;
  ASSERT_TRUE(
      message.ParseFromArray(first->bytes.data() + 1, static_cast<int>(first->bytes.size() - 1)));
  ASSERT_TRUE(message.has_placed());
  EXPECT_THAT(message.placed().workers(), ElementsAre(2, 8, 11));
}

TEST(Exchange, DataThatComesTwiceCountsOnce) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Cluster cluster(options_of(4, 2, 40, 4), seed, 4);
    cluster.doubles = 0.3;
    cluster.run();
    ASSERT_EQ(cluster.failure, "");
    ASSERT_TRUE(cluster.all_ended());
    EXPECT_THAT(cluster.models(), Each(cluster.expected()));
  }
}

// A worker that ends has everything that was pushed; for any other worker the exchange is aborted.
TEST(Exchange, AWorkerThatFallsSilentLeavesNobodyWithAPartOfTheModel) {
  int ended = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Cluster cluster(options_of(4, 1 + seed % 4, 20, 2), seed, 2);
    cluster.dies_at = static_cast<int>(seed * 7 % 3000);
    cluster.turns_max = 6000;
    cluster.run();
    ASSERT_EQ(cluster.failure, "");
    const auto models = cluster.ended();
    ended += static_cast<int>(models.size());
    for (const auto& model : models) EXPECT_EQ(model, cluster.expected()) << seed;
  }
  EXPECT_GT(ended, 0);
}

TEST(Exchange, WhatIsTooOldIsDroppedAndItsWorkerTold) {
  auto options = options_of(6, 1, 40, 4);
  options.staleness_max = 4;
  std::uint64_t dropped = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Cluster cluster(options, seed, 6);
    cluster.silence = 0.7;
    cluster.run();
    ASSERT_TRUE(cluster.all_ended());
    dropped += cluster.counts().dropped;
    EXPECT_THAT(cluster.models(), Each(cluster.expected())) << seed;
  }
  EXPECT_GT(dropped, 0u);
}

TEST(Exchange, NobodyIsFurtherAheadThanItMay) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Cluster cluster(options_of(4, 2, 16, 2, {.ahead = 2}), seed, 8);
    cluster.silence = 0.8;
    cluster.run();
    ASSERT_TRUE(cluster.all_ended());
    EXPECT_LE(cluster.most_ahead(), 3u);
  }
}

// A grant by the scheduler, in a cluster of two workers.
std::vector<std::byte> granted(RoundId round, bool pull, std::uint32_t block, WorkerId member,
                               std::uint32_t speed_class, std::vector<RoundId> without = {}) {
  proto::ExchangeMessage message;
  message.mutable_granted()->set_round(round);
  message.mutable_granted()->set_pull(pull);
  message.mutable_granted()->set_block(block);
  message.mutable_granted()->add_members(member.value);
  message.mutable_granted()->set_direct(1);
  message.mutable_granted()->set_speed_class(speed_class);
  message.mutable_granted()->set_placement(kFirstPlacement);
  for (const RoundId push : without) message.mutable_granted()->add_without(push);
  const std::string text = "C" + message.SerializeAsString();
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(Exchange, WhatAQuickRoundNeedsOvertakesOurOwnSlowOne) {
  const WorkerId other{2};
  const WorkerId self{5};
  Exchange exchange(options_of(2, 2, 8, 2), self, std::vector<float>(8, 1), Time{});
  ASSERT_TRUE(exchange.push(Time{}, std::vector<float>(8, 1)));
  ASSERT_TRUE(exchange.receive(Time{}, other, granted(1, false, 0, self, 2)));
  ASSERT_TRUE(exchange.receive(Time{}, other, granted(2, true, 1, other, 0)));
  std::vector<int> rounds;
  while (const auto send = exchange.next_send(Time{}, other, false)) {
    if (send->data) rounds.push_back(static_cast<int>(send->bytes[1]));  // The low byte.
  }
  EXPECT_EQ(rounds, (std::vector{2, 1}));
}

// Counts the messages to send, either data or control.
std::size_t count_sends(Exchange& exchange, WorkerId to, bool data) {
  std::size_t count = 0;
  while (const auto send = exchange.next_send(Time{}, to, false)) count += send->data == data;
  return count;
}

TEST(Exchange, APullWaitsForThePushesBeforeItButForThoseThatItGoesWithout) {
  const WorkerId other{2};
  const WorkerId self{5};
  for (const bool waits : {true, false}) {
    Exchange exchange(options_of(2, 2, 8, 1), self, std::vector<float>(8, 1), Time{});
    ASSERT_TRUE(exchange.receive(Time{}, other, granted(1, false, 0, other, 2)));
    const auto pull =
        granted(2, true, 0, other, 0, waits ? std::vector<RoundId>{} : std::vector<RoundId>{1});
    ASSERT_TRUE(exchange.receive(Time{}, other, pull));
    EXPECT_EQ(count_sends(exchange, other, true), waits ? 0u : 1u);
  }
}

TEST(Exchange, OnlyAFastRoundIsAcknowledgedBeforeItIsThere) {
  const WorkerId other{2};
  const WorkerId self{5};
  for (const std::uint32_t speed_class : {0u, 1u}) {
    Exchange exchange(options_of(2, 2, 8, 1), self, std::vector<float>(8, 1), Time{});
    ASSERT_TRUE(exchange.receive(Time{}, other, granted(1, false, 0, other, speed_class)));
    EXPECT_EQ(count_sends(exchange, other, false), speed_class == 0 ? 1u : 0u);
  }
}

TEST(Exchange, APortThatIsAlwaysBusyAtATenthOfItsRateIsSlow) {
  Exchange exchange(options_of(2, 2, 8, 2), WorkerId{5}, std::vector<float>(8, 1), Time{});
  for (int tick = 0; tick <= 30; ++tick) {
    const auto passed = static_cast<std::uint64_t>(tick * kRate / 10 * 0.05);
    exchange.tick(Time(std::chrono::milliseconds(50 * tick)), PortBytes{.out = passed, .in = 0});
    EXPECT_EQ(exchange.has_slow_port(), tick >= 20);  // This is one second.
  }
}

}  // namespace exchange_test
}  // namespace surety::fabric
