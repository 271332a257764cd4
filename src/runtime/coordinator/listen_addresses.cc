#include "runtime/coordinator/listen_addresses.h"

#include <chrono>

#include "base/posix/net/socket_address.h"

namespace surety::runtime {
namespace {

constexpr Duration kPortPatience = std::chrono::seconds(2);
// The next leader may be another machine, which cannot take over a Unix socket.
constexpr const char* kAnyPort = "127.0.0.1:0";

}  // namespace

std::vector<ListenAddress> listen_addresses(const ListenWish& wish) {
  std::vector<ListenAddress> addresses;
  if (wish.others_may_lead) {
    if (wish.last) addresses.push_back({.address = *wish.last});
    const std::string wanted = wish.wanted.value_or(kAnyPort);
    addresses.push_back({.address = wanted});
    addresses.push_back({.address = wanted.substr(0, wanted.rfind(':')) + ":0"});
    return addresses;
  }
  const bool is_unix = wish.last && wish.last->starts_with(posix::kUnixPrefix);
  if (wish.last && !(is_unix && wish.wanted)) {
    // Waiting does not repair a Unix socket's folder.
    addresses.push_back({.address = *wish.last,
                         .patience = is_unix ? Duration::zero() : kPortPatience,
                         .remaining_call_here = true});
  }
  addresses.push_back({.address = wish.wanted});
  return addresses;
}

bool remaining_find(const ListenWish& wish, const std::string& address) {
  return wish.others_may_lead || address == wish.last;
}

}  // namespace surety::runtime
