// How far an update has come, as far as its author knows (exchange.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace surety::fabric {

using Ticket = std::uint64_t;  // Number of an update of one author, from 1.

enum class UpdateStage : std::uint8_t {
  kOffered,    // The scheduler knows of it; blocks wait for their rounds.
  kGranted,    // Every block is in a granted round or was dropped.
  kCommitted,  // It is in a model that its author has pulled.
  kDurable,    // All hosts have a model with it: it survives the loss of any host.
};

[[nodiscard]] inline const char* name_of(UpdateStage stage) {
  static constexpr const char* kNames[] = {"offered", "granted", "committed", "durable"};
  return kNames[static_cast<std::size_t>(stage)];
}

}  // namespace surety::fabric
