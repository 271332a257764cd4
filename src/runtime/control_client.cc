#include "runtime/control_client.h"

#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>

#include <thread>

#include "base/units.h"
#include "proto/surety.grpc.pb.h"
#include "runtime/heartbeat.h"

namespace surety::runtime {
namespace {

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

class GrpcControlClient final : public ControlClient {
 public:
  GrpcControlClient(ControlClientOptions options, const std::shared_ptr<grpc::Channel>& channel)
      : options_(std::move(options)),
        stub_(proto::Coordinator::NewStub(channel)),
        stream_(stub_->Session(&context_)) {
    proto::FromWorker hello;
    *hello.mutable_hello() = options_.hello;
    send(std::move(hello));
    reader_ = std::thread([this] { read_all(); });
    heartbeat_.emplace([this](proto::FromWorker beat) { send(std::move(beat)); });
  }

  ~GrpcControlClient() override {
    heartbeat_.reset();
    context_.TryCancel();
    reader_.join();
  }

  Inbox<proto::ToWorker>& inbox() override { return inbox_; }

  void send(proto::FromWorker message) override {
    const std::lock_guard lock(write_mutex_);
    stream_->Write(message);  // A failure shows in read_all(), too.
  }

  [[nodiscard]] std::optional<std::string> ended() const override {
    const std::lock_guard lock(mutex_);
    return end_reason_;
  }

 private:
  void read_all() {
    proto::ToWorker command;
    while (stream_->Read(&command)) {
      inbox_.put(std::move(command));
      options_.wake();
    }
    {
      const std::lock_guard lock(mutex_);
      end_reason_ = "the coordinator ended the connection";
    }
    inbox_.close();
    options_.wake();
  }

  ControlClientOptions options_;
  grpc::ClientContext context_;
  std::unique_ptr<proto::Coordinator::Stub> stub_;
  std::unique_ptr<Stream> stream_;
  Inbox<proto::ToWorker> inbox_;
  std::mutex write_mutex_;    // One writer at a time.
  mutable std::mutex mutex_;  // end_reason_
  std::optional<std::string> end_reason_;
  std::thread reader_;
  std::optional<Heartbeat> heartbeat_;
};

}  // namespace

Result<std::unique_ptr<ControlClient>> connect_control(ControlClientOptions options,
                                                       Duration patience) {
  SURETY_TRY(const auto channel, open_channel(options.address, patience));
  return std::make_unique<GrpcControlClient>(std::move(options), channel);
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
