// Tests the directory under random churn against an independent model: a ledger of every sample
// that was ever committed, and a record of where each chunk's only state is.
#include <gmock/gmock.h>

#include <set>

#include "base/random.h"
#include "elastic/ownership/directory.h"
#include "elastic/ownership/directory_test.h"

namespace surety::elastic {
namespace directory_churn_test {

using ::testing::IsEmpty;

// Counts visits of each sample, independently of owners, versions and progress.
class PassLedger {
 public:
  explicit PassLedger(const std::vector<ChunkSize>& chunks) {
    for (const ChunkSize& chunk : chunks) visits_.emplace_back(chunk.samples, 0);
  }

  void record(const Work& work) {
    for (std::uint32_t i = 0; i < work.count; ++i) {
      ++visits_.at(work.chunk.value).at(work.first + i);
    }
  }

  // Ends a pass and starts the next one. Returns an empty string if each sample was visited exactly
  // once, or at most once if the pass was cut short.
  std::string close_pass(bool cut_short = false) {
    std::string wrong;
    for (std::size_t chunk = 0; chunk < visits_.size(); ++chunk) {
      for (std::size_t i = 0; i < visits_[chunk].size(); ++i) {
        const int visits = std::exchange(visits_[chunk][i], 0);
        if (visits != 1 && !(cut_short && visits == 0))
          wrong = fmt::format("sample {} of chunk {}: {} visits", i, chunk, visits);
      }
    }
    return wrong;
  }

 private:
  std::vector<std::vector<int>> visits_;
};

TEST(PassLedger, SeesADoubleVisitAndAMissedSample) {
  const std::vector<ChunkSize> chunks{{.id = ChunkId{0}, .samples = 3, .bytes = 1}};
  PassLedger ledger(chunks);
  ledger.record({.chunk = ChunkId{0}, .version = 1, .first = 0, .count = 3});
  EXPECT_EQ(ledger.close_pass(), "");
  ledger.record({.chunk = ChunkId{0}, .version = 1, .first = 0, .count = 2});
  EXPECT_EQ(ledger.close_pass(), "sample 2 of chunk 0: 0 visits");
  ledger.record({.chunk = ChunkId{0}, .version = 1, .first = 0, .count = 3});
  ledger.record({.chunk = ChunkId{0}, .version = 2, .first = 1, .count = 1});
  EXPECT_EQ(ledger.close_pass(), "sample 1 of chunk 0: 2 visits");
}

// Tracks where the only copy of each chunk's state is, from grants, confirmations and deaths.
class StateModel {
 public:
  explicit StateModel(std::size_t chunks) : at_(chunks) {}

  void granted(const Grant& grant) {
    EXPECT_EQ(grant.from, at_[grant.chunk.value]) << "chunk " << grant.chunk.value;
  }
  void confirmed(const Grant& grant) { at_[grant.chunk.value] = grant.to; }
  void died(WorkerId worker) {
    for (std::optional<WorkerId>& at : at_) {
      if (at == worker) at.reset();
    }
  }
  bool has_any(WorkerId worker) const { return std::count(at_.begin(), at_.end(), worker) > 0; }
  std::optional<WorkerId> at(std::size_t chunk) const { return at_[chunk]; }

 private:
  std::vector<std::optional<WorkerId>> at_;
};

std::vector<ChunkSize> random_chunks(Random random) {
  std::vector<ChunkSize> chunks(1 + random.below(20));
  for (std::uint32_t i = 0; i < chunks.size(); ++i) {
    chunks[i] = {.id = ChunkId{i},
                 .samples = static_cast<std::uint32_t>(1 + random.below(12)),
                 .bytes = random.below(1000)};
  }
  return chunks;
}

// Counts of the events of a run, so that a test can check that the intended faults happened.
struct Seen {
  int passes = 0;
  int hand_overs = 0;
  int reclaims = 0;
  int orphans = 0;
  int aborted = 0;
  int departures = 0;
  int parts = 0;
  int cut_passes = 0;
};

// With few moves at each boundary, balancing takes several of them.
const BoundaryPolicy kFewMoves{.placement = {.moves_max = 3}};

class Churn {
 public:
  explicit Churn(std::uint64_t seed)
      : random_(seed),
        chunks_(random_chunks(random_.fork("chunks"))),
        directory_(chunks_),
        ledger_(chunks_),
        states_(chunks_.size()),
        versions_(chunks_.size(), 0) {}

