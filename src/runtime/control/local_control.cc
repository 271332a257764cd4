#include "runtime/control/local_control.h"

#include "runtime/control/heartbeat.h"

namespace surety::runtime {

struct LocalControl::Stream {
  Inbox<proto::ToWorker> commands;
  std::mutex mutex;            // Guards the members below.
  std::function<void()> wake;  // Empty once the worker's end is destroyed.
  std::optional<Error> end_reason;

  void wake_worker() {
    const std::lock_guard lock(mutex);
    if (wake) wake();
  }

  void end() {
    {
      const std::lock_guard lock(mutex);
      end_reason = {ErrorCode::kUnavailable, "the coordinator ended the connection"};
    }
    commands.close();
    wake_worker();
  }
};

class LocalControl::Client final : public ControlClient {
 public:
  Client(LocalControl& control, std::uint64_t connection, std::shared_ptr<Stream> stream)
      : control_(control), connection_(connection), stream_(std::move(stream)) {
    heartbeat_.emplace([this](proto::FromWorker beat) { send(std::move(beat)); });
  }

  ~Client() override {
    heartbeat_.reset();
    {
      const std::lock_guard lock(stream_->mutex);
      stream_->wake = nullptr;
    }
    control_.lost(connection_);
  }

  Inbox<proto::ToWorker>& inbox() override { return stream_->commands; }
  void send(proto::FromWorker message) override {
    control_.events_.put(ConnectionMessage{connection_, std::move(message)});
  }
  [[nodiscard]] std::optional<Error> ended() const override {
    const std::lock_guard lock(stream_->mutex);
    return stream_->end_reason;
  }

 private:
  LocalControl& control_;
  const std::uint64_t connection_;
  const std::shared_ptr<Stream> stream_;
  std::optional<Heartbeat> heartbeat_;
};

std::unique_ptr<ControlClient> LocalControl::connect(const proto::Hello& hello,
                                                     std::function<void()> wake) {
  const auto stream = std::make_shared<Stream>();
  stream->wake = std::move(wake);
  std::uint64_t connection = 0;
  {
    const std::lock_guard lock(mutex_);
    connection = ++last_id_;
    streams_[connection] = stream;
    if (shut_) stream->end();
  }
  events_.put(ConnectionOpened{connection, hello});
  return std::make_unique<Client>(*this, connection, stream);
}

void LocalControl::send(std::uint64_t connection, proto::ToWorker message) {
  const auto stream = find(connection);
  if (!stream) return;
  stream->commands.put(std::move(message));
  stream->wake_worker();
}

void LocalControl::close(std::uint64_t connection) {
  const auto stream = find(connection);
  if (stream) stream->end();
}

void LocalControl::shut() {
  const std::lock_guard lock(mutex_);
  shut_ = true;
  for (const auto& [connection, stream] : streams_) stream->end();
}

std::shared_ptr<LocalControl::Stream> LocalControl::find(std::uint64_t connection) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(connection);
  return found == streams_.end() ? nullptr : found->second;
}

void LocalControl::lost(std::uint64_t connection) {
  {
    const std::lock_guard lock(mutex_);
    streams_.erase(connection);
  }
  events_.put(ConnectionClosed{connection, "connection lost"});
}

}  // namespace surety::runtime
