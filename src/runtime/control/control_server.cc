#include "runtime/control/control_server.h"

#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "base/check.h"
#include "base/crypto/equal.h"
#include "base/posix/clock.h"
#include "base/posix/limits.h"
#include "base/posix/net/route.h"
#include "base/posix/net/socket_address.h"
#include "base/posix/net/socket_place.h"
#include "base/posix/start_threads.h"
#include "proto/surety.grpc.pb.h"
#include "runtime/control/call_deadlines.h"
#include "runtime/control/credentials.h"

namespace surety::runtime {
namespace {

// Workers probe the stream (control_client.cc); more frequent probes would be abuse.
constexpr int kKeepaliveMinMs = 1000;

// How long to try to connect to a new worker.
constexpr auto kReachPatience = std::chrono::seconds(2);
// A connection without calls is closed after this time.
constexpr int kIdleMs = 10'000;
// A worker makes one call at a time; this allows for calls that end late.
constexpr int kCallsPerConnectionMax = 4;
// How often the invitation of a connected worker is checked.
constexpr Duration kInvitationChecked = std::chrono::seconds(1);
constexpr const char* kWithdrawn =
    "the invitation of this worker is not valid: it was withdrawn, was replaced by a newer one, or "
    "has expired";

using ServerStream = grpc::ServerReaderWriter<proto::ToWorker, proto::FromWorker>;

tl::unexpected<Error> cannot_listen(const std::string& address) {
  return fail(
      ErrorCode::kInvalidInput,
      "cannot listen on {}: the port is in use, this user may not use it, or the address is "
      "none of this machine; for a new run, choose another one with --set cluster.listen=HOST:PORT "
      "(port 0 takes any free one); a resumed run keeps its address, so free the port",
      address);
}

// Starts to listen; returns null if that is not possible.
std::unique_ptr<grpc::Server> listen_on(const std::string& address,
                                        const std::shared_ptr<grpc::ServerCredentials>& credentials,
                                        Duration handshake_takes, grpc::Service& service,
                                        int& port) {
  // We report failures ourselves.
  gpr_set_log_function([](gpr_log_func_args*) {});
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(kControlMessageBytesMax);
  // Without this a second coordinator could listen on the same port and take half of the workers.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kKeepaliveMinMs);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             static_cast<int>(1e3 * to_seconds(handshake_takes)));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, kIdleMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kCallsPerConnectionMax);
  builder.AddListeningPort(address, credentials, &port);
  builder.RegisterService(&service);
  return builder.BuildAndStart();
}

struct Outgoing {
  std::optional<proto::ToWorker> message;  // No message means: close the stream.
};

struct Connection {
  grpc::ServerContext* context = nullptr;
  std::atomic<bool> ends_with_status = false;  // The worker shall receive the status of the call.
  Inbox<Outgoing> outbox;
};

// Handles the calls of workers.
struct Sessions final : proto::Coordinator::Service {
  Sessions(ControlServerOptions o, Inbox<ConnectionEvent>& i) : options(std::move(o)), inbox(i) {}

  grpc::Status Describe(grpc::ServerContext* context, const proto::DescribeRequest* request,
                        proto::JobDescription* reply) override {
    if (const auto status = authorise(invited_caller(*context), request->token()); !status.ok()) {
      return status;
    }
    if (const auto checked = protocol::check_node_type(options.rules, request->node_type());
        !checked) {
      return refusal(checked.error());
    }
    *reply = options.job;
    return grpc::Status::OK;
  }

