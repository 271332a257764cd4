// Which of several coordinators leads a run: one candidate's side of an election by leases.
//
// The leader holds a key that is bound to a lease, and keeps the lease alive. If the leader does
// not renew the lease within its length, the key is deleted, and another candidate may put its own
// key. A leader knows by its own clock when this may happen. It counts the lease from the time
// before it sent the last request that renewed it. So it stops before another candidate can begin,
// even if answers are late or lost (Gray and Cheriton 1989). The clock must also run while the
// process is stopped, and its rate must match that of the lease server to within
// LeadershipOptions::clock_error.
//
//   kSeeking -> kStandingBy -> kLeading -> kLapsed
//        \-------------\----------/-> kOver
//
// A candidate leads at most once: after kLapsed a new candidate takes part, so that a second term
// cannot be mistaken for the first. This file is independent of the purpose of the leadership and
// of the storage of leases.
//
// Pure: step(now, event) returns requests, one at a time. Each is answered by an event or by
// NoAnswer.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "orchestrator/leadership/leader_record.h"
#include "orchestrator/leadership/lease.h"

namespace surety::orchestrator {

struct LeadershipOptions {
  Duration ttl{};  // Length of the lease: the longest time for which a leader may be silent.
  // Time between two polls for whether another candidate still leads. A hand-over takes up to this
  // time in addition to the lease. A poll is one small request to a server with little load.
  Duration poll_interval = std::chrono::milliseconds(200);
  // Wait before the next request to a server that did not answer.
  Duration retry = std::chrono::milliseconds(200);
  double clock_error = 0.05;  // Relative to the shorter of two measurements of the same time.
};

// ---- requests -----------------------------------------------------------------------------------
struct GrantLease {
  Duration ttl{};
};
struct KeepLease {
  std::int64_t lease = 0;
};
// No decision depends on its success.
struct DropLease {
  std::int64_t lease = 0;
};
// Puts this candidate's key if there is no key; otherwise reads the owner of the key.
struct Campaign {
  std::int64_t lease = 0;
};
using LeadershipRequest = std::variant<GrantLease, KeepLease, DropLease, Campaign>;

// ---- events -------------------------------------------------------------------------------------
struct LeaseGranted {
  std::int64_t lease = 0;
  Duration ttl{};
  Time requested_at;  // When the request was about to be sent.
};
struct LeaseKept {
  Duration ttl{};
  Time requested_at;
};
struct LeaseGone {};
struct LeaseDropped {};
struct CampaignWon {};
struct OtherLeads {
  std::int64_t lease = 0;  // The lease that its key is bound to.
  Leader leader;
};
// The leader has recorded the end of the run.
struct RunIsOver {
  RunEnd end;
};
// The request may or may not have been carried out.
struct NoAnswer {
  std::string why;
};
struct LeadershipTick {};
using LeadershipEvent = std::variant<LeaseGranted, LeaseKept, LeaseGone, LeaseDropped, CampaignWon,
                                     OtherLeads, RunIsOver, NoAnswer, LeadershipTick>;

class Leadership {
 public:
  enum class Role : std::uint8_t { kSeeking, kStandingBy, kLeading, kLapsed, kOver };

  // REQUIRES: options.ttl > 0.
  explicit Leadership(LeadershipOptions options)
      : options_(options), lease_(options.ttl / 5, options.clock_error) {}

  // REQUIRES: `now` does not go back. Answers that do not fit the current request are ignored.
  // ENSURES: at most one request, and none while a request is unanswered.
  [[nodiscard]] std::optional<LeadershipRequest> step(Time now, const LeadershipEvent& event);
  // The time of the next tick that is needed, if no request is unanswered.
  [[nodiscard]] Time deadline() const;

  [[nodiscard]] Role role() const { return role_; }
  // No other candidate can lead until this time. Time::min() if this candidate does not lead.
  [[nodiscard]] Time leads_until() const;
  // The leader that this candidate stands by for, as last read.
  [[nodiscard]] const std::optional<Leader>& leader() const { return leader_; }
  [[nodiscard]] const std::optional<RunEnd>& end() const { return end_; }
  // The reason for which there is no progress: the server's last failure to answer, until it
  // answers again.
  [[nodiscard]] const std::optional<std::string>& trouble() const { return trouble_; }
  [[nodiscard]] std::optional<std::int64_t> lease() const { return lease_.id(); }

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
  [[nodiscard]] bool answers(const LeadershipEvent& event) const;
  [[nodiscard]] std::optional<LeadershipRequest> next(Time now);

  LeadershipOptions options_;
  Role role_ = Role::kSeeking;
  Lease lease_;
  Time campaign_at_;      // When the next campaign is due.
  Time next_request_at_;  // No request is sent before.
  std::optional<LeadershipRequest> pending_request_;
  std::optional<Leader> leader_;
  std::optional<RunEnd> end_;
  std::optional<std::string> trouble_;
};

}  // namespace surety::orchestrator
