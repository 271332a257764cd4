// Who of several coordinators leads a run: one candidate's side of an election by leases.
//
// Whoever leads holds a key that goes with a lease, and keeps the lease alive; where it is not
// heard for the length of the lease, the key goes, and another candidate may put its own. A leader
// knows by its own clock when that may be: the lease counts from before the request that prolonged
// it was sent, so that however late an answer comes, and whatever was lost, it stops before another
// can begin (Gray and Cheriton 1989). It needs a clock that goes on while it is stopped, and as
// fast as the keeper's to within LeadershipOptions::clock_error.
//
//   kSeeking -> kStandingBy -> kLeading -> kLapsed
//        \-------------\----------/-> kOver
//
// A candidate leads once: after kLapsed it is another one that seeks, so that nobody can take a
// second term for the first. Not concerned with what is led, nor with who keeps leases and how.
//
// Pure: step(now, event) -> requests, one at a time; each is answered by an event, or by NoAnswer.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "orchestrator/leader_record.h"

namespace surety::orchestrator {

struct LeadershipOptions {
  Duration ttl{};  // Of the lease: how long a leader may be unheard.
  // Between two looks at whether another one still leads: what a hand-over waits for on top of the
  // lease. A look is one small request to a keeper that has nothing else to do.
  Duration look = std::chrono::milliseconds(200);
  // Before a keeper that did not answer is asked again.
  Duration retry = std::chrono::milliseconds(200);
  double clock_error = 0.05;  // Of the shorter of two measurements of the same time.
};

// ---- requests -----------------------------------------------------------------------------------
struct GrantLease {
  Duration ttl{};
};
struct KeepLease {
  std::int64_t lease = 0;
};
struct DropLease {  // Nothing depends on whether it succeeds.
  std::int64_t lease = 0;
};
struct Campaign {  // Put our key where nobody's is, else read whose.
  std::int64_t lease = 0;
};
using LeadershipRequest = std::variant<GrantLease, KeepLease, DropLease, Campaign>;

// ---- events -------------------------------------------------------------------------------------
struct LeaseGranted {
  std::int64_t lease = 0;
  Duration ttl{};
  Time asked;  // Before the request was sent.
};
struct LeaseKept {
  Duration ttl{};
  Time asked;
};
struct LeaseGone {};
struct LeaseDropped {};
struct CampaignWon {};
struct OtherLeads {
  std::int64_t lease = 0;  // Which its key goes with.
  Leader leader;
};
struct RunIsOver {  // Its leader has put down how it ended.
  RunEnd end;
};
struct NoAnswer {  // It may or may not have been done.
  std::string why;
};
struct LeadershipTick {};
using LeadershipEvent = std::variant<LeaseGranted, LeaseKept, LeaseGone, LeaseDropped, CampaignWon,
                                     OtherLeads, RunIsOver, NoAnswer, LeadershipTick>;

class Leadership {
 public:
  enum class Role : std::uint8_t { kSeeking, kStandingBy, kLeading, kLapsed, kOver };

  // REQUIRES: options.ttl > 0.
  explicit Leadership(LeadershipOptions options) : options_(options) {}

  // REQUIRES: `now` does not go back. Answers that do not fit the request in hand are ignored.
  // ENSURES: at most one request, and none while one is in hand.
  [[nodiscard]] std::optional<LeadershipRequest> step(Time now, const LeadershipEvent& event);
  // When the next tick is wanted, where nothing is in hand.
  [[nodiscard]] Time deadline() const;

  [[nodiscard]] Role role() const { return role_; }
  // Until then, and not one moment longer, nobody else can lead; Time::min() where we do not.
  [[nodiscard]] Time leads_until() const;
  // Whom we stand by for; the last one seen.
  [[nodiscard]] const std::optional<Leader>& leader() const { return leader_; }
  [[nodiscard]] const std::optional<RunEnd>& end() const { return end_; }
  // Why nothing goes on: the keeper's last failure to answer, while there is no answer after it.
  [[nodiscard]] const std::optional<std::string>& trouble() const { return trouble_; }
  [[nodiscard]] std::int64_t lease() const { return lease_; }  // 0: none.

 private:
  void on(Time now, const LeaseGranted& event);
  void on(Time now, const LeaseKept& event);
  void on(Time now, const LeaseGone&);
  void on(Time, const LeaseDropped&) {}
  void on(Time now, const CampaignWon&);
  void on(Time now, const OtherLeads& event);
  void on(Time now, const RunIsOver& event);
  void on(Time now, const NoAnswer& event);
  void on(Time, const LeadershipTick&) {}
  void lapse(Time now);
  void prolong(Duration ttl, Time asked);
  [[nodiscard]] bool answers(const LeadershipEvent& event) const;
  [[nodiscard]] Duration keep_every() const { return options_.ttl / 5; }
  [[nodiscard]] std::optional<LeadershipRequest> next(Time now);

  LeadershipOptions options_;
  Role role_ = Role::kSeeking;
  std::int64_t lease_ = 0;
  std::int64_t given_up_ = 0;  // A lease to drop; 0: none.
  Time lease_until_ = Time::min();
  Time keep_at_, campaign_at_, ask_at_;  // When what is due; nothing is asked before ask_at_.
  std::optional<LeadershipRequest> in_hand_;
  std::optional<Leader> leader_;
  std::optional<RunEnd> end_;
  std::optional<std::string> trouble_;
};

}  // namespace surety::orchestrator