  grpc::Status Session(grpc::ServerContext* context, ServerStream* stream) override {
    proto::FromWorker first;
    deadlines.set(*context, posix::now() + options.greeting_takes);
    const bool has_greeted = stream->Read(&first) && first.has_hello();
    deadlines.remove(*context);
    if (!has_greeted) {
      return {grpc::StatusCode::INVALID_ARGUMENT, "the first message of a worker must be Hello"};
    }
    const std::optional<InvitedCaller> invited = invited_caller(*context);
    if (const auto status = authorise(invited, first.hello().token()); !status.ok()) return status;
    if (const auto checked = protocol::check_hello(options.rules, first.hello()); !checked) {
      return refusal(checked.error());
    }
    if (const auto reached = reach_back(first.hello(), context->peer()); !reached) {
      return refusal(reached.error());
    }
    const auto connection = std::make_shared<Connection>();
    connection->context = context;
    // The writer comes first: after the connection is known, nothing may end this call early.
    std::thread writer;
    const auto started = posix::start_threads("for one more worker", [&] {
      writer = std::thread([&] { write_all(*connection, *stream); });
    });
    if (!started) {
      return {grpc::StatusCode::UNAVAILABLE,
              fmt::format("on the coordinator's machine, {}", started.error().message)};
    }
    const std::uint64_t id = add(connection);
    inbox.put(ConnectionOpened{id, first.hello(),
                               invited ? std::optional(invited->worker) : std::nullopt});
    const bool is_withdrawn = !read_all(id, invited, *stream);
    remove(id);
    if (is_withdrawn) {
      connection->ends_with_status = true;
      deadlines.set(*context, posix::now() + options.close_takes);
    }
    connection->outbox.put({});
    writer.join();
    deadlines.remove(*context);
    inbox.put(ConnectionClosed{id, is_withdrawn ? kWithdrawn : "connection lost"});
    return is_withdrawn ? grpc::Status(grpc::StatusCode::PERMISSION_DENIED, kWithdrawn)
                        : grpc::Status::OK;
  }

  // Returns false if the worker's invitation was withdrawn meanwhile. A worker sends a heartbeat
  // several times a second.
  bool read_all(std::uint64_t id, const std::optional<InvitedCaller>& invited,
                ServerStream& stream) {
    proto::FromWorker message;
    Time checked = posix::now();
    while (stream.Read(&message)) {
      if (invited && posix::now() - checked >= kInvitationChecked) {
        if (!options.admits(*invited)) return false;
        checked = posix::now();
      }
      inbox.put(ConnectionMessage{id, std::move(message)});
    }
    return true;
  }

  grpc::Status authorise(const std::optional<InvitedCaller>& invited,
                         const std::string& token) const {
    if (!invited) {
      if (crypto::equal(token, options.token)) return grpc::Status::OK;
      return {grpc::StatusCode::PERMISSION_DENIED, "the token is not the token of this job"};
    }
    if (options.admits && options.admits(*invited)) return grpc::Status::OK;
    return {grpc::StatusCode::PERMISSION_DENIED, kWithdrawn};
  }

  static grpc::Status refusal(const Error& error) {
    return {grpc::StatusCode::INVALID_ARGUMENT, error.message};
  }

  // `peer` is like "ipv4:10.0.0.2:4711" or "ipv6:%5B::1%5D:4711". A machine reaches each of its own
  // addresses from that address.
  static bool is_on_this_machine(const std::string& peer) {
    if (peer.starts_with(posix::kUnixPrefix)) return true;
    std::string host = peer.substr(peer.find(':') + 1);
    host.resize(std::min(host.rfind(':'), host.size()));
    if (host.starts_with("%5B") && host.ends_with("%5D")) {
      host = "[" + host.substr(3, host.size() - 6) + "]";
    }
    const Result<std::string> ours = posix::local_address_towards(host);
    return ours && *ours == host;
  }

  static protocol::Reach reach_of(const std::string& address) {
    if (address.starts_with(posix::kUnixPrefix)) return protocol::Reach::kUnixOfOwnMachine;
    const bool is_loopback = posix::is_loopback(posix::host_part(address));
    return is_loopback ? protocol::Reach::kOwnMachine : protocol::Reach::kEveryMachine;
  }

  // Checks that other workers can connect to this worker. It is better to refuse the worker now
  // than to fail in the middle of the training.
  [[nodiscard]] Result<void> reach_back(const proto::Hello& hello, const std::string& peer) const {
    const std::string& address = hello.transport_address();
    if (address.empty()) return {};  // This worker has no connections to others.
    SURETY_TRY(protocol::check_address(address, {.reach = reach_of(address),
                                                 .is_on_this_machine = is_on_this_machine(peer),
                                                 .others_may_join = !is_for_this_machine}));
    if (const auto reached = posix::reach(address, kReachPatience); !reached) {
      return protocol::unreachable(address, reached.error().message);
    }
    return {};
  }

  static void write_all(Connection& connection, ServerStream& stream) {
    while (true) {
      const std::optional<Outgoing> next = connection.outbox.take(std::chrono::hours(1));
      if (!next) continue;
      if (!next->message) break;
      if (!stream.Write(*next->message)) break;
    }
    // This ends the reader, too.
    if (!connection.ends_with_status) connection.context->TryCancel();
  }

