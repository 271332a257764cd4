// Keeps the items of a rotation in the speed classes of their workers' ports.
#pragma once

#include "fabric/network/block_rotation.h"
#include "fabric/network/cluster.h"

namespace surety::fabric {

// Moves each item to the class that the port of its worker has now, unless it is in a round.
// O(items of all classes).
void follow_ports(BlockRotation& rotation, const Cluster& cluster, PortSide side);

}  // namespace surety::fabric
