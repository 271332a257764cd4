// Options on which all workers of an exchange must agree, except those about ports, which only the
// scheduler uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "fabric/lanes/lanes.h"
#include "fabric/network/port.h"
#include "fabric/network/shares.h"
#include "fabric/scheduler/quorum.h"

namespace surety::fabric {

struct ExchangeOptions {
  std::vector<WorkerId> workers{};  // Ascending; all of them push, pull, sum and relay.
  WorkerId scheduler{};             // One of the workers; it decides what is sent when.
  // The first owners, among the workers, with the part of each block that they apply.
  std::vector<Share> owners{};
  std::uint64_t elements = 0;  // Length of the model.
  std::uint32_t blocks = 1;
  QuorumOptions quorum{};
  std::optional<std::uint64_t> staleness_max{};  // Bound in versions; none means no bound.
  Port nominal{};                                // The assumed rates of every port.
  WorkerPorts slow_ports{};                      // Ports that earlier exchanges have found slower.
};

// Checks options that were received over the wire. InvalidInput describes the first fault.
[[nodiscard]] Result<void> check(const ExchangeOptions& options);

// The scheduler's knowledge about ports from an exchange, for the next exchange.
struct KnownPorts {
  // Before the first exchange the value is arbitrary: only ratios between ports matter.
  double typical_bytes_per_s = 1.25e8;
  WorkerPorts slow_ports{};
};

[[nodiscard]] bool is_worker(const ExchangeOptions& options, WorkerId worker);

// The block's slice of the model. REQUIRES: block < options.blocks.
[[nodiscard]] Slice block_of(const ExchangeOptions& options, std::uint32_t block);
// The parts of a block: each lane has an owner as its hub, and that owner's slice of the model.
// REQUIRES: check_owners().
[[nodiscard]] std::vector<Lane> parts_of(const ExchangeOptions& options,
                                         const std::vector<Share>& owners, std::uint32_t block);
// Checks owners in the same way as check(), including owners that are chosen later.
[[nodiscard]] Result<void> check_owners(const ExchangeOptions& options,
                                        const std::vector<Share>& owners);

// The number of the placement of the owners that the options name.
inline constexpr std::uint32_t kFirstPlacement = 1;

// The number of blocks of a model. It is so large that a new update or pull joins a round soon, and
// so small that a round's data from one worker to another are worth a message.
[[nodiscard]] std::uint32_t blocks_for(std::uint64_t elements, std::size_t workers);

}  // namespace surety::fabric
