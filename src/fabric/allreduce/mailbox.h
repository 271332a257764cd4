// Messages that have arrived before they are needed: those of later rounds, and blobs, which belong
// to no round. Their memory is bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fabric/transport/transport.h"

namespace surety::fabric {

// INVARIANT: bytes() is the size of all kept messages and blobs, and at most bytes_max().
class Mailbox {
 public:
  explicit Mailbox(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

  // The memory of a message in addition to its payload, so that the number of empty messages is
  // also bounded.
  static constexpr std::uint64_t kOverhead = 128;

  // The payloads of all messages, and their overhead.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t bytes_max() const { return bytes_max_; }
  // Whether a message with this many bytes of payload can still be kept.
  [[nodiscard]] bool has_room_for(std::uint64_t payload) const {
    return payload <= bytes_max_ && bytes_ + kOverhead + payload <= bytes_max_;
  }

  // Keeps a message of a round. REQUIRES: has_room_for(its bytes).
  void add(Received message);
  // Removes the messages of this round, and returns them in the order of their arrival.
  [[nodiscard]] std::vector<Received> take_round(std::uint64_t round);
  // Drops the messages of all rounds below this one.
  void drop_rounds_before(std::uint64_t round);

  // Keeps a blob. Returns false if a blob with the same tag is already kept: then nothing has
  // changed. REQUIRES: has_room_for(its bytes).
  [[nodiscard]] bool add_blob(const Tag& tag, std::vector<std::byte> bytes);
  // Removes the blob with this tag, and returns it if it has arrived.
  [[nodiscard]] std::optional<std::vector<std::byte>> take_blob(const Tag& tag);
  // The same for all blobs with this tag.round, by sender, then step.
  [[nodiscard]] std::vector<std::pair<Tag, std::vector<std::byte>>> take_blobs(std::uint64_t round);
  // Drops all blobs with a tag.round below this one.
  void drop_blobs_before(std::uint64_t round);

 private:
  const std::uint64_t bytes_max_;
  std::map<std::uint64_t, std::vector<Received>> messages_;  // Messages by round.
  std::map<Tag, std::vector<std::byte>> blobs_;
  std::uint64_t bytes_ = 0;
};

}  // namespace surety::fabric
