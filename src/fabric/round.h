// Runs rounds over a transport, one after another, and passes blobs beside them: the glue between a
// RoundExecutor, which knows what to send, and a Transport, which knows how.
//
// Workers do not start a round at the same moment: a message of a later round than ours is kept
// until we begin it; one of a round that we have left is dropped. Whoever sends so much ahead that
// it does not fit into `early_bytes_max` is cut off.
//
// There is no clock here: advance() is called in a loop, waits as long as it is told, and the
// caller looks at its own affairs (deadlines, orders) between two calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabric/executor.h"
#include "fabric/transport.h"

namespace surety::fabric {

struct RoundsOptions {
  std::uint64_t early_bytes_max = 1ull << 30;  // Of early messages and blobs not yet taken.
};

struct LostPeer {
  PeerId peer = 0;
  std::optional<WorkerId> worker;  // Where it is known who that was.
  std::string reason;
};

class Rounds {
 public:
  // `transport` must outlive this.
  Rounds(Transport& transport, WorkerId self, const RoundsOptions& options = {})
      : transport_(transport), self_(self), options_(options) {}

  // Begins a round; the one under way, if any, is abandoned. Ids grow from round to round and are
  // below 2^63; `peers` says over which connection each other member is reached.
  // Unavailable: a member's connection is lost. InvalidInput: the id does not grow, or a member has
  // no connection. After an error no round is under way.
  [[nodiscard]] Result<void> begin(std::uint64_t round, std::shared_ptr<RoundExecutor> executor,
                                   std::map<WorkerId, PeerId> peers);

  // Handles what has come, waiting up to `wait` if nothing has. True: no round is under way: it is
  // finished, and all that we send in it has left. False: call again.
  // Unavailable: a member was lost, named. Corrupt: a member sent nonsense, named. Either way the
  // round has been abandoned, and its values are as before.
  [[nodiscard]] Result<bool> advance(Duration wait);

  // As if made anew, for a worker of this name: what was being sent is cut off. Connections on
  // which nothing was being sent stay, as does what came for rounds and with blobs of higher
  // numbers than the last round's: others may have heard of our new name before us. Numbers go on
  // from there.
  void restart(WorkerId self);

  // Leaves the round under way. What is being sent goes on, from buffers that we keep alive.
  void abandon();

  // Sends bytes outside of rounds. `tag.round` is below 2^63, in a numbering apart from that of the
  // rounds; the sender is filled in.
  [[nodiscard]] Result<void> send_blob(PeerId peer, Tag tag, std::vector<std::byte> bytes);
  // The blob with this tag, once, if it has come.
  [[nodiscard]] std::optional<std::vector<std::byte>> take_blob(const Tag& tag);
  // All that have come with this tag.round and nobody has taken; by sender, then step.
  [[nodiscard]] std::vector<std::pair<Tag, std::vector<std::byte>>> take_blobs(std::uint64_t round);
  // Forgets blobs that came but will not be taken: those whose tag.round is below `round`.
  void discard_blobs_before(std::uint64_t round);

  [[nodiscard]] bool active() const { return executor_ != nullptr; }
  // Messages given to the transport that have not left; they move only within advance().
  [[nodiscard]] std::size_t sends_in_flight() const { return in_flight_.size(); }
  [[nodiscard]] std::size_t sends_in_flight(PeerId peer) const;
  // Of the round under way; empty without one.
  [[nodiscard]] std::vector<WorkerId> waiting_for() const;
  [[nodiscard]] std::uint64_t early_bytes() const { return early_bytes_; }

  // Of the transport.
  [[nodiscard]] std::optional<PortBytes> port_bytes() { return transport_.port_bytes(); }

  // Connections lost since the last call.
  [[nodiscard]] std::vector<LostPeer> take_lost();
  // Why messages were refused since the last call (the first 16), for the log.
  [[nodiscard]] std::vector<std::string> take_refusals();

 private:
  struct InFlight {
    PeerId peer = 0;
    bool of_round = false;              // Of the round under way.
    std::shared_ptr<const void> bytes;  // Keeps alive what is being sent.
  };

  [[nodiscard]] bool done() const;
  [[nodiscard]] Result<void> start(std::shared_ptr<RoundExecutor> executor);
  [[nodiscard]] Result<void> send_ready();
  [[nodiscard]] Result<void> handle(TransportEvent event);
  [[nodiscard]] Result<void> on_received(Received message);
  [[nodiscard]] Result<void> on_lost(const PeerLost& lost);
  [[nodiscard]] Result<void> give_to_executor(const Received& message);
  [[nodiscard]] Result<void> keep_early(Received message);
  [[nodiscard]] Result<void> cut_off(PeerId peer, const std::string& reason);
  [[nodiscard]] std::optional<WorkerId> worker_behind(PeerId peer) const;
  void forget_sends_to(PeerId peer);
  void drop_early_until(std::uint64_t round);
  void refuse(std::string reason);

  Transport& transport_;
  WorkerId self_;
  const RoundsOptions options_;

  std::uint64_t round_ = 0;  // Under way, or the last one.
  bool began_any_ = false;
  std::shared_ptr<RoundExecutor> executor_;  // Of the round under way; none without one.
  std::map<WorkerId, PeerId> peers_;         // Of the latest round.
  std::size_t round_sends_ = 0;              // In flight, of the round under way.

  std::map<std::uint64_t, InFlight> in_flight_;  // By ticket; sends add, Sent and PeerLost remove.
  std::map<PeerId, WorkerId> senders_;  // Who sends on a connection: its first message says so.
  std::map<PeerId, std::string> lost_peers_;  // All ever lost, with the reason; a few bytes each.
  std::map<std::uint64_t, std::vector<Received>> early_;  // Messages of later rounds, by round.
  std::map<Tag, std::vector<std::byte>> blobs_;           // Come and not yet taken.
  std::uint64_t early_bytes_ = 0;                         // In early_ and blobs_.
  std::vector<LostPeer> lost_;
  std::vector<std::string> refusals_;
};

}  // namespace surety::fabric
