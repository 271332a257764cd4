// The control stream to a worker in this process: one queue in each direction. No worker can join
// from outside.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/control/control_channel.h"

namespace surety::runtime {

class LocalControl final : public ControlServer {
 public:
  // Events go to `events`. Both `events` and this object must outlive the worker's end of every
  // stream.
  explicit LocalControl(Inbox<ConnectionEvent>& events) : events_(events) {}

  // Returns a worker's end, which sends Hello; called from a thread of the worker. The thread of
  // the coordinator calls `wake`, as in ControlClientOptions, while that end lives.
  [[nodiscard]] std::unique_ptr<ControlClient> connect(const proto::Hello& hello,
                                                       std::function<void()> wake);

  void send(std::uint64_t connection, proto::ToWorker message) override;
  void close(std::uint64_t connection) override;
  // Ends every stream, also those that are opened from now on.
  void shut();

 private:
  class Client;
  struct Stream;  // State that both ends share.
  [[nodiscard]] std::shared_ptr<Stream> find(std::uint64_t connection);
  void lost(std::uint64_t connection);  // The worker's end was destroyed.

  Inbox<ConnectionEvent>& events_;
  std::mutex mutex_;                                          // Guards the members below.
  std::map<std::uint64_t, std::shared_ptr<Stream>> streams_;  // connect() adds, lost() removes.
  std::uint64_t last_id_ = 0;
  bool shut_ = false;
};

}  // namespace surety::runtime
