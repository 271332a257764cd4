#include "worker/operations/network.h"

namespace surety::worker {

std::optional<std::uint64_t> sequence_of(const NetworkEvent& event) {
  return std::visit(
      [](const auto& of_kind) -> std::optional<std::uint64_t> {
        if constexpr (requires { of_kind.sequence; }) {
          return of_kind.sequence;
        } else {
          return std::nullopt;
        }
      },
      event);
}

}  // namespace surety::worker
