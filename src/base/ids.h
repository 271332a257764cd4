// Ids that cannot be confused: a WorkerId is not a ChunkId, and neither is a count.
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

// A worker process; assigned by the coordinator, never reused.
using WorkerId = Id<struct WorkerTag>;
using ChunkId = Id<struct ChunkTag>;  // A piece of the training data; dense from 0.

}  // namespace surety

// Prints an id as its number. There are no format options.
template <typename Tag>
struct fmt::formatter<surety::Id<Tag>> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  auto format(const surety::Id<Tag>& id, fmt::format_context& context) const {
    return fmt::format_to(context.out(), "{}", id.value);
  }
};