  std::uint64_t add(const std::shared_ptr<Connection>& connection) {
    const std::lock_guard lock(mutex);
    connections[++last_id] = connection;
    return last_id;
  }
  void remove(std::uint64_t id) {
    const std::lock_guard lock(mutex);
    connections.erase(id);
  }
  std::shared_ptr<Connection> find(std::uint64_t id) {
    const std::lock_guard lock(mutex);
    const auto it = connections.find(id);
    return it == connections.end() ? nullptr : it->second;
  }

  // Ends the stream after the queued messages. A recipient that was stopped or cut off does not
  // receive them, so the time is limited.
  void close(std::uint64_t id) {
    const std::lock_guard lock(mutex);  // The context lives until remove().
    const auto it = connections.find(id);
    if (it == connections.end()) return;
    it->second->outbox.put({});
    deadlines.set(*it->second->context, posix::now() + options.close_takes);
  }

  ControlServerOptions options;
  bool is_for_this_machine = true;  // Only processes of this machine reach the server.
  Inbox<ConnectionEvent>& inbox;
  CallDeadlines deadlines;
  std::mutex mutex;
  std::uint64_t last_id = 0;
  std::map<std::uint64_t, std::shared_ptr<Connection>> connections;
};

class GrpcControlServer final : public ListeningServer {
 public:
  GrpcControlServer(const ControlServerOptions& options, Inbox<ConnectionEvent>& inbox)
      : sessions_(options, inbox) {}
  ~GrpcControlServer() override {
    if (!server_) return;
    server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
    server_.reset();  // Joins its threads, which use the members that are destroyed next.
  }

  Result<void> start(const std::optional<std::string>& listen) {
    const bool is_unix = !listen || listen->starts_with(posix::kUnixPrefix);
    return is_unix ? start_on_this_machine(listen) : start_on_network(*listen);
  }

  [[nodiscard]] const std::string& address() const override { return address_; }
  void send(std::uint64_t connection, proto::ToWorker message) override {
    if (const auto found = sessions_.find(connection)) found->outbox.put({std::move(message)});
  }
  void close(std::uint64_t connection) override { sessions_.close(connection); }

 private:
  Result<void> start_on_this_machine(const std::optional<std::string>& last) {
    SURETY_TRY(posix::SocketPlace place, last ? posix::SocketPlace::again(*last)
                                              : posix::SocketPlace::in_new_folder("control"));
    address_ = place.address();
    place_.emplace(std::move(place));
    int port = 0;
    server_ = listen_on(address_, grpc::InsecureServerCredentials(),
                        sessions_.options.greeting_takes, sessions_, port);
    if (server_ && port != 0) return {};
    return fail(ErrorCode::kUnavailable, "cannot listen on {}", address_);
  }

  Result<void> start_on_network(const std::string& listen) {
    posix::allow_open_files();
    posix::share_free_memory();
    const std::string wanted = posix::host_part(listen);
    const std::string host = posix::is_wildcard(wanted) ? posix::own_address() : wanted;
    // Workers use the same rule to decide how others reach them (runtime/worker).
    sessions_.is_for_this_machine =
        posix::is_loopback(posix::local_address_towards(host).value_or(host));
    int port = 0;
    server_ = listen_on(listen, coordinator_credentials(sessions_.options.token),
                        sessions_.options.greeting_takes, sessions_, port);
    if (!server_ || port == 0) return cannot_listen(listen);
    address_ = fmt::format("{}:{}", host, port);
    return {};
  }

  std::optional<posix::SocketPlace> place_;  // The place of a Unix socket outlives the server.
  Sessions sessions_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

Result<std::unique_ptr<ListeningServer>> serve_control(const std::optional<std::string>& listen,
                                                       const ControlServerOptions& options,
                                                       Inbox<ConnectionEvent>& inbox) {
  auto server = std::make_unique<GrpcControlServer>(options, inbox);
  SURETY_TRY(server->start(listen));
  return server;
}

Result<void> check_listen(const std::string& address) {
  proto::Coordinator::Service nobody;
  int port = 0;
  const auto server = listen_on(address, grpc::InsecureServerCredentials(),
                                ControlServerOptions().greeting_takes, nobody, port);
  if (!server || port == 0) return cannot_listen(address);
  server->Shutdown();
  return {};
}

}  // namespace surety::runtime
