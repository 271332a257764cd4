// The network between workers, as the step machine of a worker (worker/machine.h) uses it. Each
// call starts an action and returns at once. The result is an event that the machine gets later
// (Machine::on_network()), never from inside a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "fabric/exchange/exchange.h"
#include "fabric/transport/transport.h"
#include "proto/surety.pb.h"

namespace surety::worker {

// Each member contributes a vector, and all members get the weighted sum of these vectors.
struct RoundSum {
  std::vector<float> weights{};  // One for each member.
  // Part of the sum that each member computes; absent means that the parts are equal.
  std::optional<std::vector<double>> shares{};
};
// The holders have the vector, and each member gets it.
struct RoundCopy {
  std::vector<WorkerId> holders{};  // Ascending, at least one; none of them is a member.
};
// One transfer of a vector in a group of workers.
struct Round {
  std::uint64_t sequence = 0;       // Number of the command.
  std::vector<WorkerId> members{};  // Ascending.
  std::variant<RoundSum, RoundCopy> kind{};
  // Model version of the values, from which a simulation takes their bytes on the wire. The real
  // network does not need it.
  std::string version;
};

// Defect if the round cannot be carried out, because a command may contain any values.
[[nodiscard]] Result<void> check(const Round& round, WorkerId self);

struct RoundResult {
  std::vector<float> values;
  std::optional<proto::PortSeen> port{};  // Absent if this worker's port was not measured.
};

// ---- events -------------------------------------------------------------------------------------
// A sequence is the number of the command whose round, blob or exchange it is.

struct BlobArrived {};  // A blob may have arrived: see take_blob().
struct BlobSent {
  std::uint64_t sequence = 0;
  WorkerId to;
};
// The connection to this worker is lost. Messages that were sent over it may or may not have
// arrived.
struct WorkerLost {
  WorkerId worker;
  std::string why;
};
struct RoundDone {
  std::uint64_t sequence = 0;
  RoundResult result;
};
struct RoundFailed {
  std::uint64_t sequence = 0;
  Error error;
  // The worker that caused the failure; this worker itself if no other member did.
  WorkerId blamed;
};
struct ExchangeMessage {
  std::uint64_t sequence = 0;
  WorkerId from;
  std::vector<std::byte> bytes;
};
struct ExchangeSent {
  std::uint64_t sequence = 0;
  WorkerId to;
};
using NetworkEvent = std::variant<BlobArrived, BlobSent, WorkerLost, RoundDone, RoundFailed,
                                  ExchangeMessage, ExchangeSent>;

// The number of the command that the event belongs to; absent if the event may concern any command.
[[nodiscard]] std::optional<std::uint64_t> sequence_of(const NetworkEvent& event);

class Network {
 public:
  virtual ~Network() = default;

  // A run begins, or the same run with other data: commands may be numbered anew, and all data that
  // have arrived before are discarded. rejoin() follows.
  virtual void begin_run() {}
  // The worker has this id from now on, and no connections.
  virtual void rejoin(WorkerId self) = 0;
  // Stores the address of a worker, for connect().
  virtual void know(const proto::Peer& peer) = 0;
  // Connects to the worker, if there is no connection. WorkerLost follows if it is lost. Defect:
  // its address is unknown. InvalidInput: its address is not valid. Unavailable: it cannot be
  // reached.
  [[nodiscard]] virtual Result<void> connect(WorkerId worker) = 0;

  // RoundDone or RoundFailed follows, unless leave_round() is called before.
  virtual void join_round(Round round, std::vector<float> values) = 0;
  // This worker takes no more part in the round, if it is in it: no event of the round follows.
  // Messages that it has sent may still arrive, and it ignores those that arrive later.
  virtual void leave_round(std::uint64_t sequence) = 0;
  // Asks the members whose values are missing what they have sent. RoundFailed follows if a message
  // was lost. Returns these members; none if no values are missing.
  virtual std::vector<WorkerId> ask_round(std::uint64_t sequence) = 0;

  // Sends `bytes`, followed by `zeros` zero bytes. Either BlobSent follows, when all of this blob
  // has been sent, or WorkerLost.
  // Unavailable: the worker cannot be reached. Other errors are those of connect(). The network
  // fills in the sender of the tag. The round of the tag is the number of the command.
  [[nodiscard]] virtual Result<void> send_blob(WorkerId to, fabric::Tag tag,
                                               std::vector<std::byte> bytes,
                                               std::uint64_t zeros) = 0;
  // Returns the blob with this tag once, if it has arrived. Otherwise call this function again
  // after each BlobArrived. This event follows the arrival of a blob, but not before this worker
  // has left its round and its exchange. It may also come without a new blob.
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> take_blob(const fabric::Tag& tag) = 0;
  // Discards blobs, and messages of exchanges, that belong to earlier commands.
  virtual void discard_blobs_before(std::uint64_t sequence) = 0;

  // ExchangeMessage follows for each message of this exchange, including messages that arrived
  // before this call. ExchangeSent follows when a message of this worker has left.
  virtual void join_exchange(std::uint64_t sequence, const std::vector<WorkerId>& members) = 0;
  // This worker takes no more part in the exchange, if it is in it: no event of it follows.
  // Messages that it has sent may still arrive, and it ignores those that arrive later.
  virtual void leave_exchange(std::uint64_t sequence) = 0;
  virtual void send_in_exchange(std::uint64_t sequence, WorkerId to,
                                fabric::Exchange::Send message) = 0;
  // Bytes that have passed the port of this machine; absent if unknown.
  [[nodiscard]] virtual std::optional<fabric::PortBytes> port_bytes() = 0;
  // Bytes on the wire for each byte of the committed model. It is 1 unless each value of the model
  // stands for several values, as in a simulation.
  [[nodiscard]] virtual double wire_scale() const = 0;
};

}  // namespace surety::worker
