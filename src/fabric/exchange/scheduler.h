// The scheduler's side of an exchange. It translates messages of workers into events of the core
// (fabric/scheduler/scheduler.h), and decisions of the core into messages to workers.
//
// A granted round is always carried out: it is never revoked, and if a worker is lost, the whole
// exchange is aborted. So the core is notified that a round is committed as soon as all its
// recipients report that the next one may be granted, while its last bytes are still in transit. So
// grants are sent in parallel with data, and in the fastest class two rounds are under way in each
// direction.
//
// Owners apply all rounds of a block that are committed in this sense before they send the block to
// any worker. No worker waits for a round of a slow worker that is not committed in this sense.
// When owners change, a separate round moves a block to the new owners, after the rounds of the old
// owners and before those of the new ones.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fabric/exchange/options.h"
#include "fabric/ports/port_watch.h"
#include "fabric/scheduler/scheduler.h"
#include "proto/fabric.pb.h"

namespace surety::fabric {

struct ExchangeCounts {
  std::uint64_t dropped = 0;     // Drops, each of a whole update or of some of its blocks.
  std::uint64_t placements = 0;  // Number of times that the owners changed.
  std::string placed_why{};      // The reason of the last change.
};

class ExchangeScheduler {
 public:
  // REQUIRES: check(options).
  ExchangeScheduler(const ExchangeOptions& options, Time now);

  struct Outgoing {
    WorkerId to;
    proto::ExchangeMessage message;
  };
  // Corrupt: a worker sent a forbidden message, which the error describes. REQUIRES: time does not
  // decrease, and `from` is one of the workers.
  [[nodiscard]] Result<void> receive(Time now, WorkerId from,
                                     const proto::ExchangeMessage& message);
  // Called at least about every 50 ms.
  void tick(Time now);
  // Returns the messages since the last call, in order, including those to the scheduler's own
  // worker.
  [[nodiscard]] std::vector<Outgoing> take() { return std::exchange(outgoing_, {}); }

  [[nodiscard]] const ExchangeCounts& counts() const { return counts_; }
  [[nodiscard]] KnownPorts known_ports() const;

 private:
  void post(Time now, Event event);
  void carry_out(const Action& action);
  void request_model(WorkerId worker);
  void grant(const Grant& grant);
  void place(const PlaceOwners& place);
  void move(const MoveBlock& move);
  void end_if_finished(Time now);
  [[nodiscard]] Result<void> on_offered(Time now, WorkerId from, const proto::UpdateOffered& offer);
  [[nodiscard]] Result<void> on_acknowledged(Time now, WorkerId from, RoundId round);
  [[nodiscard]] Result<void> on_retired(Time now, WorkerId from);
  [[nodiscard]] Result<void> on_port_seen(WorkerId from, const proto::PortSeen& seen);
  void observe_ports(Time now);
  // Bytes per second of the median port, each port taken at the highest rate that was measured.
  [[nodiscard]] std::optional<double> typical_port() const;

  const ExchangeOptions options_;
  Scheduler core_;
  std::map<std::uint32_t, std::vector<Share>> owners_;  // Owners by placement.
  struct Offers {
    std::uint64_t last = 0;  // Number of the last update that the worker offered.
    // Blocks of the model after this update that the worker has not acknowledged yet.
    std::uint32_t unacknowledged = 0;
  };
  std::map<WorkerId, Offers> offers_;  // Offers by worker.
  struct UnderWay {
    Direction direction;
    std::uint32_t block;
    std::set<WorkerId> unacknowledged;  // Recipients that have not acknowledged the round yet.
  };
  std::map<RoundId, UnderWay> under_way_;
  std::set<WorkerId> working_;  // Workers that have not retired.
  // Workers whose pull is not complete for the core. The core completes it when all recipients of
  // its blocks have acknowledged them.
  std::set<WorkerId> pulling_;
  // Workers in pulling_ that already have the model, have pushed again, and request the next model.
  std::set<WorkerId> pull_again_;
  enum class Stage : std::uint8_t { kWorking, kLastPulls, kEnded } stage_ = Stage::kWorking;
  // Latest reports of workers since the ports were last observed.
  std::map<WorkerId, PortWatch::Rates> ports_;
  Time observed_{};
  // The highest rate measured in either direction.
  std::map<WorkerId, double> fastest_;
  // Events for the core. An event that an action causes is handled after all actions of the same
  // step.
  std::deque<Event> events_;
  bool is_stepping_ = false;
  std::vector<Outgoing> outgoing_;
  ExchangeCounts counts_;
};

}  // namespace surety::fabric
