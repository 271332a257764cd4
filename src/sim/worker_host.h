// What a simulated worker needs from its environment.
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
  std::vector<WorkerId> holders;  // Used for a distribution only.
  std::vector<WorkerId> members;  // Ascending; holders are not among them.
  std::vector<float> weights;     // One for each member.
  double bytes = 0;               // Size of the whole vector on the network.
};

// A message of an exchange, and the bytes that it takes on the network.
struct Parcel {
  std::vector<std::byte> bytes;
  double wire_bytes = 0;
};

class WorkerHost {
 public:
  virtual ~WorkerHost() = default;
  virtual void answer(const proto::FromWorker& message) = 0;
  // Calls Worker::woken(token) after `seconds`; a stalled node wakes late.
  virtual void wake_after(double seconds, std::uint64_t token) = 0;
  // Seconds that this work takes here and now, with the node's speed and its noise.
  virtual double computing_s(double seconds_at_speed_1) = 0;
  // Ends with Worker::finished() or Worker::broken().
  virtual void join_round(const Round& round, std::vector<float> values) = 0;
  virtual void leave_round(std::uint64_t sequence) = 0;
  // False if no worker is at that address any more. Calls Worker::sent() when it has arrived.
  virtual bool send_blob(WorkerId to, const BlobTag& tag, std::vector<float> content,
                         double bytes) = 0;
  // Calls Worker::heard() for messages of the other members, Worker::left() when a message of ours
  // is on its way, and Worker::broken() when a member cannot be reached.
  virtual void join_exchange(std::uint64_t exchange, const std::vector<WorkerId>& members) = 0;
  virtual void leave_exchange(std::uint64_t exchange) = 0;
  virtual void send_in_exchange(std::uint64_t exchange, WorkerId to, Parcel parcel) = 0;
  // Bytes that have passed our machine's port.
  virtual fabric::PortBytes port_bytes() = 0;
  // Reports to the checkers.
  virtual void learning(const Held& held, const proto::ToWorker& order) = 0;
  virtual void exchanged(const Exchanged& what) = 0;
  virtual void wrote_model(const std::string& path, std::uint64_t checksum) = 0;
  virtual void has_read(ChunkId chunk) = 0;  // The worker has read the chunk to keep it.
  virtual Result<data::Chunk> load(const data::ChunkRange& range) = 0;
  virtual Checkpoints& checkpoints() = 0;
  virtual double now_s() const = 0;
};

}  // namespace surety::sim
