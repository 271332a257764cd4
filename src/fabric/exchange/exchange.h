// One worker's part of an exchange, the network side of asynchronous training. Workers push updates
// to a model, each at its own pace, and pull the changed model. Each worker owns a part of the
// model. This is a parameter server whose servers run on the workers' machines (Li et al. 2014).
// A scheduler on one of the workers (fabric/scheduler/scheduler.h) decides what is sent when.
//
// All workers begin an exchange with the same model, and end it with the same model, to the byte.
// In between, each worker pushes one update after another and gets a model after each. An update is
// over when each of its blocks is committed or dropped. Every block of an update is applied at most
// once, by the owners of its parts. The choice of owners follows the port speeds.
//
// If a worker is lost, the exchange is aborted. Every worker still has the model that it began
// with, and the sum of all that it has learned since then, because it keeps this sum until the
// exchange has ended. The sum is its first update in another exchange without the lost worker
// (worker/state/learned_work.h). So owners need no replicas.
//
// A worker's updates and models are round trips (round_trip.h). Blocks travel in rounds, and
// several rounds are under way at a time (round_table.h). Control messages wait in an outbox
// (outbox.h).
//
// This is a step machine: the caller moves the messages (whole, in order between two workers, each
// once) and passes the time. Messages of workers that began earlier may be passed to it at once.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "fabric/exchange/outbox.h"
#include "fabric/exchange/owner_placements.h"
#include "fabric/exchange/round_table.h"
#include "fabric/exchange/round_trip.h"
#include "fabric/exchange/scheduler.h"
#include "fabric/ports/port_watch.h"
#include "fabric/scheduler/events.h"

namespace surety::fabric {

class Exchange {
 public:
  // `model` has options.elements values. REQUIRES: check(options); self is one of the workers.
  Exchange(const ExchangeOptions& options, WorkerId self, std::vector<float> model, Time now);

  // ---- for the worker that learns ----
  // Offers an update to add to the model, computed on the model pulled last. Returns at once.
  // Diverged: a value is not finite. REQUIRES: idle(), not retired.
  [[nodiscard]] Result<UpdateNumber> push(Time now, std::vector<float> update);
  // True if no update is under way and the model after the last one has been taken.
  [[nodiscard]] bool idle() const { return trip_.idle(); }
  // The model after this worker's update. It is returned once, when the update has ended and a pull
  // after it is complete.
  using Pulled = RoundTrip::Pulled;
  [[nodiscard]] std::optional<Pulled> take_pulled() { return trip_.take_pulled(); }
  // This worker pushes no more updates. REQUIRES: idle().
  void retire(Time now);
  // True when all workers have retired, and this one has the last model and nothing left to send.
  [[nodiscard]] bool ended() const;
  // Returns the last model. REQUIRES: ended(). Call it once.
  [[nodiscard]] std::vector<float> take_model() { return trip_.take_last_model(); }

  // ---- for the network ----
  // Corrupt: worker `from` sent a forbidden message; the exchange is aborted. A message that is
  // only unexpected is ignored.
  [[nodiscard]] Result<void> receive(Time now, WorkerId from, std::span<const std::byte> bytes);
  // Called about every 50 ms, with the bytes that have passed this worker's port, if known.
  void tick(Time now, const std::optional<PortBytes>& passed);
  struct Send {
    std::vector<std::byte> bytes;
    bool data = false;  // False: control, which is small and is sent before data.
  };
  // Returns the next message to this worker; only control if the network is busy with data to it.
  [[nodiscard]] std::optional<Send> next_send(Time now, WorkerId to, bool control_only);
  // The error of a tick() or a next_send(), if there was one: the exchange is aborted.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  // Workers for which there is something to send; ascending, each once.
  [[nodiscard]] std::vector<WorkerId> destinations() const;

  // True if this worker's port is clearly slower than planned. Then a long queue of messages would
  // delay urgent ones.
  [[nodiscard]] bool has_slow_port() const { return has_slow_port_; }

  // Null except on the scheduler's worker.
  [[nodiscard]] const ExchangeScheduler* scheduler() const {
    return scheduler_ ? &*scheduler_ : nullptr;
  }

 private:
  void notify_scheduler(Time now, const proto::ExchangeMessage& message);
  void carry_out(Time now);
  [[nodiscard]] Result<void> on_message(Time now, WorkerId from,
                                        const proto::ExchangeMessage& message);
  [[nodiscard]] Result<void> begin(Time now, RoundShape shape);
  [[nodiscard]] Result<void> advance(Time now);

  const ExchangeOptions options_;
  const WorkerId self_;
  std::optional<ExchangeScheduler> scheduler_;  // Only the scheduler's worker has one.
  // The values are current in the parts that this worker owns, and old elsewhere.
  std::vector<float> model_;
  OwnerPlacements owners_;
  RoundTrip trip_;
  RoundTable rounds_;
  Outbox outbox_;
  // The error that was found while decisions of this worker's scheduler were carried out.
  std::optional<Error> failure_;
  PortWatch port_;
  bool has_slow_port_ = false;
};

}  // namespace surety::fabric
