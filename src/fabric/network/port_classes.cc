#include "fabric/network/port_classes.h"

#include <cstdint>
#include <vector>

namespace surety::fabric {

void follow_ports(BlockRotation& rotation, const Cluster& cluster, PortSide side) {
  std::vector<ItemId> items;
  for (std::uint32_t c = 0; c < cluster.classes(); ++c) {
    const auto some = rotation.items(c);
    items.insert(items.end(), some.begin(), some.end());
  }
  for (const ItemId id : items) {
    const BlockRotation::Item& item = rotation.item(id);
    if (item.in_round) continue;
    rotation.set_class(id, cluster.speed_class(item.worker, side));
  }
}

}  // namespace surety::fabric
