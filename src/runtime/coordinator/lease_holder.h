// A coordinator's part in the election of its run's leader (orchestrator/leadership/leadership.h),
// over etcd.
//
// A separate thread keeps the lease, so that a coordinator that is busy for seconds does not lose
// it. leads() only reads the clock. A process that was stopped, or a machine that was suspended,
// does not lead when it continues, even before a message tells it so.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "orchestrator/leadership/candidacy.h"
#include "orchestrator/leadership/leadership.h"
#include "runtime/etcd/client.h"

namespace surety::runtime {

struct LeaseHolderOptions {
  EtcdMembers etcd;
  std::string run;  // Identity of the run (orchestrator/history/run_state.h).
  orchestrator::Leader self;
  Duration lease{};
  // The time that each request of end() and of forget_end() waits for its answer; end() has two
  // requests. Leadership does not depend on these requests. If a run ends while etcd is down, its
  // user waits for this time.
  Duration end_patience{};
};

class LeaseHolder {
 public:
  using Role = orchestrator::Leadership::Role;

  explicit LeaseHolder(LeaseHolderOptions options);
  // Drops its lease if etcd answers, so that the next leader need not wait for it.
  ~LeaseHolder();
  LeaseHolder(const LeaseHolder&) = delete;
  LeaseHolder& operator=(const LeaseHolder&) = delete;

  // Whether this coordinator leads now, by a clock that also runs while the process is stopped.
  [[nodiscard]] bool leads() const;

  [[nodiscard]] orchestrator::CandidateView view() const;
  // Waits up to `patience` for a role other than kSeeking and kStandingBy.
  orchestrator::CandidateView wait(Duration patience);

  // Replaces the leader's entry by the result of the run, for standbys. False, without a write, if
  // this coordinator did not lead any more. Timeout if etcd does not answer in `end_patience`.
  // Other errors are those of EtcdClient.
  [[nodiscard]] Result<bool> end(const orchestrator::RunEnd& end);

  // Deletes the result of a run that is resumed. Timeout if etcd does not answer in `end_patience`,
  // Unavailable if etcd refuses.
  [[nodiscard]] Result<void> forget_end();

 private:
  void run();
  [[nodiscard]] orchestrator::LeadershipEvent carry_out(
      EtcdClient& etcd, const orchestrator::LeadershipRequest& request);
  [[nodiscard]] orchestrator::LeadershipEvent campaign(EtcdClient& etcd, std::int64_t lease) const;
  [[nodiscard]] Duration patience() const { return options_.lease / 4; }

  const LeaseHolderOptions options_;
  mutable std::mutex mutex_;  // Guards machine_ and stopping_.
  std::condition_variable changed_;
  orchestrator::Leadership machine_;
  bool stopping_ = false;
  std::atomic<Time> leads_until_{Time::min()};
  std::thread thread_;  // The last member, because it uses all of the above.
};

}  // namespace surety::runtime
