#include "runtime/control/control_client.h"

#include <grpc/support/log.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <thread>

#include "base/posix/clock.h"
#include "base/posix/net/route.h"
#include "base/posix/net/socket_address.h"
#include "base/posix/start_threads.h"
#include "base/units.h"
#include "proto/surety.grpc.pb.h"
#include "runtime/control/credentials.h"
#include "runtime/control/heartbeat.h"

namespace surety::runtime {
namespace {

using ClientStream = grpc::ClientReaderWriter<proto::FromWorker, proto::ToWorker>;

// A coordinator that does not answer is called again after 0.1 s, then at growing intervals of at
// most one second. A call that nobody answers (a cut network) is abandoned after two seconds.
constexpr int kCallAgainMs = 100;
constexpr int kCallAgainMaxMs = 1000;
constexpr int kUnansweredMs = 2000;
// A stream without incoming data is probed after 10 s and considered broken after 10 s more: a cut
// network closes no connection.
constexpr int kKeepaliveMs = 10'000;

bool is_refusal(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::PERMISSION_DENIED ||
         status.error_code() == grpc::StatusCode::INVALID_ARGUMENT;
}

std::chrono::system_clock::time_point system_time_in(Duration duration) {
  return std::chrono::system_clock::now() +
         std::chrono::duration_cast<std::chrono::system_clock::duration>(duration);
}

using ChannelOrError = Result<std::shared_ptr<grpc::Channel>>;

tl::unexpected<Error> nobody_answers(const std::string& address, Duration patience) {
  const char* const advice = address.starts_with(posix::kUnixPrefix)
                                 ? ""
                                 : "; is it running, and does its job name this address in "
                                   "cluster.listen?";
  return fail(ErrorCode::kUnavailable, "no coordinator answers at {} within {}{}", address,
              format_duration(patience), advice);
}

// We connect ourselves, because gRPC does not check to which user the other process belongs.
ChannelOrError open_unix(const std::string& address, const grpc::ChannelArguments& arguments,
                         Duration patience) {
  const Time deadline = posix::now() + patience;
  while (true) {
    Result<posix::Fd> socket = posix::connect_unix(address);
    if (socket) {
      return grpc::CreateCustomInsecureChannelFromFd(address, socket->release(), arguments);
    }
    if (socket.error().code == ErrorCode::kInvalidInput) return tl::unexpected(socket.error());
    if (posix::now() >= deadline) return nobody_answers(address, patience);
    std::this_thread::sleep_for(std::chrono::milliseconds(kCallAgainMs));
  }
}

// Whether the last attempt to connect failed because the other program has not proved that it has
// the token. gRPC reports this only in the error of a call.
bool has_failed_to_prove(const std::shared_ptr<grpc::Channel>& channel,
                         std::chrono::system_clock::time_point deadline) {
  grpc::ClientContext context;
  context.set_deadline(deadline);
  proto::JobDescription nothing;
  const grpc::Status status =
      proto::Coordinator::NewStub(channel)->Describe(&context, {}, &nothing);
  return status.error_message().find("SSL_ERROR_SSL") != std::string::npos;
}

// Unavailable: no program answers in time. InvalidInput: the program that answers has another
// token.
ChannelOrError open_network(const std::string& address, const WorkerKeys& keys,
                            grpc::ChannelArguments arguments, Duration patience) {
  const auto credentials = worker_credentials(keys, arguments);
  const auto channel = grpc::CreateCustomChannel(address, credentials, arguments);
  const auto deadline = system_time_in(patience);
  for (auto state = channel->GetState(true); state != GRPC_CHANNEL_READY;
       state = channel->GetState(true)) {
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE && has_failed_to_prove(channel, deadline)) {
      return fail(ErrorCode::kInvalidInput,
                  "the program that answers at {} does not have this token; expected the "
                  "coordinator of the run that the token or the invitation is from: check the "
                  "address and the file",
                  address);
    }
    if (!channel->WaitForStateChange(state, deadline)) return nobody_answers(address, patience);
  }
  return channel;
}

ChannelOrError open_channel(const std::string& address, const std::string& token,
                            const std::optional<WorkerKeys>& keys, Duration patience) {
  gpr_set_log_function([](gpr_log_func_args*) {});  // We report failures ourselves.
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kControlMessageBytesMax);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kCallAgainMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kCallAgainMaxMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kUnansweredMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveMs);
  // Otherwise a new channel would inherit the growing retry interval of the last one to this
  // address.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  if (address.starts_with(posix::kUnixPrefix)) return open_unix(address, arguments, patience);
  return open_network(address, keys ? *keys : worker_keys(token), std::move(arguments), patience);
}

