#include "orchestrator/leadership/leadership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"

namespace surety::orchestrator {
namespace leadership_test {

using Role = Leadership::Role;

constexpr Time at(double seconds) { return Time{from_seconds(seconds)}; }

// A lease of 10 s with clocks that agree: renewed every 2 s, polled every second.
constexpr LeadershipOptions kOptions{.ttl = std::chrono::seconds(10),
                                     .poll_interval = std::chrono::seconds(1),
                                     .retry = std::chrono::seconds(1),
                                     .clock_error = 0};

LeaseGranted granted(double asked_s) {
  return {.lease = 7, .ttl = std::chrono::seconds(10), .requested_at = at(asked_s)};
}
LeaseKept kept(double asked_s) {
  return {.ttl = std::chrono::seconds(10), .requested_at = at(asked_s)};
}

template <typename T>
bool asks_for(const std::optional<LeadershipRequest>& request) {
  return request && std::holds_alternative<T>(*request);
}

// A candidate that leads from 1 s on, with a lease requested at 0 s.
Leadership leading() {
  Leadership one(kOptions);
  EXPECT_TRUE(asks_for<GrantLease>(one.step(at(0), LeadershipTick{})));
  EXPECT_TRUE(asks_for<Campaign>(one.step(at(1), granted(0))));
  EXPECT_EQ(one.step(at(1), CampaignWon{}), std::nullopt);
  EXPECT_EQ(one.role(), Role::kLeading);
  return one;
}

TEST(Leadership, TheLeaseCountsFromBeforeItWasAskedFor) {
  Leadership one = leading();
  EXPECT_EQ(one.leads_until(), at(10));
  EXPECT_EQ(one.deadline(), at(2));
  EXPECT_TRUE(asks_for<KeepLease>(one.step(at(2), LeadershipTick{})));
  (void)one.step(at(9), kept(2));  // The answer takes seven seconds.
  EXPECT_EQ(one.leads_until(), at(12));
}

TEST(Leadership, ClocksThatDisagreeShortenIt) {
  LeadershipOptions options = kOptions;
  options.clock_error = 0.1;
  Leadership one(options);
  (void)one.step(at(0), LeadershipTick{});
  (void)one.step(at(0), granted(0));
  (void)one.step(at(0), CampaignWon{});
  EXPECT_EQ(one.leads_until(), at(9));
}

TEST(Leadership, AnAnswerThatComesAfterTheLeaseIsTooLate) {
  Leadership one = leading();
  EXPECT_TRUE(asks_for<KeepLease>(one.step(at(9), LeadershipTick{})));
  // The request was sent in time, and the server prolonged the lease to 19 s. But for a second the
  // candidate did not know this.
  const auto next = one.step(at(11), kept(9));
  EXPECT_EQ(one.role(), Role::kLapsed);
  EXPECT_EQ(one.leads_until(), Time::min());
  ASSERT_TRUE(asks_for<DropLease>(next));
  EXPECT_EQ(std::get<DropLease>(*next).lease, 7);
}

TEST(Leadership, ALapsedCandidateNeverLeadsAgain) {
  Leadership one = leading();
  EXPECT_TRUE(asks_for<DropLease>(one.step(at(10), LeadershipTick{})));
  EXPECT_EQ(one.step(at(10), LeaseDropped{}), std::nullopt);
  EXPECT_EQ(one.step(at(20), LeadershipTick{}), std::nullopt);
  EXPECT_EQ(one.step(at(20), CampaignWon{}), std::nullopt);
  EXPECT_EQ(one.role(), Role::kLapsed);
  EXPECT_EQ(one.deadline(), Time::max());
}

TEST(Leadership, LostRepliesAreAskedForAgainUntilTheLeaseIsOver) {
  Leadership one = leading();
  int asked = 0;
  for (Time now = at(2); one.role() == Role::kLeading; now = one.deadline()) {
    ASSERT_LE(now, at(10));
    if (!asks_for<KeepLease>(one.step(now, LeadershipTick{}))) continue;
    ++asked;
    (void)one.step(now, NoAnswer{"no route"});
    EXPECT_EQ(one.trouble(), "no route");
  }
  EXPECT_EQ(asked, 8);  // It was asked at 2, 3, ... 9 s.
}

TEST(Leadership, AClockThatLeapsEndsItBeforeAnythingIsAsked) {
  Leadership one = leading();
  EXPECT_TRUE(asks_for<DropLease>(one.step(at(1000), LeadershipTick{})));
  EXPECT_EQ(one.role(), Role::kLapsed);
}

TEST(Leadership, ALeaseThatIsGoneEndsItAtOnce) {
  Leadership one = leading();
  (void)one.step(at(2), LeadershipTick{});
  EXPECT_EQ(one.step(at(2), LeaseGone{}), std::nullopt);  // There is no lease to drop.
  EXPECT_EQ(one.role(), Role::kLapsed);
}

TEST(Leadership, AWonCampaignWhoseAnswerWasLostIsKnownByItsLease) {
  Leadership one(kOptions);
  (void)one.step(at(0), LeadershipTick{});
  (void)one.step(at(0), granted(0));
  EXPECT_EQ(one.step(at(0.5), NoAnswer{"timeout"}), std::nullopt);
  EXPECT_TRUE(asks_for<Campaign>(one.step(one.deadline(), LeadershipTick{})));
  (void)one.step(at(2), OtherLeads{.lease = 7, .leader = {"me", 1}});
  EXPECT_EQ(one.role(), Role::kLeading);
  EXPECT_EQ(one.leads_until(), at(10));
}

TEST(Leadership, AStandbyKeepsItsOwnLeaseAndLooksEverySecond) {
  Leadership one(kOptions);
  (void)one.step(at(0), LeadershipTick{});
  (void)one.step(at(0), granted(0));
  EXPECT_EQ(one.step(at(0), OtherLeads{.lease = 3, .leader = {"n1", 42}}), std::nullopt);
  EXPECT_EQ(one.role(), Role::kStandingBy);
  EXPECT_EQ(one.leader()->pid, 42u);
  EXPECT_EQ(one.leads_until(), Time::min());
  EXPECT_TRUE(asks_for<Campaign>(one.step(at(1), LeadershipTick{})));
  (void)one.step(at(1), OtherLeads{.lease = 3, .leader = {"n1", 42}});
  EXPECT_TRUE(asks_for<KeepLease>(one.step(at(2), LeadershipTick{})));
  EXPECT_TRUE(asks_for<Campaign>(one.step(at(2), kept(2))));
  (void)one.step(at(2), CampaignWon{});
  EXPECT_EQ(one.role(), Role::kLeading);
  EXPECT_EQ(one.leads_until(), at(12));
}

TEST(Leadership, AStandbyWithoutAKeeperSeeksAnewAndNeverLeads) {
  Leadership one(kOptions);
  (void)one.step(at(0), LeadershipTick{});
  (void)one.step(at(0), granted(0));
  (void)one.step(at(0), OtherLeads{.lease = 3, .leader = {}});
  for (int i = 0; i < 100; ++i) {
    if (one.step(std::max(one.deadline(), at(i)), LeadershipTick{})) {
      (void)one.step(std::max(one.deadline(), at(i)), NoAnswer{"cut"});
    }
    ASSERT_EQ(one.leads_until(), Time::min());
  }
  EXPECT_EQ(one.role(), Role::kSeeking);
  EXPECT_EQ(one.lease(), std::nullopt);
}

TEST(Leadership, TheEndOfARunEndsEachCandidate) {
  Leadership one(kOptions);
  (void)one.step(at(0), LeadershipTick{});
  (void)one.step(at(0), granted(0));
  const auto next = one.step(at(0), RunIsOver{{.exit_code = 3, .reason = "late"}});
  EXPECT_TRUE(asks_for<DropLease>(next));
  EXPECT_EQ(one.role(), Role::kOver);
  EXPECT_EQ(one.end()->exit_code, 3);
}

TEST(Leadership, ALeaseThatEndedBeforeTheRunWasFoundOverIsDropped) {
  Leadership one(kOptions);
  (void)one.step(at(0), LeadershipTick{});
  ASSERT_TRUE(asks_for<Campaign>(one.step(at(0), granted(0))));
  // The answer arrives after the end of the lease.
  const auto next = one.step(at(10), RunIsOver{});
  EXPECT_EQ(one.role(), Role::kOver);
  ASSERT_TRUE(asks_for<DropLease>(next));
  EXPECT_EQ(std::get<DropLease>(*next).lease, 7);
}

TEST(Leadership, AnswersToOtherRequestsChangeNothing) {
  Leadership one = leading();
  EXPECT_EQ(one.step(at(1), OtherLeads{.lease = 3, .leader = {}}), std::nullopt);
  EXPECT_EQ(one.step(at(1), LeaseGone{}), std::nullopt);
  EXPECT_EQ(one.step(at(1), RunIsOver{}), std::nullopt);
  EXPECT_EQ(one.role(), Role::kLeading);
}

// ---- many candidates, one keeper ----------------------------------------------------------------

// A server that stores leases and one key, with its own clock.
class Keeper {
 public:
  LeadershipEvent answer(Time now, const LeadershipRequest& request, Time asked) {
    std::erase_if(leases_, [&](const auto& lease) { return lease.second <= now; });
    if (!leases_.contains(holder_)) holder_ = 0;
    if (std::holds_alternative<GrantLease>(request)) {
      leases_[++last_] = now + kOptions.ttl;
      return LeaseGranted{.lease = last_, .ttl = kOptions.ttl, .requested_at = asked};
    }
    if (const auto* keep = std::get_if<KeepLease>(&request)) {
      if (!leases_.contains(keep->lease)) return LeaseGone{};
      leases_[keep->lease] = now + kOptions.ttl;
      return LeaseKept{.ttl = kOptions.ttl, .requested_at = asked};
    }
    if (const auto* drop = std::get_if<DropLease>(&request)) {
      leases_.erase(drop->lease);
      return LeaseDropped{};
    }
    const std::int64_t lease = std::get<Campaign>(request).lease;
    // Like etcd: a key cannot be put under a lease that does not exist.
    if (!leases_.contains(lease)) return NoAnswer{"no such lease"};
    if (holder_ == 0) return holder_ = lease, LeadershipEvent(CampaignWon{});
    return OtherLeads{.lease = holder_, .leader = {}};
  }

