// Blobs between simulated workers (worker/operations/network.h). A blob arrives as a whole when its
// transfer is done. The mailbox of production keeps it until it is taken, once, or discarded. If
// the recipient ends before the arrival, or a cut lasts too long, the sender loses its connection
// to the recipient.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "fabric/allreduce/mailbox.h"
#include "fabric/transport/transport.h"
#include "sim/network/network.h"
#include "sim/process/lifecycle.h"

namespace surety::sim {

class Blobs {
 public:
  using Bytes = std::vector<std::byte>;
  struct Peers {
    // The worker's machine; Unavailable if it cannot be reached.
    std::function<Result<HostIndex>(WorkerId)> find;
    // Delivers the blob to the worker. Returns false if the worker's process does not run any more.
    std::function<bool(WorkerId, const fabric::Tag&, const Bytes&)> deliver;
  };
  struct Owner {
    std::function<void()> on_blob;
    std::function<void(const fabric::Tag&, WorkerId to)> on_sent;
    std::function<void(const fabric::Tag&, WorkerId to)> on_lost;
  };
  // `host`: the machine of the process. The references must outlive this.
  Blobs(EventQueue& queue, Network& network, Lifecycle& lifecycle, HostIndex host, Peers peers,
        Owner owner);

  // Sends the bytes and then `zeros` zero bytes. The errors are those of Peers::find.
  [[nodiscard]] Result<void> send(WorkerId to, const fabric::Tag& tag, Bytes bytes,
                                  std::uint64_t zeros);
  // A blob has arrived at this process.
  void arrive(const fabric::Tag& tag, const Bytes& bytes);
  [[nodiscard]] std::optional<Bytes> take(const fabric::Tag& tag) {
    return mailbox_.take_blob(tag);
  }
  void discard_before(std::uint64_t round) { mailbox_.drop_blobs_before(round); }

 private:
  void end_transfer(WorkerId to, const fabric::Tag& tag, const Bytes& bytes, bool has_arrived);

  EventQueue& queue_;
  Network& network_;
  Lifecycle& lifecycle_;
  const HostIndex host_;
  Peers peers_;
  Owner owner_;
  fabric::Mailbox mailbox_{std::numeric_limits<std::uint64_t>::max()};
};

}  // namespace surety::sim