class GrpcControlClient final : public ControlClient {
 public:
  GrpcControlClient(ControlClientOptions options, const std::shared_ptr<grpc::Channel>& channel)
      : options_(std::move(options)),
        stub_(proto::Coordinator::NewStub(channel)),
        stream_(stub_->Session(&context_)) {}

  ~GrpcControlClient() override {
    context_.TryCancel();  // Ends a heartbeat that the coordinator does not receive.
    heartbeat_.reset();
    if (reader_.joinable()) {
      reader_.join();
    } else {
      read_all();  // start() has failed, so no thread has finished the stream.
    }
  }

  // Sends Hello. Unavailable if the system has no thread left; then the client is of no use.
  Result<void> start() {
    proto::FromWorker hello;
    *hello.mutable_hello() = options_.hello;
    send(std::move(hello));
    return posix::start_threads("for the connection to the coordinator", [&] {
      reader_ = std::thread([this] { read_all(); });
      heartbeat_.emplace([this](proto::FromWorker beat) { send(std::move(beat)); });
    });
  }

  Inbox<proto::ToWorker>& inbox() override { return inbox_; }

  void send(proto::FromWorker message) override {
    const std::lock_guard lock(write_mutex_);
    if (!is_finished_) stream_->Write(message);  // read_all() reports a failure, too.
  }

  [[nodiscard]] std::optional<Error> ended() const override {
    const std::lock_guard lock(mutex_);
    return end_reason_;
  }

  void hang_up() override { context_.TryCancel(); }

 private:
  void read_all() {
    proto::ToWorker command;
    while (stream_->Read(&command)) {
      inbox_.put(std::move(command));
      options_.wake();
    }
    Error reason = why_ended();
    {
      const std::lock_guard lock(mutex_);
      end_reason_ = std::move(reason);
    }
    inbox_.close();
    options_.wake();
  }

  Error why_ended() {
    const std::lock_guard lock(write_mutex_);
    is_finished_ = true;
    const grpc::Status status = stream_->Finish();
    if (is_refusal(status)) return {ErrorCode::kInvalidInput, status.error_message()};
    return {ErrorCode::kUnavailable, "the coordinator ended the connection"};
  }

  ControlClientOptions options_;
  grpc::ClientContext context_;
  std::unique_ptr<proto::Coordinator::Stub> stub_;
  std::unique_ptr<ClientStream> stream_;
  Inbox<proto::ToWorker> inbox_;
  std::mutex write_mutex_;  // One thread writes at a time, and none writes after Finish().
  bool is_finished_ = false;
  mutable std::mutex mutex_;  // Guards end_reason_.
  std::optional<Error> end_reason_;
  std::thread reader_;
  std::optional<Heartbeat> heartbeat_;
};

}  // namespace

Result<std::unique_ptr<ControlClient>> connect_control(ControlClientOptions options,
                                                       Duration patience) {
  auto channel = open_channel(options.address, options.hello.token(), options.keys, patience);
  // A worker that waits for its coordinator must not end because another program uses the port.
  if (!channel) return fail(ErrorCode::kUnavailable, "{}", channel.error().message);
  auto client = std::make_unique<GrpcControlClient>(std::move(options), *channel);
  SURETY_TRY(client->start());
  return client;
}

namespace {

Result<proto::JobDescription> request_description(const std::string& address,
                                                  const proto::DescribeRequest& worker,
                                                  const std::optional<WorkerKeys>& keys,
                                                  Duration patience) {
  SURETY_TRY(const auto channel, open_channel(address, worker.token(), keys, patience));
  const auto stub = proto::Coordinator::NewStub(channel);
  grpc::ClientContext context;
  constexpr Duration kAnswerTakes = std::chrono::milliseconds(kUnansweredMs);
  context.set_deadline(system_time_in(std::max(patience, kAnswerTakes)));
  proto::JobDescription description;
  const grpc::Status status = stub->Describe(&context, worker, &description);
  if (status.ok()) return description;
  return fail(is_refusal(status) ? ErrorCode::kInvalidInput : ErrorCode::kUnavailable, "{}: {}",
              address, status.error_message());
}

}  // namespace

// Asks again after a failure, because a coordinator may be lost while it answers, and the next
// coordinator may start soon.
Result<proto::JobDescription> describe_job(const std::string& address,
                                           const proto::DescribeRequest& worker, Duration patience,
                                           const std::optional<WorkerKeys>& keys) {
  const Time deadline = posix::now() + patience;
  while (true) {
    const Duration left = std::max(Duration::zero(), deadline - posix::now());
    Result<proto::JobDescription> description = request_description(address, worker, keys, left);
    const bool may_come = !description && description.error().code == ErrorCode::kUnavailable;
    if (!may_come || posix::now() >= deadline) return description;
    std::this_thread::sleep_for(std::chrono::milliseconds(kCallAgainMs));
  }
}

}  // namespace surety::runtime
