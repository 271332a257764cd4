// Ids that cannot be mixed up: a WorkerId is no ChunkId, and neither is a count.
#pragma once

#include <fmt/format.h>

#include <compare>
#include <cstdint>

namespace surety {

template <typename Tag>
struct Id {
  std::uint32_t value = 0;
  friend auto operator<=>(const Id&, const Id&) = default;
};

using WorkerId = Id<struct WorkerTag>;  // A worker process; given by the coordinator, never reused.
using ChunkId = Id<struct ChunkTag>;    // A piece of the training data; dense from 0.

}  // namespace surety

template <typename Tag>
struct fmt::formatter<surety::Id<Tag>> : fmt::formatter<std::uint32_t> {
  auto format(const surety::Id<Tag>& id, fmt::format_context& context) const {
    return fmt::formatter<std::uint32_t>::format(id.value, context);
  }
};
