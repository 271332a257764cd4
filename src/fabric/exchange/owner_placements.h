// The owners of every placement (fabric/scheduler/block_owners.h), with the part of each block that
// they apply. A round names the placement whose owners take part in it, so the owners of old
// placements are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/result.h"
#include "fabric/exchange/options.h"
#include "proto/fabric.pb.h"

namespace surety::fabric {

// INVARIANT: placements follow one another without gaps, and the owners of each pass
// check_owners().
class OwnerPlacements {
 public:
  // The owners that the options name are those of kFirstPlacement. REQUIRES: check(options).
  explicit OwnerPlacements(const ExchangeOptions& options);

  // Adds the owners of the next placement. Corrupt: it is not the placement after the last one, or
  // the owners are not valid; nothing has changed.
  [[nodiscard]] Result<void> add(const proto::OwnersPlaced& placed);

  // Returns the owners of a placement; null if it is not known. O(log placements).
  [[nodiscard]] const std::vector<Share>* find(std::uint32_t placement) const;

 private:
  const ExchangeOptions options_;
  std::map<std::uint32_t, std::vector<Share>> owners_;  // Owners by placement.
};

// Reads the shares of workers in a message. Absent: workers and fractions differ in number, or
// there are more than `most`.
[[nodiscard]] std::optional<std::vector<Share>> shares_of(
    const google::protobuf::RepeatedField<std::uint32_t>& workers,
    const google::protobuf::RepeatedField<double>& fractions, std::size_t most);

}  // namespace surety::fabric