  void iterate() {
    if (chance(0.25)) join();
    if (chance(0.15)) leave(any_worker());
    if (chance(0.10)) lose(any_worker());
    make_every_chunk_owned();
    compute_and_commit();
  }

  // There are no more faults: the pass must end, because each iteration does at least one sample.
  void finish_pass_in_peace() {
    peace_ = true;
    make_every_chunk_owned();
    const std::uint64_t passes = static_cast<std::uint64_t>(seen_.passes);
    for (std::uint64_t i = directory_.samples_left(); i > 0; --i) {
      if (static_cast<std::uint64_t>(seen_.passes) > passes) return;
      commit(directory_.work(5));
    }
    EXPECT_GT(static_cast<std::uint64_t>(seen_.passes), passes) << "no progress without faults";
  }

  // With constant membership, moves must come to an end.
  void come_to_rest() {
    finish_pass_in_peace();
    for (std::size_t i = 0; i < chunks_.size(); ++i) make_every_chunk_owned();
    for (int i = 0; i < 30; ++i) {
      const Boundary boundary = directory_.boundary(kFewMoves);
      ASSERT_THAT(boundary.grants, IsEmpty()) << boundary.reason;
      commit(directory_.work(3));
    }
  }

  const Seen& seen() const { return seen_; }

 private:
  bool chance(double probability) { return random_.uniform() < probability; }

  std::optional<WorkerId> any_worker() {
    const auto workers = directory_.workers();
    if (workers.empty()) return std::nullopt;
    return workers[random_.below(workers.size())];
  }

  void join() {
    directory_.join(WorkerId{++last_worker_});
    check();
  }
  void leave(std::optional<WorkerId> worker) {
    if (worker) directory_.leave(*worker);
    check();
  }
  void lose(std::optional<WorkerId> worker) {
    if (!worker) return;
    states_.died(*worker);
    directory_.lose(*worker);
    check();
  }

  // A policy with random speeds, some resting workers, and shuffling.
  BoundaryPolicy any_policy() {
    BoundaryPolicy policy = kFewMoves;
    policy.placement.bytes_max = random_.below(2000);
    for (std::uint32_t w = 1; w <= last_worker_; ++w) {
      policy.costs[WorkerId{w}] = 0.5 + 3 * random_.uniform();
      if (chance(0.1)) policy.resting.insert(WorkerId{w});
    }
    if (chance(0.5)) policy.shuffle = ShuffleOptions{.share = 0.3};
    policy.shuffle_seed = random_.next();
    if (chance(0.3)) policy.working = static_cast<std::uint32_t>(1 + random_.below(4));
    return policy;
  }

  // Without faults, or most of the time, only balancing is requested.
  Boundary boundary() {
    if (peace_ || chance(0.85)) return directory_.boundary(kFewMoves);
    join();  // So at least one worker works.
    BoundaryPolicy policy = any_policy();
    policy.resting.erase(WorkerId{last_worker_});
    return directory_.boundary(policy);
  }

  void make_every_chunk_owned() {
    bool confirmed = false;
    while (!confirmed) {
      if (directory_.staying() == 0) join();
      auto grants = boundary().grants;
      check_grants(grants);
      for (const Grant& grant : grants) states_.granted(grant);
      check();
      random_.shuffle(std::span(grants));
      for (const Grant& grant : grants) hand_over(grant);
      EXPECT_THAT(directory_test::pending_grants(directory_.entries()), IsEmpty());
      confirmed = std::ranges::all_of(directory_.entries(), [](const Entry& entry) {
        return entry.state == Ownership::kOwned;
      });
    }
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      EXPECT_EQ(directory_.entries()[i].owner, states_.at(i)) << "chunk " << i;
    }
  }

  void check_grants(const std::vector<Grant>& grants) const {
    std::set<ChunkId> chunks;
    for (const Grant& grant : grants) EXPECT_TRUE(chunks.insert(grant.chunk).second);
  }

  // Delivers a grant. Its sender, its receiver or any other worker may die or leave before it
  // arrives, and it may arrive twice.
  void hand_over(const Grant& grant) {
    if (chance(0.02)) lose(grant.to);
    if (chance(0.02)) lose(grant.from);
    if (chance(0.01)) lose(any_worker());
    if (chance(0.02)) leave(grant.to);
    const Entry entry = directory_.entries()[grant.chunk.value];
    const bool stands = entry.state == Ownership::kHanding && entry.version == grant.version;
    if (grant.from && stands) ++seen_.hand_overs;
    if (!stands) ++(entry.state == Ownership::kOwned ? seen_.reclaims : seen_.orphans);
    directory_.confirm(grant);
    if (stands) states_.confirmed(grant);
    check();
    if (chance(0.1)) directory_.confirm(grant);
    check();
  }

