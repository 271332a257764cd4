// How far an update has come, as its author knows (exchange.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace surety::fabric {

using Ticket = std::uint64_t;  // Of an update of one author, from 1.

enum class UpdateStage : std::uint8_t {
  kOffered,    // The scheduler hears of it: blocks wait for their turn.
  kGranted,    // Every block is on its way, or was dropped.
  kCommitted,  // It is in a model that its author has pulled.
  kDurable,    // All hosts have a model with it: whoever is lost, it stays.
};

[[nodiscard]] inline const char* name_of(UpdateStage stage) {
  static constexpr const char* kNames[] = {"offered", "granted", "committed", "durable"};
  return kNames[static_cast<std::size_t>(stage)];
}

}  // namespace surety::fabric
