#include "orchestrator/history/leadership.h"

#include <algorithm>

#include "base/check.h"

namespace surety::orchestrator {

bool Leadership::answers(const LeadershipEvent& event) const {
  if (!pending_request_) return false;
  if (std::holds_alternative<NoAnswer>(event)) return true;
  if (std::holds_alternative<GrantLease>(*pending_request_)) {
    return std::holds_alternative<LeaseGranted>(event);
  }
  if (std::holds_alternative<DropLease>(*pending_request_)) {
    return std::holds_alternative<LeaseDropped>(event);
  }
  if (std::holds_alternative<KeepLease>(*pending_request_)) {
    return std::holds_alternative<LeaseKept>(event) || std::holds_alternative<LeaseGone>(event);
  }
  return std::holds_alternative<CampaignWon>(event) || std::holds_alternative<OtherLeads>(event) ||
         std::holds_alternative<RunIsOver>(event);
}

std::optional<LeadershipRequest> Leadership::step(Time now, const LeadershipEvent& event) {
  // Check the time first: no answer can undo that the lease ended before it came.
  if (lease_ != 0 && now >= lease_until_) lapse(now);
  if (answers(event)) {
    if (!std::holds_alternative<NoAnswer>(event)) trouble_.reset();
    std::visit([&](const auto& one) { on(now, one); }, event);
    pending_request_.reset();
  } else if (!std::holds_alternative<LeadershipTick>(event)) {
    return std::nullopt;
  }
  if (pending_request_) return std::nullopt;
  pending_request_ = next(now);
  return pending_request_;
}

Time Leadership::deadline() const {
  if (role_ == Role::kOver || role_ == Role::kLapsed) return Time::max();
  if (lease_ == 0) return next_request_at_;
  const Time next = role_ == Role::kLeading ? keep_at_ : std::min(keep_at_, campaign_at_);
  return std::min(lease_until_, std::max(next_request_at_, next));
}

Time Leadership::leads_until() const {
  return role_ == Role::kLeading ? lease_until_ : Time::min();
}

std::optional<LeadershipRequest> Leadership::next(Time now) {
  if (lease_to_drop_ != 0) return DropLease{std::exchange(lease_to_drop_, 0)};
  if (role_ == Role::kOver || role_ == Role::kLapsed || now < next_request_at_) return std::nullopt;
  if (lease_ == 0) return GrantLease{options_.ttl};
  if (now >= keep_at_) return KeepLease{lease_};
  if (role_ != Role::kLeading && now >= campaign_at_) return Campaign{lease_};
  return std::nullopt;
}

void Leadership::lapse(Time now) {
  SURETY_CHECK(lease_ != 0);
  // The server may count it longer than we do. It is dropped so that the next leader need not wait.
  lease_to_drop_ = std::exchange(lease_, 0);
  lease_until_ = Time::min();
  next_request_at_ = std::max(next_request_at_, now);
  if (role_ == Role::kLeading) role_ = Role::kLapsed;
  if (role_ == Role::kStandingBy) role_ = Role::kSeeking;
}

void Leadership::extend_lease(Duration ttl, Time requested_at) {
  const Duration ours = std::chrono::duration_cast<Duration>(ttl * (1 - options_.clock_error));
  lease_until_ = std::max(lease_until_, requested_at + ours);
  keep_at_ = requested_at + keep_every();
}

void Leadership::on(Time now, const LeaseGranted& event) {
  lease_ = event.lease;
  campaign_at_ = now;
  extend_lease(event.ttl, event.requested_at);
  if (now >= lease_until_) lapse(now);
}

void Leadership::on(Time now, const LeaseKept& event) {
  const auto& kept = std::get<KeepLease>(*pending_request_);
  if (kept.lease != lease_) return;  // The lease ended while the request was under way.
  extend_lease(event.ttl, event.requested_at);
  if (now >= lease_until_) lapse(now);
}

void Leadership::on(Time now, const LeaseGone&) {
  const auto& kept = std::get<KeepLease>(*pending_request_);
  if (kept.lease != lease_) return;
  lapse(now);
  lease_to_drop_ = 0;  // There is no lease to drop.
}

void Leadership::on(Time now, const CampaignWon&) {
  const auto& campaign = std::get<Campaign>(*pending_request_);
  // The key was won for a lease that has ended and is dropped.
  if (campaign.lease != lease_) return;
  SURETY_CHECK(now < lease_until_);
  role_ = Role::kLeading;
  leader_.reset();
}

void Leadership::on(Time now, const OtherLeads& event) {
  // The key is ours: the answer to an earlier campaign was lost.
  if (event.lease == lease_ && lease_ != 0) return on(now, CampaignWon{});
  leader_ = event.leader;
  role_ = role_ == Role::kSeeking ? Role::kStandingBy : role_;
  campaign_at_ = now + options_.poll_interval;
}

void Leadership::on(Time, const RunIsOver& event) {
  end_ = event.end;
  role_ = Role::kOver;
  if (lease_ != 0) lease_to_drop_ = std::exchange(lease_, 0);
}

void Leadership::on(Time now, const NoAnswer& event) {
  trouble_ = event.why;
  next_request_at_ = now + options_.retry;
}

}  // namespace surety::orchestrator