 private:
  std::map<std::int64_t, Time> leases_;
  std::int64_t last_ = 0;
  std::int64_t holder_ = 0;
};

// One candidate with a network that loses and delays messages, and a process that stops at times.
struct Candidate {
  Leadership machine{kOptions};
  Time busy_until;  // Until then the process is stopped, or waits for an answer.
  LeadershipEvent next = LeadershipTick{};
};

struct Outcome {
  int terms = 0;
  int lapses = 0;
};

// ENSURES: two candidates never lead at the same time.
Outcome elect(std::uint64_t seed) {
  Random random(seed);
  Keeper keeper;
  std::vector<Candidate> candidates(3);
  Outcome outcome;
  for (Time now = at(0); now < at(600); now += from_seconds(0.25)) {
    for (Candidate& one : candidates) {
      if (now < one.busy_until) continue;
      const bool led = one.machine.role() == Role::kLeading;
      const auto request =
          one.machine.step(now, std::exchange(one.next, LeadershipEvent(LeadershipTick{})));
      outcome.terms += !led && one.machine.role() == Role::kLeading ? 1 : 0;
      if (request) {
        const bool was_received = random.uniform() > 0.1;
        const bool answered = random.uniform() > 0.1;
        // NOTE
        const double there_s = random.uniform() * 3;
        const double back_s = random.uniform() * 3;
        one.busy_until = now + from_seconds(there_s + back_s);
        LeadershipEvent answer = NoAnswer{"lost"};
        if (was_received) answer = keeper.answer(now + from_seconds(there_s), *request, now);
        one.next = answered ? answer : LeadershipEvent(NoAnswer{"lost"});
      }
      if (random.uniform() < 0.005) one.busy_until = now + from_seconds(random.uniform() * 40);
      if (one.machine.role() == Role::kLapsed && !request) {
        ++outcome.lapses;
        one = Candidate{.busy_until = now + from_seconds(1)};
      }
    }
    const auto leaders =
        std::count_if(candidates.begin(), candidates.end(),
                      [&](const Candidate& one) { return now < one.machine.leads_until(); });
    EXPECT_LE(leaders, 1) << "seed " << seed << " at " << to_seconds(now.time_since_epoch());
  }
  return outcome;
}

TEST(Leadership, TwoCandidatesNeverLeadAtTheSameTime) {
  Outcome all;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Outcome one = elect(seed);
    EXPECT_GE(one.terms, 1) << "seed " << seed;
    all.terms += one.terms;
    all.lapses += one.lapses;
  }
  EXPECT_GT(all.lapses, 200);  // Enough leases lapsed for a meaningful test.
}

// ---- records of leaders -------------------------------------------------------------------------

TEST(LeaderRecord, ComesBackAsItWasWritten) {
  const auto leader = leader_from_json(to_json(Leader{.host = "n \"1\"", .pid = 4711}));
  ASSERT_TRUE(leader);
  EXPECT_EQ(leader->host, "n \"1\"");
  EXPECT_EQ(leader->pid, 4711u);
  const auto end = run_end_from_json(to_json(RunEnd{.exit_code = 3, .reason = "late"}));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_EQ(end->reason, "late");
}

TEST(LeaderRecord, OfSomebodyElseIsRefused) {
  for (const char* text : {"", "[]", "{}", R"({"host": 1, "pid": 2})",
                           R"({"host": "a", "pid": -2})", R"({"host": "a", "pid": 4294967296})"}) {
    EXPECT_FALSE(leader_from_json(text)) << text;
  }
  for (const char* text : {"{", R"({"exit_code": 256, "reason": ""})", R"({"exit_code": 0})",
                           R"({"exit_code": "0", "reason": ""})"}) {
    EXPECT_FALSE(run_end_from_json(text)) << text;
  }
  EXPECT_FALSE(leader_from_json(std::string(1 << 20, '[')));
}

TEST(LeaderRecord, KeysOfARunNeedNoQuotesInAShell) {
  EXPECT_EQ(leader_key("mnist-1 of 17.5"), "/surety/mnist-1_of_17.5/leader");
  EXPECT_EQ(end_key("mnist-1 of 17.5"), "/surety/mnist-1_of_17.5/end");
}

}  // namespace leadership_test
}  // namespace surety::orchestrator
