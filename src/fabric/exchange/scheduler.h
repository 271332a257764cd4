// The scheduler's end of an exchange: what hosts tell it, in terms of the core (core/scheduler.h),
// and what the core decides, in messages to hosts.
//
// A round that was granted is carried out: nothing takes it back, and if a host is lost the whole
// exchange comes to nothing. So the core is told that a round is committed when all who hear it
// say that the next one may be granted, while its last bytes are still on their way: grants travel
// beside data, and of the fastest class two rounds are under way each way. Owners apply all rounds
// of a block that are committed so before they give the block to anybody; a slow host's round that
// is not, nobody waits for. When owners change, a block goes to the new ones in a round between
// those of the old ones and theirs.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fabric/core/scheduler.h"
#include "fabric/exchange/options.h"
#include "fabric/ports/port_watch.h"
#include "proto/fabric.pb.h"

namespace surety::fabric {

struct ExchangeCounts {
  std::uint64_t updates = 0;     // Of which a block at least was committed.
  std::uint64_t dropped = 0;     // Wholly or partly.
  std::uint64_t rounds = 0;      // Pushes and pulls.
  std::uint64_t placements = 0;  // Of the model with other owners,
  std::string placed_why{};      // the last time because of that.
};

class ExchangeScheduler {
 public:
  // REQUIRES: check(options).
  ExchangeScheduler(const ExchangeOptions& options, Time now);

  struct Outgoing {
    HostId to;
    proto::ExchangeMessage message;
  };
  // Corrupt: says what a host said that it may not say. REQUIRES: time does not fall.
  [[nodiscard]] Result<void> receive(Time now, HostId from, const proto::ExchangeMessage& message);
  // Every 50 ms or so, at most.
  void tick(Time now);
  // Messages since the last call, also to our own host; in order.
  [[nodiscard]] std::vector<Outgoing> take() { return std::exchange(outgoing_, {}); }

  [[nodiscard]] const ExchangeCounts& counts() const { return counts_; }
  [[nodiscard]] KnownPorts known_ports() const;
  // Where it stands, in a line.
  [[nodiscard]] std::string describe() const;

 private:
  void tell(Time now, Event event);
  void obey(const Action& action);
  void ask_model(HostId worker);
  void grant(const Grant& grant, Direction direction);
  void place(const PlaceOwners& place);
  void move(const MoveBlock& move);
  void end_if_over(Time now);
  [[nodiscard]] Result<void> offered(Time now, HostId from, const proto::UpdateOffered& offer);
  [[nodiscard]] Result<void> heard(Time now, HostId from, RoundId round);
  [[nodiscard]] Result<void> retired(Time now, HostId from);
  [[nodiscard]] Result<void> seen(HostId from, const proto::PortSeen& seen);
  void observe_ports(Time now);
  // Bytes a second of the port in the middle, each at the most that it was seen to carry.
  [[nodiscard]] std::optional<double> typical_port() const;

  const ExchangeOptions options_;
  Scheduler core_;
  std::map<std::uint32_t, std::vector<Share>> owners_;  // By epoch.
  std::map<HostId, std::uint64_t> updates_;             // Last number offered.
  struct UnderWay {
    Direction direction;
    std::uint32_t block;
    std::set<HostId> unheard;  // Who has not said so.
  };
  std::map<RoundId, UnderWay> under_way_;
  std::set<HostId> working_;  // Not retired.
  std::set<HostId> pulling_;  // A model, as the core knows it: until all who hear a block say so.
  std::set<HostId> again_;    // Of these: has it, has pushed, and wants the next one.
  enum class Stage : std::uint8_t { kWorking, kLastPulls, kEnded } stage_ = Stage::kWorking;
  std::map<HostId, PortWatch::Seen> ports_;  // As hosts said last, since they were observed.
  Time observed_{};
  std::map<HostId, double> fastest_;  // What either side was seen to carry at most.
  std::deque<Event> events_;  // To be told: what an action leads to comes after what it came with.
  bool telling_ = false;
  std::vector<Outgoing> outgoing_;
  ExchangeCounts counts_;
};

}  // namespace surety::fabric