  void compute_and_commit() {
    auto work = directory_.work(static_cast<std::uint32_t>(1 + random_.below(15)));
    if (chance(0.2)) {  // The iteration is aborted: everything was computed, but is not committed.
      ++seen_.aborted;
      return;
    }
    if (chance(0.1)) leave(any_worker());
    if (chance(0.1)) lose(any_worker());
    std::erase_if(work, [this](const auto& of_worker) {
      return chance(0.1) || !directory_.is_current(of_worker.first, of_worker.second.front());
    });
    for (auto& [worker, pieces] : work) {
      if (!chance(0.2)) continue;
      pieces = first_of(pieces, random_.below(10) % (pieces.front().count + 1));
      ++seen_.parts;
    }
    commit(work);
    if (!chance(0.02)) return;
    directory_.cut_pass_short();
    EXPECT_EQ(ledger_.close_pass(true), "");
    ++seen_.cut_passes;
  }

  void commit(const std::map<WorkerId, std::vector<Work>>& work) {
    for (const auto& [worker, pieces] : work) {
      for (const Work& piece : pieces) {
        EXPECT_EQ(states_.at(piece.chunk.value), worker);
        ledger_.record(piece);
      }
    }
    directory_.commit(work);
    check();
    if (!directory_.is_pass_finished()) return;
    EXPECT_EQ(ledger_.close_pass(), "");
    directory_.begin_pass();
    ++seen_.passes;
  }

  // Runs after every step.
  void check() {
    ASSERT_EQ(directory_.violation(), std::nullopt);
    const std::vector<Entry> entries = directory_.entries();
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      ASSERT_GE(entries[i].version, versions_[i]);
      versions_[i] = entries[i].version;
    }
    for (std::uint32_t w = 1; w <= last_worker_; ++w) {
      if (!directory_.has_departed(WorkerId{w})) continue;
      ASSERT_FALSE(states_.has_any(WorkerId{w})) << "worker " << w << " departed with state";
      if (departed_.insert(w).second) ++seen_.departures;
    }
  }

  Random random_;
  std::vector<ChunkSize> chunks_;
  Directory directory_;
  PassLedger ledger_;
  StateModel states_;
  std::vector<std::uint32_t> versions_;
  std::set<std::uint32_t> departed_;
  std::uint32_t last_worker_ = 0;
  bool peace_ = false;
  Seen seen_;
};

TEST(DirectoryChurn, EachChunkHasOneOwnerAndEachSampleIsVisitedOncePerPass) {
  Seen total;
  for (std::uint64_t seed = 0; seed < 150 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Churn churn(seed);
    for (int i = 0; i < 80; ++i) churn.iterate();
    churn.finish_pass_in_peace();
    total.passes += churn.seen().passes;
    total.hand_overs += churn.seen().hand_overs;
    total.reclaims += churn.seen().reclaims;
    total.orphans += churn.seen().orphans;
    total.aborted += churn.seen().aborted;
    total.departures += churn.seen().departures;
    total.parts += churn.seen().parts;
    total.cut_passes += churn.seen().cut_passes;
  }
  RecordProperty("passes", total.passes);
  RecordProperty("hand_overs", total.hand_overs);
  RecordProperty("reclaims", total.reclaims);
  RecordProperty("orphans", total.orphans);
  RecordProperty("departures", total.departures);
  EXPECT_GT(total.passes, 1000);
  EXPECT_GT(total.hand_overs, 1000);
  EXPECT_GT(total.reclaims, 100);
  EXPECT_GT(total.orphans, 100);
  EXPECT_GT(total.aborted, 1000);
  EXPECT_GT(total.departures, 1000);
  EXPECT_GT(total.parts, 1000);
  EXPECT_GT(total.cut_passes, 100);
}

TEST(DirectoryChurn, AfterTheChurnNoMoreChunksMove) {
  for (std::uint64_t seed = 1000; seed < 1100 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Churn churn(seed);
    for (int i = 0; i < 20; ++i) churn.iterate();
    churn.come_to_rest();
  }
}

}  // namespace directory_churn_test
}  // namespace surety::elastic
