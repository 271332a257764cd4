// Tests rebalancing by learned speeds in a job with simulated time: workers with unequal, noisy,
// changing speeds, and a directory.
#include <gtest/gtest.h>

#include "base/random.h"
#include "elastic/ownership/directory.h"
#include "elastic/policy/shares.h"
#include "elastic/policy/speed.h"
#include "test/support/elastic/policy/ideal_finish.h"

namespace surety::elastic {
namespace rebalance_sim_test {

constexpr std::uint32_t kWorkers = 16;
constexpr std::uint32_t kChunks = 100 * kWorkers;
constexpr std::uint32_t kSamples = 50;

class Job {
 public:
  explicit Job(std::uint64_t seed) : random_(seed), directory_(sizes()) {
    for (std::uint32_t w = 1; w <= kWorkers; ++w) {
      directory_.join(WorkerId{w});
      costs_.push_back(w % 2 == 0 ? 2 : 1);
    }
    confirm_all();
    moved_ = 0;
  }

  // Runs one pass. Returns the ratio of the time of the slowest worker to the ideal time.
  double pass(double noise) {
    double slowest = 0;
    for (const auto& [worker, work] : directory_.work(UINT32_MAX)) {
      double samples = 0;
      for (const Work& piece : work) samples += piece.count;
      const double cost = costs_[worker.value - 1];
      const double seconds = samples * cost * std::max(0.1, 1 + noise * random_.normal());
      speeds_.observe(worker, samples, seconds);
      // This measures only the division, without the noise of this pass.
      slowest = std::max(slowest, samples * cost);
    }
    directory_.commit(directory_.work(UINT32_MAX));
    directory_.begin_pass();
    confirm_all();
    return slowest / ideal_finish_s(costs_, double{kChunks} * kSamples);
  }

  void swap_speeds() { std::rotate(costs_.begin(), costs_.begin() + 1, costs_.end()); }
  double moved() const { return static_cast<double>(moved_) / kChunks; }

 private:
  static std::vector<ChunkSize> sizes() {
    std::vector<ChunkSize> sizes;
    for (std::uint32_t i = 0; i < kChunks; ++i) {
      sizes.push_back({.id = ChunkId{i}, .samples = kSamples, .bytes = 1000});
    }
    return sizes;
  }

  void confirm_all() {
    const std::vector<WorkerId> workers = directory_.workers();
    const std::vector<double> costs = speeds_.seconds_per_work(workers);
    BoundaryPolicy policy;
    policy.placement.moves_max = kChunks / 10;
    for (std::size_t w = 0; w < workers.size(); ++w) policy.costs[workers[w]] = costs[w];
    for (const Grant& grant : directory_.boundary(policy).grants) {
      directory_.confirm(grant);
      ++moved_;
    }
  }

  Random random_;
  Directory directory_;
  Speeds speeds_;
  std::vector<double> costs_;
  std::uint64_t moved_ = 0;
};

// A sixth of the data has to move: each worker of the slow half must go from 1/16 to 1/24.
TEST(RebalanceSim, WithinTenPassesTheSlowestIsFivePercentOverTheIdeal) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Job job(seed);
    EXPECT_GT(job.pass(0.02), 1.4);
    for (int i = 1; i < 10; ++i) static_cast<void>(job.pass(0.02));
    double worst = 0;
    for (int i = 0; i < 10; ++i) worst = std::max(worst, job.pass(0.02));
    EXPECT_LE(worst, 1.05) << "seed " << seed;
    EXPECT_LE(job.moved(), 0.35) << "seed " << seed;
  }
}

TEST(RebalanceSim, AfterAChangeOfSpeedsItIsBackWithinTenPasses) {
  Job job(7);
  for (int i = 0; i < 12; ++i) static_cast<void>(job.pass(0.02));
  job.swap_speeds();
  EXPECT_GT(job.pass(0.02), 1.4);
  for (int i = 0; i < 9; ++i) static_cast<void>(job.pass(0.02));
  EXPECT_LE(job.pass(0.02), 1.05);
}

}  // namespace rebalance_sim_test
}  // namespace surety::elastic
