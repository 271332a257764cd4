// What all hosts of an exchange must agree on, but for what the scheduler knows of their ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/result.h"
#include "fabric/core/quorum.h"
#include "fabric/core/shares.h"
#include "fabric/lanes/lanes.h"

namespace surety::proto {
class Step;
}  // namespace surety::proto

namespace surety::fabric {

struct ExchangeOptions {
  std::vector<HostId> hosts{};  // Ascending; all of them push and pull, sum and relay.
  HostId scheduler{};           // Of the hosts: decides what travels when.
  std::vector<Share> owners{};  // Of the hosts: who applies which part of each block, at first.
  std::uint64_t elements = 0;   // Of the model.
  std::uint32_t blocks = 1;
  QuorumOptions quorum{};
  std::uint64_t staleness_max = 0;  // As SchedulerOptions.
  Port nominal{};                   // Of every host, until a port is seen to be slower...
  std::map<HostId, Port> slow{};    // ...as these have been before.
};

// Names the first thing that is wrong; else nothing. For options that came over the wire.
[[nodiscard]] Result<void> check(const ExchangeOptions& options);

// What an exchange has shown to the one that scheduled it, for the next one.
struct KnownPorts {
  double typical_bytes_per_s = 1.25e8;  // Before the first, only ratios between ports matter.
  std::map<HostId, Port> slow{};
};

// Of an asynchronous step, on a model of so many elements: all members own equal parts, each sums
// and applies its own, and the first one schedules. ENSURES: check(). InvalidInput: as check()
// says.
[[nodiscard]] Result<ExchangeOptions> exchange_of(const proto::Step& order, std::uint64_t elements,
                                                  const KnownPorts& known);

// Within the model. REQUIRES: block < options.blocks.
[[nodiscard]] Slice block_of(const ExchangeOptions& options, std::uint32_t block);
// Who owns which elements of a block, a hub its slice of the model. REQUIRES: check_owners().
[[nodiscard]] std::vector<Lane> parts_of(const ExchangeOptions& options,
                                         const std::vector<Share>& owners, std::uint32_t block);
// As check(), of owners that are to follow.
[[nodiscard]] Result<void> check_owners(const ExchangeOptions& options,
                                        const std::vector<Share>& owners);

inline constexpr std::uint32_t kFirstEpoch = 1;  // Of the owners that the options name.

// Into how many blocks a model is cut: enough that newcomers join soon, few enough that what goes
// from one host to another in a round is worth a message.
[[nodiscard]] std::uint32_t blocks_for(std::uint64_t elements, std::size_t hosts);

}  // namespace surety::fabric
