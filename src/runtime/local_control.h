// The control stream to a worker in this process: a queue each way and nothing between them. Nobody
// from outside can join.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/control_channel.h"

namespace surety::runtime {

class LocalControl final : public ControlServer {
 public:
  // Events go to `events`. It and this must outlive every worker's end.
  explicit LocalControl(Inbox<ConnectionEvent>& events) : events_(events) {}

  // A worker's end, which says hello; from the worker's thread. `wake` is called by the
  // coordinator's thread, as in ControlClientOptions, while that end lives.
  [[nodiscard]] std::unique_ptr<ControlClient> connect(const proto::Hello& hello,
                                                       std::function<void()> wake);

  [[nodiscard]] const std::string& address() const override { return address_; }
  void send(std::uint64_t connection, proto::ToWorker message) override;
  void close(std::uint64_t connection) override;
  // Ends every stream, and whatever is opened from now on.
  void shut();

 private:
  class Client;
  struct Stream;  // What both ends share.
  [[nodiscard]] std::shared_ptr<Stream> find(std::uint64_t connection);
  void lost(std::uint64_t connection);  // The worker's end is gone.

  const std::string address_;
  Inbox<ConnectionEvent>& events_;
  std::mutex mutex_;                                          // Of the rest.
  std::map<std::uint64_t, std::shared_ptr<Stream>> streams_;  // connect() adds, lost() removes.
  std::uint64_t last_id_ = 0;
  bool shut_ = false;
};

}  // namespace surety::runtime
