// Reads the scheduler's messages that begin rounds, and checks everything that a worker can check.
#pragma once

#include "base/result.h"
#include "fabric/exchange/options.h"
#include "fabric/exchange/owner_placements.h"
#include "fabric/exchange/round_work.h"
#include "proto/fabric.pb.h"

namespace surety::fabric {

// `newest`: the newest round that has begun at this worker; rounds begin in ascending order.
// Corrupt: no such round may begin now. O(members + workers).
[[nodiscard]] Result<RoundShape> shape_of(const proto::RoundGranted& granted,
                                          const ExchangeOptions& options,
                                          const OwnerPlacements& owners, RoundId newest);
[[nodiscard]] Result<RoundShape> shape_of(const proto::BlockMoved& moved,
                                          const ExchangeOptions& options,
                                          const OwnerPlacements& owners, RoundId newest);

}  // namespace surety::fabric
