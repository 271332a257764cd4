#include "runtime/witness/witness_server.h"

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "base/posix/clock.h"
#include "base/posix/start_threads.h"

namespace surety::runtime {
namespace {

constexpr std::size_t kBodyBytesMax = 64u << 10;
constexpr std::size_t kThreads = 32;
constexpr time_t kSilenceS = 5;
constexpr const char* kPath = "/add-checkpoint";

// The library limits only bodies whose length is known and which are not compressed, so no others
// are read. Returns the code of a refusal; absent for a request that may be read.
std::optional<int> refusal_of(const httplib::Request& request) {
  if (request.path != kPath) return 404;
  if (request.method != "POST") return 405;
  if (request.has_header("Transfer-Encoding") || !request.has_header("Content-Length")) return 411;
  if (request.has_header("Content-Encoding")) return 415;
  if (request.get_header_value<std::uint64_t>("Content-Length") > kBodyBytesMax) return 413;
  return std::nullopt;
}

}  // namespace

class WitnessServer::Impl {
 public:
  Impl(WitnessState& state, WitnessServerOptions options)
      : state_(state), options_(std::move(options)) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    // Without SO_REUSEPORT, which is the library's default: two witnesses would share a port.
    server_.set_socket_options([](socket_t socket) {
      const int on = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    server_.set_payload_max_length(kBodyBytesMax);
    server_.set_keep_alive_max_count(1);
    server_.set_pre_routing_handler(
        [](const httplib::Request& request, httplib::Response& response) {
          const std::optional<int> refused = refusal_of(request);
          if (!refused) return httplib::Server::HandlerResponse::Unhandled;
          response.status = *refused;
          return httplib::Server::HandlerResponse::Handled;
        });
    server_.set_read_timeout(kSilenceS);
    server_.set_write_timeout(kSilenceS);
    server_.Post(kPath, [this](const httplib::Request& request, httplib::Response& response,
                               const httplib::ContentReader& read) {
      if (request.is_multipart_form_data()) {  // The reader would need another receiver for it.
        response.status = 415;
      } else {
        add(read, response);
      }
    });
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Result<void> start() {
    if (options_.port == 0) {
      port_ = server_.bind_to_any_port(options_.host.c_str());
    } else if (server_.bind_to_port(options_.host.c_str(), options_.port)) {
      port_ = options_.port;
    }
    if (port_ <= 0) {
      return fail(ErrorCode::kUnavailable,
                  "cannot listen at {}:{}: it is no address of this machine, or the port is in use",
                  options_.host, options_.port);
    }
    SURETY_TRY(
        posix::start_threads("to listen", [&] { thread_ = std::thread([this] { listen(); }); }));
    // stop() has no effect before the server runs.
    while (!server_.is_running()) {
      if (has_ended_) return fail(ErrorCode::kUnavailable, "the system has no threads to listen");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return {};
  }

  [[nodiscard]] std::uint16_t port() const { return static_cast<std::uint16_t>(port_); }

 private:
  void listen() {
    try {
      server_.listen_after_bind();
    } catch (const std::system_error&) {  // The system has no threads left at present.
    }
    has_ended_ = true;
  }

  // A caller may send one byte after the other, so the whole body has a limit of time, too.
  void add(const httplib::ContentReader& read, httplib::Response& response) {
    std::string body;
    const Time until = posix::now() + std::chrono::seconds(kSilenceS);
    const bool is_whole = read([&](const char* data, std::size_t size) {
      body.append(data, size);
      return body.size() <= kBodyBytesMax && posix::now() < until;
    });
    if (!is_whole) {
      response.status = 408;
      return;
    }
    const auto now_s = static_cast<std::uint64_t>(posix::unix_seconds());
    const record::WitnessAnswer answer = state_.answer(body, now_s);
    response.status = answer.code;
    response.set_content(answer.text, answer.code == 409 ? "text/x.tlog.size" : "text/plain");
    if (options_.on_answer) options_.on_answer(answer);
  }

  WitnessState& state_;
  WitnessServerOptions options_;
  httplib::Server server_;
  int port_ = 0;
  std::atomic<bool> has_ended_ = false;
  std::thread thread_;
};

Result<std::unique_ptr<WitnessServer>> WitnessServer::start(WitnessState& state,
                                                            WitnessServerOptions options) {
  auto impl = std::make_unique<Impl>(state, std::move(options));
  SURETY_TRY(impl->start());
  return std::unique_ptr<WitnessServer>(new WitnessServer(std::move(impl)));
}

WitnessServer::WitnessServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WitnessServer::~WitnessServer() = default;
std::uint16_t WitnessServer::port() const { return impl_->port(); }

}  // namespace surety::runtime
