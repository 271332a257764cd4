#include "runtime/control_client.h"

#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <thread>

#include "base/units.h"
#include "proto/surety.grpc.pb.h"

namespace surety::runtime {
namespace {

// The coordinator suspects who is silent for some seconds (elastic::LivenessOptions); four beats a
// second leave it a history to judge by, and cost a few hundred bytes a second.
constexpr auto kHeartbeat = std::chrono::milliseconds(250);

using Stream = grpc::ClientReaderWriter<proto::FromWorker, proto::ToWorker>;

Result<std::shared_ptr<grpc::Channel>> open_channel(const std::string& address, Duration patience) {
  gpr_set_log_function([](gpr_log_func_args*) {});  // Failures are ours to report.
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(64 << 20);
  auto channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  const auto deadline = std::chrono::system_clock::now() +
                        std::chrono::duration_cast<std::chrono::system_clock::duration>(patience);
  if (!channel->WaitForConnected(deadline)) {
    return fail(ErrorCode::kUnavailable, "no coordinator answers at {} within {}", address,
                format_duration(patience));
  }
  return channel;
}

}  // namespace

struct ControlClient::Impl {
  explicit Impl(ControlClientOptions o) : options(std::move(o)) {}

  void read_all() {
    proto::ToWorker command;
    while (stream->Read(&command)) {
      inbox.put(std::move(command));
      options.wake();
    }
    {
      const std::lock_guard lock(mutex);
      end_reason = "the coordinator ended the connection";
    }
    inbox.close();
    options.wake();
  }

  void beat() {
    proto::FromWorker heartbeat;
    heartbeat.mutable_heartbeat();
    std::unique_lock lock(mutex);
    while (!stop.wait_for(lock, kHeartbeat, [&] { return stopping; })) {
      lock.unlock();
      write(heartbeat);
      lock.lock();
    }
  }

  void write(const proto::FromWorker& message) {
    const std::lock_guard lock(write_mutex);
    stream->Write(message);  // A failure shows in read_all(), too.
  }

  ControlClientOptions options;
  grpc::ClientContext context;
  std::unique_ptr<proto::Coordinator::Stub> stub;
  std::unique_ptr<Stream> stream;
  Inbox<proto::ToWorker> inbox;
  std::thread reader, heart;
  std::mutex write_mutex;  // One writer at a time.
  std::mutex mutex;        // stopping, end_reason
  std::condition_variable stop;
  bool stopping = false;
  std::optional<std::string> end_reason;
};

Result<std::unique_ptr<ControlClient>> ControlClient::connect(ControlClientOptions options,
                                                              Duration patience) {
  SURETY_TRY(const auto channel, open_channel(options.address, patience));
  auto impl = std::make_unique<Impl>(std::move(options));
  impl->stub = proto::Coordinator::NewStub(channel);
  impl->stream = impl->stub->Session(&impl->context);
  proto::FromWorker hello;
  *hello.mutable_hello() = impl->options.hello;
  impl->write(hello);
  Impl* const raw = impl.get();
  impl->reader = std::thread([raw] { raw->read_all(); });
  impl->heart = std::thread([raw] { raw->beat(); });
  return std::unique_ptr<ControlClient>(new ControlClient(std::move(impl)));
}

ControlClient::ControlClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

ControlClient::~ControlClient() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
  }
  impl_->stop.notify_all();
  impl_->heart.join();
  impl_->context.TryCancel();
  impl_->reader.join();
}

Inbox<proto::ToWorker>& ControlClient::inbox() { return impl_->inbox; }
void ControlClient::send(const proto::FromWorker& message) { impl_->write(message); }

std::optional<std::string> ControlClient::ended() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->end_reason;
}

Result<proto::JobDescription> describe_job(const std::string& address,
                                           const proto::DescribeRequest& worker,
                                           Duration patience) {
  SURETY_TRY(const auto channel, open_channel(address, patience));
  const auto stub = proto::Coordinator::NewStub(channel);
  grpc::ClientContext context;
  proto::JobDescription description;
  const grpc::Status status = stub->Describe(&context, worker, &description);
  if (status.ok()) return description;
  const bool refused = status.error_code() == grpc::StatusCode::PERMISSION_DENIED ||
                       status.error_code() == grpc::StatusCode::INVALID_ARGUMENT;
  return fail(refused ? ErrorCode::kInvalidInput : ErrorCode::kUnavailable, "{}: {}", address,
              status.error_message());
}

}  // namespace surety::runtime
