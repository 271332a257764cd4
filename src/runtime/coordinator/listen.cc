#include "runtime/coordinator/listen.h"

#include <chrono>
#include <thread>

#include "base/posix/clock.h"

namespace surety::runtime {
namespace {

constexpr auto kPortInterval = std::chrono::milliseconds(100);

}  // namespace

Result<std::unique_ptr<ListeningServer>> listen_at(const ListenAddress& address,
                                                   const ControlServerOptions& options,
                                                   Inbox<ConnectionEvent>& inbox) {
  const Time deadline = posix::now() + address.patience;
  while (true) {
    Result<std::unique_ptr<ListeningServer>> served =
        serve_control(address.address, options, inbox);
    if (served || posix::now() >= deadline) return served;
    std::this_thread::sleep_for(kPortInterval);
  }
}

}  // namespace surety::runtime
