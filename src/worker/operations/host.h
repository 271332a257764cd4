// What the step machine of a worker (worker/session.h) needs of the process around it: the network,
// a thread that computes, files, the time. Each call starts something and returns at once; what
// comes of it is an event of the session. `runtime` carries the effects out on sockets, threads and
// files, and `sim` carries them out on a simulated cluster.
//
// A host delivers no event from inside a call of the session.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "data/sources/chunk.h"
#include "fabric/exchange/exchange.h"
#include "fabric/exchange/options.h"
#include "fabric/transport/transport.h"
#include "learn/local_work.h"
#include "proto/surety.pb.h"

namespace surety::worker {

// How far a work may go.
struct WorkLimits {
  // Set by another thread when the result is not needed any more.
  const std::atomic<bool>& stop;
  // Learning ends after this many samples. If it is absent, the work reads the clock itself.
  std::optional<std::uint64_t> samples{};
};

// Something that takes long: reading, learning, evaluating, writing. It is carried out beside the
// session, at most one at a time.
struct Work {
  enum class Kind : std::uint8_t { kLoad, kLearn, kEvaluate, kSwitch, kSave };
  Kind kind = Kind::kLoad;
  // The chunks to be read and kept; only for kLoad.
  std::vector<data::ChunkRange> ranges{};
  // The samples to be learned, in this order, and the seconds until the worker is late, if it has a
  // limit; only for kLearn.
  std::vector<learn::WorkItem> items{};
  std::optional<double> late_s{};
  // Any thread may call it, once.
  std::function<Result<void>(const WorkLimits&)> run;
};

// One vector for a group of workers: its weighted sum over all members, or, with holders, a copy
// for each of the other members.
struct Round {
  std::uint64_t sequence = 0;       // Number of the command.
  std::vector<WorkerId> holders{};  // Only for copies.
  std::vector<WorkerId> members{};  // Ascending; without the holders.
  std::vector<float> weights{};     // One for each member; only for sums.
  std::vector<double> shares{};     // Part of the sum that each member computes; empty means equal.
  std::string version;              // Model version of the values.
};

struct RoundResult {
  std::vector<float> values;
  std::uint64_t bytes_sent = 0;
  std::optional<proto::PortSeen> port{};  // Absent if our port was not measured.
};

class Host {
 public:
  virtual ~Host() = default;

  [[nodiscard]] virtual Time now() const = 0;  // Any thread may call it.
  virtual void answer(const proto::FromWorker& message) = 0;
  // Session::on_time(timer) after the delay.
  virtual void wake_after(Duration delay, std::uint64_t timer) = 0;

  // Session::on_work_done(). REQUIRES: no other work is under way.
  virtual void start(Work work) = 0;
  // The work that is under way should end soon; on_work_done() follows in any case.
  virtual void stop_work() = 0;

  // The worker has this id from now on, and no connections.
  virtual void rejoin(WorkerId self) = 0;
  virtual void know(const proto::Peer& peer) = 0;
  // Connects to the worker, if there is no connection. Session::on_lost() if it is lost.
  [[nodiscard]] virtual Result<void> connect(WorkerId worker) = 0;

  // Session::on_round_done() or Session::on_round_failed(), unless the round is left before.
  virtual void join_round(Round round, std::vector<float> values) = 0;
  virtual void leave_round(std::uint64_t sequence) = 0;

  // Sends the bytes and then as many zeros. Session::on_blob_sent() when all has left, or
  // Session::on_lost(). Unavailable: the worker cannot be reached. The sender of the tag is filled
  // in; its round is the number of the command.
  [[nodiscard]] virtual Result<void> send_blob(WorkerId to, fabric::Tag tag,
                                               std::vector<std::byte> bytes,
                                               std::uint64_t zeros) = 0;
  // A blob that has come; each is returned once. Session::on_blob() when another one comes.
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> take_blob(const fabric::Tag& tag) = 0;
  virtual void discard_blobs_before(std::uint64_t sequence) = 0;

  // Session::on_exchange_message() for messages of this exchange, also those that came before;
  // Session::on_exchange_sent() when one of ours has left; Session::on_lost().
  virtual void join_exchange(std::uint64_t sequence, const std::vector<WorkerId>& members) = 0;
  virtual void leave_exchange(std::uint64_t sequence) = 0;
  virtual void send_in_exchange(std::uint64_t sequence, WorkerId to,
                                fabric::Exchange::Send message) = 0;
  // Bytes that have passed our machine's port; absent if unknown.
  [[nodiscard]] virtual std::optional<fabric::PortBytes> port_bytes() = 0;
  // What is known about ports before the first exchange.
  [[nodiscard]] virtual fabric::KnownPorts first_ports() const { return {}; }
  // A simulated model has few values that stand for many, so its host chooses the blocks.
  virtual void adapt(fabric::ExchangeOptions& options) const { static_cast<void>(options); }

  // For checkers: an asynchronous step has changed `before` to `after`, and `sum` is the weighted
  // sum of what this worker learned.
  virtual void on_exchanged(std::uint64_t sequence, const std::vector<float>& before,
                            const std::vector<float>& after, const std::vector<double>& sum) {
    static_cast<void>(sequence), static_cast<void>(before), static_cast<void>(after);
    static_cast<void>(sum);
  }
};

}  // namespace surety::worker
