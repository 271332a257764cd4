#include "orchestrator/leadership/leadership.h"

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
  // The time is checked first, because an answer cannot extend a lease that ended before the answer
  // arrived.
  if (lease_.has_expired(now)) lapse(now);
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
  if (!lease_.is_held()) return next_request_at_;
  const Time keep_at = lease_.keep_at();
  const Time next = role_ == Role::kLeading ? keep_at : std::min(keep_at, campaign_at_);
  return std::min(lease_.until(), std::max(next_request_at_, next));
}

Time Leadership::leads_until() const {
  return role_ == Role::kLeading ? lease_.until() : Time::min();
}

std::optional<LeadershipRequest> Leadership::next(Time now) {
  if (const auto ended = lease_.take_ended()) return DropLease{*ended};
  if (role_ == Role::kOver || role_ == Role::kLapsed || now < next_request_at_) return std::nullopt;
  if (!lease_.is_held()) return GrantLease{options_.ttl};
  if (now >= lease_.keep_at()) return KeepLease{lease_.id().value()};
  if (role_ != Role::kLeading && now >= campaign_at_) return Campaign{lease_.id().value()};
  return std::nullopt;
}

void Leadership::lapse(Time now) {
  lease_.end();
  next_request_at_ = std::max(next_request_at_, now);
  if (role_ == Role::kLeading) role_ = Role::kLapsed;
  if (role_ == Role::kStandingBy) role_ = Role::kSeeking;
}

void Leadership::on(Time now, const LeaseGranted& event) {
  campaign_at_ = now;
  lease_.grant(event.lease, event.ttl, event.requested_at);
  if (lease_.has_expired(now)) lapse(now);
}

void Leadership::on(Time now, const LeaseKept& event) {
  const auto& kept = std::get<KeepLease>(*pending_request_);
  if (kept.lease != lease_.id()) return;  // The lease ended while the request was under way.
  lease_.extend(event.ttl, event.requested_at);
  if (lease_.has_expired(now)) lapse(now);
}

void Leadership::on(Time now, const LeaseGone&) {
  const auto& kept = std::get<KeepLease>(*pending_request_);
  if (kept.lease != lease_.id()) return;
  lease_.vanish();
  lapse(now);
}

void Leadership::on(Time now, const CampaignWon&) {
  const auto& campaign = std::get<Campaign>(*pending_request_);
  // The key was put under a lease that has ended and is now dropped.
  if (campaign.lease != lease_.id()) return;
  SURETY_CHECK(now < lease_.until());
  role_ = Role::kLeading;
  leader_.reset();
}

void Leadership::on(Time now, const OtherLeads& event) {
  // The key is ours: the answer to an earlier campaign was lost.
  if (event.lease == lease_.id()) return on(now, CampaignWon{});
  leader_ = event.leader;
  role_ = role_ == Role::kSeeking ? Role::kStandingBy : role_;
  campaign_at_ = now + options_.poll_interval;
}

void Leadership::on(Time, const RunIsOver& event) {
  end_ = event.end;
  role_ = Role::kOver;
  lease_.end();
}

void Leadership::on(Time now, const NoAnswer& event) {
  trouble_ = event.why;
  next_request_at_ = now + options_.retry;
}

}  // namespace surety::orchestrator
