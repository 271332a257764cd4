// A round that the scheduler has granted, with what the simulation knows of it besides.
#pragma once

#include <vector>

#include "fabric/scheduler/actions.h"

namespace surety::bench::sim {

struct GrantedRound {
  fabric::Grant grant{};
  // Updates in the order of members; empty for a pull.
  std::vector<fabric::UpdateId> updates{};
};

}  // namespace surety::bench::sim
