// The links of the simulated network, and the load that a job puts on them.
#pragma once

#include <compare>
#include <cstdint>

namespace surety::sim {

// One direction of a link: of a host's port, or of what connects a rack to the core.
struct Link {
  enum class Kind : std::uint8_t { kOut, kIn, kRackOut, kRackIn };
  Kind kind = Kind::kOut;
  std::uint32_t index = 0;  // Index of the host or the rack.
  friend auto operator<=>(const Link&, const Link&) = default;
};
[[nodiscard]] constexpr bool is_of_rack(const Link& link) {
  return link.kind == Link::Kind::kRackOut || link.kind == Link::Kind::kRackIn;
}

struct LinkLoad {
  Link link;
  double per_byte = 0;  // Bytes on the link for each byte of the job's progress.
};

}  // namespace surety::sim
