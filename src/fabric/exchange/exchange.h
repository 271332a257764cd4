// One host's part of an exchange, the network side of asynchronous training. Workers push updates
// to a model, each at its own pace, and pull the changed model. Together they own the model, each a
// part of it. This is a parameter server whose servers run on the workers' hosts (Li et al. 2014).
// fabric/scheduler/scheduler.h, on one of the hosts, decides what is sent when.
//
// An exchange begins with a model that all hosts have, and ends with one that all have, to the
// byte. In between, each host pushes one update after another and gets a model after each. An
// update is over when each of its blocks is committed or dropped. Every block of an update is
// applied at most once, by the owners of its parts. The choice of owners follows the port speeds.
//
// If a host is lost, the exchange is aborted. Every host still has the model that it began with,
// and knows what it has learned itself. This is its first update in another exchange without the
// lost host (worker/state/learned_work.h). An update's author keeps it until all hosts have a model
// that contains it, so owners need no replicas.
//
// This is a step machine: the caller moves the messages (whole, in order between two hosts, each
// once) and passes the time. Messages of hosts that began earlier may be passed to it at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fabric/exchange/round_work.h"
#include "fabric/exchange/scheduler.h"
#include "fabric/exchange/update_stage.h"
#include "fabric/ports/port_watch.h"

namespace surety::fabric {

class Exchange {
 public:
  // `model` has options.elements values. REQUIRES: check(options); self is one of the hosts.
  Exchange(const ExchangeOptions& options, HostId self, std::vector<float> model, Time now);

  // ---- the trainer's side ----
  // Offers an update to add to the model, computed in `steps` steps on the model pulled last.
  // Returns at once. Diverged: a value is not finite. REQUIRES: idle(), not retired.
  [[nodiscard]] Result<Ticket> push(Time now, std::vector<float> update, std::uint32_t steps);
  // REQUIRES: the ticket is of one of our updates.
  [[nodiscard]] UpdateStage stage(Ticket update) const;
  // True if no update is under way and the model after the last one has been taken.
  [[nodiscard]] bool idle() const { return !update_ && !pulled_; }
  // The model after our update. It is returned once, when the update is over and a pull after it is
  // complete.
  struct Pulled {
    std::vector<float> model;
    std::vector<Slice> dropped;  // Dropped parts of our update, which are in no model.
    Ticket update = 0;           // Our last update that is in the model.
  };
  [[nodiscard]] std::optional<Pulled> take_pulled();
  // This host pushes no more updates. REQUIRES: idle().
  void retire(Time now);
  // True when all hosts have retired, and this one has the last model and nothing left to send.
  [[nodiscard]] bool ended() const;
  // Returns the last model. REQUIRES: ended(). Call it once.
  [[nodiscard]] std::vector<float> take_model() { return std::move(*pulling_); }

  // ---- the network's side ----
  // Corrupt: host `from` sent what it may not send; the exchange is aborted. A message that is only
  // unexpected is counted and ignored.
  [[nodiscard]] Result<void> receive(Time now, HostId from, std::span<const std::byte> bytes);
  // Called about every 50 ms, with the bytes that have passed our port, if known.
  void tick(Time now, const std::optional<PortBytes>& passed);
  struct Send {
    std::vector<std::byte> bytes;
    bool data = false;  // False: control, which is small and is sent before data.
  };
  // Returns the next message to this host; only control if the network is busy with data to it.
  [[nodiscard]] std::optional<Send> next_send(Time now, HostId to, bool control_only);
  // Hosts for which there is something to send; ascending, each once.
  [[nodiscard]] std::vector<HostId> destinations() const;

  // True if our port is clearly slower than planned. Messages given to it long before would then
  // delay urgent ones.
  [[nodiscard]] bool has_slow_port() const { return has_slow_port_; }

  // The state in one line, to find out why an exchange does not end.
  [[nodiscard]] std::string describe() const;

  struct Counts {
    std::uint64_t data_bytes = 0;     // Number of bytes sent.
    std::uint64_t control_bytes = 0;  // Number of bytes sent.
    std::uint64_t refused = 0;        // Number of messages.
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }
  // Null except on the scheduler's host.
  [[nodiscard]] const ExchangeScheduler* scheduler() const {
    return scheduler_ ? &*scheduler_ : nullptr;
  }

 private:
  struct Update {
    std::uint64_t number = 0;
    BlockMask under_way = 0;  // Blocks neither granted nor dropped.
    BlockMask dropped = 0;
    RoundWork::Vector values;
  };
  struct Early {
    HostId from;
    Address address;
    std::vector<std::byte> bytes;
  };

  void notify_scheduler(Time now, proto::ExchangeMessage message);
  void send_control(HostId to, const proto::ExchangeMessage& message);
  void carry_out(Time now);
  [[nodiscard]] Result<void> on_message(Time now, HostId from,
                                        const proto::ExchangeMessage& message);
  [[nodiscard]] Result<void> on_data(Time now, HostId from, std::span<const std::byte> bytes);
  [[nodiscard]] Result<RoundShape> shape_of(const proto::RoundGranted& granted) const;
  [[nodiscard]] Result<void> on_granted(Time now, const proto::RoundGranted& granted);
  [[nodiscard]] Result<void> on_placed(const proto::OwnersPlaced& placed);
  [[nodiscard]] Result<void> on_moved(Time now, const proto::BlockMoved& moved);
  [[nodiscard]] Result<void> begin(Time now, RoundShape shape);
  [[nodiscard]] Result<void> take_part(RoundWork& work, Early piece);
  [[nodiscard]] Result<void> on_dropped(const proto::BlocksDropped& dropped);
  [[nodiscard]] Result<void> advance(Time now);
  [[nodiscard]] bool may_read(const RoundShape& shape) const;
  [[nodiscard]] bool may_apply(const RoundShape& shape) const;
  void acknowledge(Time now, RoundWork& work);
  void end_pull();

  const ExchangeOptions options_;
  const HostId self_;
  std::optional<ExchangeScheduler> scheduler_;  // Only on the scheduler's host.
  // Current in the parts that we own; old elsewhere.
  std::vector<float> model_;
  std::map<std::uint32_t, std::vector<Share>> owners_;  // Owners by epoch.
  std::optional<Update> update_;
  std::uint64_t updates_ = 0;
  std::uint64_t pulls_ = 0;
  RoundWork::Vector pulling_;    // Pulls are written into it.
  BlockMask pulled_blocks_ = 0;  // Blocks that the current pull has received.
  std::optional<Pulled> pulled_;
  bool retired_ = false;
  // has_last_: we have the last model. ended_: the scheduler has confirmed that it is the last.
  bool has_last_ = false;
  bool ended_ = false;
  // Error found while decisions of our own scheduler were carried out.
  std::optional<Error> failure_;
  RoundId newest_ = 0;  // Newest round granted to this host.
  // Rounds granted here that are not finished.
  std::map<RoundId, std::unique_ptr<RoundWork>> rounds_;
  std::map<RoundId, std::vector<Early>> early_;  // Data of rounds not granted here yet.
  std::uint64_t early_bytes_ = 0;
  std::map<HostId, std::deque<std::vector<std::byte>>> control_;  // Messages to be sent.
  PortWatch port_;
  bool has_slow_port_ = false;
  Counts counts_;
};

}  // namespace surety::fabric
