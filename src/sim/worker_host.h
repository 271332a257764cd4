// What a simulated worker needs of the world around it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "data/chunk.h"
#include "fabric/transport.h"
#include "proto/surety.pb.h"
#include "sim/check/check.h"
#include "sim/storage.h"

namespace surety::sim {

struct BlobTag {
  std::uint64_t round = 0;
  WorkerId sender;
  std::uint32_t step = 0;
  friend auto operator<=>(const BlobTag&, const BlobTag&) = default;
};

// A sum over members, or a distribution from those that have the values to the others.
struct Round {
  std::uint64_t sequence = 0;
  std::vector<WorkerId> holders;  // Used by distributions only.
  std::vector<WorkerId> members;  // Ascending; without holders.
  std::vector<float> weights;     // One a member.
  double bytes = 0;               // Bytes of the whole vector on the wire.
};

// A message of an exchange, and how much of the network it takes.
struct Parcel {
  std::vector<std::byte> bytes;
  double wire_bytes = 0;
};

class WorkerHost {
 public:
  virtual ~WorkerHost() = default;
  virtual void answer(const proto::FromWorker& message) = 0;
  // Worker::woken(token) after so many seconds; a stalled node wakes late.
  virtual void wake_after(double seconds, std::uint64_t token) = 0;
  // Seconds that so much work takes here, now: the node's speed and its noise.
  virtual double computing_s(double seconds_at_speed_1) = 0;
  // Worker::finished() or Worker::broken().
  virtual void join_round(const Round& round, std::vector<float> values) = 0;
  virtual void leave_round(std::uint64_t sequence) = 0;
  // False: nobody is at that address any more. Worker::sent() when it has arrived.
  virtual bool send_blob(WorkerId to, const BlobTag& tag, std::vector<float> content,
                         double bytes) = 0;
  // Worker::heard() of those that take part in the exchange, Worker::left() when a message of ours
  // is on its way, Worker::broken() when a member cannot be reached.
  virtual void join_exchange(std::uint64_t exchange, const std::vector<WorkerId>& members) = 0;
  virtual void leave_exchange(std::uint64_t exchange) = 0;
  virtual void send_in_exchange(std::uint64_t exchange, WorkerId to, Parcel parcel) = 0;
  // The bytes that have passed our machine's port.
  virtual fabric::PortBytes port_bytes() = 0;
  // ---- for checkers ----
  virtual void learning(const Held& held, const proto::ToWorker& order) = 0;
  virtual void exchanged(const Exchanged& what) = 0;
  virtual void wrote_model(const std::string& path, std::uint64_t checksum) = 0;
  virtual void has_read(ChunkId chunk) = 0;  // To keep it.
  virtual Result<data::Chunk> load(const data::ChunkRange& range) = 0;
  virtual Checkpoints& checkpoints() = 0;
  virtual double now_s() const = 0;
};

}  // namespace surety::sim
