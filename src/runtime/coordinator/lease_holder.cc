#include "runtime/coordinator/lease_holder.h"

#include "base/check.h"
#include "base/overloaded.h"
#include "base/posix/clock.h"
#include "runtime/etcd/client.h"

namespace surety::runtime {
namespace {

using namespace orchestrator;

// The time for which etcd keeps the record of a run's end, for a standby that was cut off at that
// moment.
constexpr auto kEndIsKept = std::chrono::hours(24);

}  // namespace

LeaseHolder::LeaseHolder(LeaseHolderOptions options)
    : options_(std::move(options)),
      machine_(LeadershipOptions{.ttl = options_.lease}),
      thread_([this] { run(); }) {}

LeaseHolder::~LeaseHolder() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool LeaseHolder::leads() const { return posix::boot_time_now() < leads_until_.load(); }

orchestrator::CandidateView LeaseHolder::view() const {
  const std::lock_guard lock(mutex_);
  return {machine_.role(), machine_.leader(), machine_.end(), machine_.trouble()};
}

orchestrator::CandidateView LeaseHolder::wait(Duration patience) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] {
      return machine_.role() != Role::kSeeking && machine_.role() != Role::kStandingBy;
    });
  }
  return view();
}

void LeaseHolder::run() {
  EtcdClient etcd(options_.etcd);
  LeadershipEvent event = LeadershipTick{};
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const Time now = posix::boot_time_now();
    const auto request = machine_.step(now, std::exchange(event, LeadershipTick{}));
    leads_until_ = machine_.leads_until();
    changed_.notify_all();
    if (request) {
      lock.unlock();
      event = carry_out(etcd, *request);
      lock.lock();
    } else if (machine_.deadline() == Time::max()) {
      changed_.wait(lock, [&] { return stopping_; });
    } else {
      const Duration rest = std::max(Duration::zero(), machine_.deadline() - now);
      changed_.wait_for(lock, rest, [&] { return stopping_; });
    }
  }
  leads_until_ = Time::min();
  if (const auto held = machine_.lease()) (void)etcd.revoke(*held, patience());
}

LeadershipEvent LeaseHolder::carry_out(EtcdClient& etcd, const LeadershipRequest& request) {
  const Time requested_at = posix::boot_time_now();
  return std::visit(Overloaded{[&](const GrantLease& one) -> LeadershipEvent {
                                 const auto lease = etcd.grant(one.ttl, patience());
                                 if (!lease) return NoAnswer{lease.error().message};
                                 return LeaseGranted{.lease = lease->id,
                                                     .ttl = lease->ttl,
                                                     .requested_at = requested_at};
                               },
                               [&](const KeepLease& one) -> LeadershipEvent {
                                 const auto ttl = etcd.keep_alive(one.lease, patience());
                                 if (!ttl) return NoAnswer{ttl.error().message};
                                 if (!*ttl) return LeaseGone{};
                                 return LeaseKept{.ttl = **ttl, .requested_at = requested_at};
                               },
                               [&](const DropLease& one) -> LeadershipEvent {
                                 const auto dropped = etcd.revoke(one.lease, patience());
                                 if (!dropped) return NoAnswer{dropped.error().message};
                                 return LeaseDropped{};
                               },
                               [&](const Campaign& one) { return campaign(etcd, one.lease); }},
                    request);
}

LeadershipEvent LeaseHolder::campaign(EtcdClient& etcd, std::int64_t lease) const {
  const std::string leader = leader_key(options_.run);
  const std::string end = end_key(options_.run);
  const auto done = etcd.put_if_none(
      {.key = leader, .value = to_json(options_.self), .lease = lease}, {leader, end}, patience());
  if (!done) return NoAnswer{done.error().message};
  if (done->put) return CampaignWon{};
  if (const auto& held = done->found[0]) {
    const Result<Leader> who = leader_from_json(held->value);
    if (!who) return NoAnswer{fmt::format("key {} in etcd: {}", leader, who.error().message)};
    return OtherLeads{.lease = held->lease, .leader = *who};
  }
  if (!done->found[1])
    return NoAnswer{
        "etcd did not store the key of the leader, although neither this key nor the key of the "
        "run's end exists"};
  const Result<RunEnd> how = run_end_from_json(done->found[1]->value);
  if (!how) return NoAnswer{fmt::format("key {} in etcd: {}", end, how.error().message)};
  return RunIsOver{*how};
}

Result<bool> LeaseHolder::end(const RunEnd& end) {
  std::optional<std::int64_t> held;
  {
    const std::lock_guard lock(mutex_);
    held = machine_.lease();
  }
  if (!held || !leads()) return false;
  EtcdClient etcd(options_.etcd);
  SURETY_TRY(const EtcdLease kept, etcd.grant(kEndIsKept, options_.end_patience));
  return etcd.put_instead({.key = end_key(options_.run), .value = to_json(end), .lease = kept.id},
                          leader_key(options_.run), *held, options_.end_patience);
}

Result<void> LeaseHolder::forget_end() {
  return EtcdClient(options_.etcd).remove(end_key(options_.run), options_.end_patience);
}

}  // namespace surety::runtime
