// Asynchronous training's view of the network: workers push updates to a model whose parts they
// own together, and pull what it has become, each at its own pace. (Parameter server with the
// servers on the workers' hosts; Li et al. 2014. What travels when is core/scheduler.h's decision,
// by a scheduler on one of the hosts.)
//
// An exchange begins with a model that all hosts have, and ends with one that all have, to the
// byte: in between each host pushes one update after another, each over when all its blocks are
// committed or dropped, and gets a model after each. Every block of an update is applied at most
// once, by the owners of its parts; who they are follows the ports. If a host is lost the exchange
// comes to nothing, and everybody still has the model that it began with and knows what it has
// learned itself: that is the first update of another exchange without the lost one
// (worker/learned_work.h). Authors are the replicas of their updates, until all have a model with
// them.
//
// A step machine: the caller moves the messages (whole, in order between two hosts, each once) and
// lends the clock. Messages of hosts that have begun earlier may be given to it at once.
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
  // `model`: of options.elements. REQUIRES: check(options); self is one of the hosts.
  Exchange(const ExchangeOptions& options, HostId self, std::vector<float> model, Time now);

  // ---- the trainer's side ----
  // Offers what to add to the model, computed in so many steps on the model pulled last; returns at
  // once. InvalidInput: a value is not finite. REQUIRES: idle(), not retired.
  [[nodiscard]] Result<Ticket> push(Time now, std::vector<float> update, std::uint32_t steps);
  // REQUIRES: an update of ours.
  [[nodiscard]] UpdateStage stage(Ticket update) const;
  // No update is under way, and the model after the last one has been taken.
  [[nodiscard]] bool idle() const { return !update_ && !pulled_; }
  // The model after our update, once: when the update is over and a pull after it is complete.
  struct Pulled {
    std::vector<float> model;
    std::vector<Slice> dropped;  // Of our update: not in the model, nor ever.
    Ticket update = 0;           // The last of ours that is in it.
  };
  [[nodiscard]] std::optional<Pulled> take_pulled();
  // No more updates from here. REQUIRES: idle().
  void retire(Time now);
  // Everybody has retired, and we have the last model and owe nobody anything.
  [[nodiscard]] bool ended() const;
  // REQUIRES: ended(). Once.
  [[nodiscard]] std::vector<float> take_model() { return std::move(*pulling_); }

  // ---- the network's side ----
  // Corrupt: `from` said what it may not say; the exchange is over. What is merely unexpected is
  // counted and ignored.
  [[nodiscard]] Result<void> receive(Time now, HostId from, std::span<const std::byte> bytes);
  // Every 50 ms or so; with what has passed our port, where that is known.
  void tick(Time now, const std::optional<PortBytes>& passed);
  struct Send {
    std::vector<std::byte> bytes;
    bool data = false;  // Else control: small, and goes ahead of data.
  };
  // The next message to this host; control only, where the network is busy with data to it.
  [[nodiscard]] std::optional<Send> next_send(Time now, HostId to, bool control_only);
  // To whom there is something to send; ascending, each once.
  [[nodiscard]] std::vector<HostId> wanting() const;

  // Our port is clearly slower than planned: what it was given long before cannot be overtaken by
  // what is urgent.
  [[nodiscard]] bool is_slow() const { return is_slow_; }

  // Where it stands, in a line: for whoever must find out why it does not end.
  [[nodiscard]] std::string describe() const;

  struct Counts {
    std::uint64_t data_bytes = 0, control_bytes = 0;  // Sent.
    std::uint64_t refused = 0;                        // Messages.
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }
  // Null but on the scheduler's host.
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

  void tell(Time now, proto::ExchangeMessage message);
  void send_control(HostId to, const proto::ExchangeMessage& message);
  void carry_out(Time now);
  [[nodiscard]] Result<void> hear(Time now, HostId from, const proto::ExchangeMessage& message);
  [[nodiscard]] Result<void> data(Time now, HostId from, std::span<const std::byte> bytes);
  [[nodiscard]] Result<RoundShape> shape_of(const proto::RoundGranted& granted) const;
  [[nodiscard]] Result<void> granted(Time now, const proto::RoundGranted& granted);
  [[nodiscard]] Result<void> placed(const proto::OwnersPlaced& placed);
  [[nodiscard]] Result<void> moved(Time now, const proto::BlockMoved& moved);
  [[nodiscard]] Result<void> begin(Time now, RoundShape shape);
  [[nodiscard]] Result<void> take_part(RoundWork& work, Early piece);
  [[nodiscard]] Result<void> dropped(const proto::BlocksDropped& dropped);
  [[nodiscard]] Result<void> advance(Time now);
  [[nodiscard]] bool may_read(const RoundShape& shape) const;
  [[nodiscard]] bool may_apply(const RoundShape& shape) const;
  void acknowledge(Time now, RoundWork& work);
  void end_pull();

  const ExchangeOptions options_;
  const HostId self_;
  std::optional<ExchangeScheduler> scheduler_;          // On its host.
  std::vector<float> model_;                            // Of which we own parts; the rest is old.
  std::map<std::uint32_t, std::vector<Share>> owners_;  // By epoch.
  std::optional<Update> update_;
  std::uint64_t updates_ = 0, pulls_ = 0;
  RoundWork::Vector pulling_;    // What pulls are put into.
  BlockMask pulled_blocks_ = 0;  // Of the pull under way.
  std::optional<Pulled> pulled_;
  bool retired_ = false;
  bool has_last_ = false, ended_ = false;  // The last model; the scheduler's word that it is that.
  std::optional<Error> failure_;           // Found while our own scheduler's word was carried out.
  RoundId newest_ = 0;                     // Granted to us.
  std::map<RoundId, std::unique_ptr<RoundWork>> rounds_;  // Under way.
  std::map<RoundId, std::vector<Early>> early_;           // Of rounds not granted here yet.
  std::uint64_t early_bytes_ = 0;
  std::map<HostId, std::deque<std::vector<std::byte>>> control_;  // To be sent.
  PortWatch port_;
  bool is_slow_ = false;
  Counts counts_;
};

}  // namespace surety::fabric
