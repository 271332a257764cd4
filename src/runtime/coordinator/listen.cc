#include "runtime/coordinator/listen.h"

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/posix/clock.h"
#include "base/posix/socket_address.h"

namespace surety::runtime {
namespace {

constexpr auto kPortPatience = std::chrono::seconds(2);
constexpr auto kPortInterval = std::chrono::milliseconds(100);

}  // namespace

Result<std::unique_ptr<ControlServer>> listen_again(const std::string& last_address,
                                                    ControlServerOptions options,
                                                    Inbox<ConnectionEvent>& inbox) {
  options.listen = last_address;
  const Time deadline = posix::now() + kPortPatience;
  while (true) {
    Result<std::unique_ptr<ControlServer>> served = serve_control(options, inbox);
    // Waiting does not repair a problem with the folder of a Unix socket.
    const bool may_change = !last_address.starts_with(posix::kUnixPrefix);
    if (served || !may_change || posix::now() >= deadline) return served;
    std::this_thread::sleep_for(kPortInterval);
  }
}

Result<std::unique_ptr<ControlServer>> listen_anywhere(
    const std::optional<std::string>& last_address, ControlServerOptions options,
    Inbox<ConnectionEvent>& inbox) {
  const std::string wanted = options.listen.value();
  std::vector<std::string> addresses{wanted, wanted.substr(0, wanted.rfind(':')) + ":0"};
  if (last_address) addresses.insert(addresses.begin(), *last_address);
  Result<std::unique_ptr<ControlServer>> served;
  for (const std::string& address : addresses) {
    options.listen = address;
    served = serve_control(options, inbox);
    if (served) break;
  }
  return served;
}

}  // namespace surety::runtime
