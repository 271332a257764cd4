#include "base/posix/net/interface.h"

#include <ifaddrs.h>
#include <linux/if_link.h>
#include <sys/socket.h>

#include <cstring>
#include <memory>

namespace surety::posix {

Result<InterfaceReader> InterfaceReader::of(const std::string& name) {
  InterfaceReader reader(name);
  if (!reader.read_counters())
    return fail(ErrorCode::kInvalidInput, "found no network interface '{}' on this machine", name);
  reader.bytes_ = {};
  return reader;
}

InterfaceBytes InterfaceReader::read() {
  read_counters();
  return bytes_;
}

bool InterfaceReader::read_counters() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return false;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(first, ::freeifaddrs);
  for (const ifaddrs* at = first; at != nullptr; at = at->ifa_next) {
    const bool counts = at->ifa_addr != nullptr && at->ifa_addr->sa_family == AF_PACKET &&
                        at->ifa_data != nullptr && name_ == at->ifa_name;
    if (!counts) continue;
    rtnl_link_stats stats{};
    std::memcpy(&stats, at->ifa_data, sizeof(stats));
    bytes_.out += stats.tx_bytes - out_;
    bytes_.in += stats.rx_bytes - in_;
    out_ = stats.tx_bytes;
    in_ = stats.rx_bytes;
    return true;
  }
  return false;
}

}  // namespace surety::posix
