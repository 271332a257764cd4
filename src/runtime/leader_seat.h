// A coordinator's part in the election of who leads its run (orchestrator/leadership.h), over etcd.
//
// A thread of its own keeps the lease, so that a coordinator that plans for seconds is still heard;
// leads() costs a look at the clock. A process that was stopped or a machine that slept does not
// lead when it wakes, before anything has told it so.
#pragma once

#include <atomic>
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
#include "orchestrator/leadership.h"

namespace surety::runtime {

class EtcdClient;

struct SeatOptions {
  std::vector<std::string> etcd;  // HOST:PORT of its members.
  std::string run;                // Its identity (orchestrator/run_state.h).
  orchestrator::Leader self;
  Duration lease{};
};

class LeaderSeat {
 public:
  using Role = orchestrator::Leadership::Role;

  explicit LeaderSeat(SeatOptions options);
  // Gives up what it has, where etcd answers: the next leader need not wait for the lease.
  ~LeaderSeat();
  LeaderSeat(const LeaderSeat&) = delete;
  LeaderSeat& operator=(const LeaderSeat&) = delete;

  // Now, by a clock that goes on while we are stopped.
  [[nodiscard]] bool leads() const;

  struct View {
    Role role = Role::kSeeking;
    std::optional<orchestrator::Leader> leader;  // Whom we stand by for.
    std::optional<orchestrator::RunEnd> end;     // With kOver.
    std::optional<std::string> trouble;          // Why etcd is not heard, while it is not.
  };
  [[nodiscard]] View view() const;
  // Waits up to `patience` for a role other than kSeeking and kStandingBy.
  View wait(Duration patience);

  // Puts down for standbys how the run ended, in place of who leads it. False: we did not lead any
  // more, and nothing was put down.
  [[nodiscard]] Result<bool> end(const orchestrator::RunEnd& end);

  // Somebody goes on with a run of which somebody has put down an end.
  [[nodiscard]] Result<void> forget_end();

 private:
  void run();
  [[nodiscard]] orchestrator::LeadershipEvent ask(EtcdClient& etcd,
                                                  const orchestrator::LeadershipRequest& request);
  [[nodiscard]] orchestrator::LeadershipEvent campaign(EtcdClient& etcd, std::int64_t lease) const;
  [[nodiscard]] Duration patience() const { return options_.lease / 4; }

  const SeatOptions options_;
  mutable std::mutex mutex_;  // machine_, stopping_
  std::condition_variable changed_;
  orchestrator::Leadership machine_;
  bool stopping_ = false;
  std::atomic<Time> leads_until_{Time::min()};
  std::thread thread_;  // Last: it uses all of the above.
};

}  // namespace surety::runtime
