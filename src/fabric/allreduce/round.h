// Runs rounds over a transport, one after another, and also sends blobs. It connects a
// RoundExecutor, which decides what to send, with a Transport, which sends it.
//
// Workers do not start a round at the same moment. A message of a later round than the current one
// is kept until that round begins; a message of an earlier round is dropped. A peer whose early
// messages do not fit into `early_bytes_max` is disconnected.
//
// A message may be lost although its connection is intact: for example, the other side may have
// dropped it when it got a new id. A member that waits calls ask(). If a message was lost, the
// round then fails and can be run again.
//
// There is no clock here. The caller calls advance() in a loop. It waits at most
// `wait`, and between two calls the caller handles its own work (deadlines, commands).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fabric/allreduce/executor.h"
#include "fabric/allreduce/inquiry.h"
#include "fabric/allreduce/mailbox.h"
#include "fabric/allreduce/peers.h"
#include "fabric/allreduce/sends_in_flight.h"
#include "fabric/transport/transport.h"

namespace surety::fabric {

struct RoundsOptions {
  // Limit on the bytes of early messages plus blobs that have not been taken.
  std::uint64_t early_bytes_max = 1ull << 30;
};

class Rounds {
 public:
  // `transport` must outlive this object.
  Rounds(Transport& transport, WorkerId self, const RoundsOptions& options = {})
      : transport_(transport), self_(self), mailbox_(options.early_bytes_max) {}

  // Begins a round and abandons the current one, if any. Round ids grow from round to round and are
  // below 2^62. `peers` maps each other member to its connection. Unavailable: the connection of a
  // member is lost. InvalidInput: the id does not grow, or a member has no connection. After an
  // error no round is active.
  [[nodiscard]] Result<void> begin(std::uint64_t round, std::shared_ptr<RoundExecutor> executor,
                                   std::map<WorkerId, PeerId> peers);

  // Handles the events that have arrived, and waits up to `wait` if there are none. Returns true if
  // no round is active: it has finished, and all messages of this worker in it have left. Returns
  // false if advance() must be called again. Unavailable: a member was lost, or one of its messages
  // was. Corrupt: a member sent invalid data. The error names the member. After either error the
  // round is abandoned, and its values are as before.
  [[nodiscard]] Result<bool> advance(Duration wait);

  // The member that caused the error of the last round: it cannot be reached, or it sent invalid
  // data. Absent if no member caused it: messages are also lost when workers begin anew.
  [[nodiscard]] std::optional<WorkerId> blamed() const { return blamed_; }

  // Asks each member whose messages are missing what it has sent. If its answer shows that a
  // message was lost, advance() fails. Returns these members, in ascending order; none if no round
  // is active.
  std::vector<WorkerId> ask();

  // Resets this object for a worker with the id `self`. Connections with unfinished sends are
  // closed; the others stay. Rounds and blobs with higher numbers than that of the last round are
  // also kept, because others may have learned the new id before this worker did. Numbers continue
  // from that of the last round.
  void restart(WorkerId self);

  // Numbers may begin again: it is another run, or its data differ. Messages that have arrived for
  // earlier rounds are dropped.
  void begin_run();

  // Leaves the current round. Its sends under way continue, from buffers that this object keeps
  // alive.
  void abandon();

  // Sends bytes outside of rounds. `tag.round` is below 2^62; blobs and rounds are numbered
  // independently. The sender of the tag is filled in. Returns a ticket, which is among sends()
  // until the bytes have left or the connection is lost. Unavailable: the connection is lost
  // already.
  [[nodiscard]] Result<std::uint64_t> send_blob(PeerId peer, Tag tag, std::vector<std::byte> bytes);
  // Returns the blob with this tag if it has arrived. Each blob is returned once.
  [[nodiscard]] std::optional<std::vector<std::byte>> take_blob(const Tag& tag) {
    return mailbox_.take_blob(tag);
  }
  // Returns all blobs with this tag.round that have arrived and were not taken, by sender, then
  // step.
  [[nodiscard]] std::vector<std::pair<Tag, std::vector<std::byte>>> take_blobs(
      std::uint64_t round) {
    return mailbox_.take_blobs(round);
  }
  // Discards all blobs that have arrived with a tag.round below `round`.
  void discard_blobs_before(std::uint64_t round) { mailbox_.drop_blobs_before(round); }

  [[nodiscard]] bool active() const { return executor_ != nullptr; }
  // Messages given to the transport that have not left yet; they advance only within advance().
  [[nodiscard]] const SendsInFlight& sends() const { return sends_; }

  // The transport's port_bytes().
  [[nodiscard]] std::optional<PortBytes> port_bytes() { return transport_.port_bytes(); }

  // Returns the connections lost since the last call.
  [[nodiscard]] std::vector<LostPeer> take_lost() { return peers_.take_lost(); }

 private:
  [[nodiscard]] Result<void> feed(std::span<const Received> messages);
  [[nodiscard]] Result<void> on_received(Received message);
  [[nodiscard]] Result<void> on_inquiry(const Received& message);
  // Sends a message that belongs to no round. Unavailable: the connection is lost already.
  [[nodiscard]] Result<std::uint64_t> send_aside(PeerId peer, const Tag& tag,
                                                 std::vector<std::byte> bytes);
  [[nodiscard]] Result<void> on_lost(const PeerLost& lost);

  Transport& transport_;
  WorkerId self_;
  // Number of the current round, or of the last one. Before the first round of a run there is none,
  // which compares as less than each number.
  std::optional<std::uint64_t> last_round_{};
  // Executor of the current round; null if none is active.
  std::shared_ptr<RoundExecutor> executor_;
  // Messages of the current or last round that were given to the transport, by recipient.
  std::map<WorkerId, std::uint32_t> sent_;
  std::optional<WorkerId> blamed_{};
  Peers peers_;
  SendsInFlight sends_;
  Mailbox mailbox_;
};

}  // namespace surety::fabric
